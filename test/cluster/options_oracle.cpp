// What learns with the options of one process: the same model and the same trace on any number of
// ranks, to the bit.

#include <gtest/gtest.h>

#include <regex>

#include "cluster/sliced_runs.hpp"
#include "solvers/catalog.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::options_oracle {
namespace {

// The model and the lines of the trace, without times.
std::string as_told(const FitResult& result) {
  static const std::regex kSeconds(R"("seconds":[^,}]*)");
  std::string all = text_of(result.model);
  for (const TracePoint& point : result.trace) {
    all += std::regex_replace(trace_json(point), kSeconds, "") + '\n';
  }
  return all;
}

struct Case {
  Options options;
  ReadOptions read = {};
  const Model* start = nullptr;
};

std::string alone(const std::string& path, const Case& c) {
  return as_told(fit(open_problem(path, "", c.read), c.options, c.start));
}

std::string on_ranks(std::size_t ranks, const std::string& path, const Case& c) {
  std::string told;
  ThreadRanks(ranks).run([&](Comm& comm) {
    const FitResult result = fit(open_share(path, "", c.read, kSlices, comm), c.options, c.start);
    if (comm.rank() == 0) told = as_told(result);
  });
  return told;
}

void expect_same(const std::string& path, Case c) {
  c.options.solver_options["slices"] = std::to_string(kSlices);
  const std::string expected = alone(path, c);
  for (const std::size_t ranks : {2, 3, 4}) {
    EXPECT_EQ(on_ranks(ranks, path, c), expected) << c.options.solver << ", " << ranks << " ranks";
  }
}

class ClusterOptions : public ::testing::Test {
 protected:
  ScratchDir dir;
  std::string path = dir.write("a.svm", as_text(rounding_problem(60, 90, 6)));

  // Some rows have no entries on some ranks.
  std::string sparse(int classes = 2) const {
    std::string text;
    Random random(7);
    for (int i = 0; i < 150; ++i) {
      text += classes == 2 ? (random.uniform() < 0.5 ? "+1" : "-1") : std::to_string(i % classes);
      for (std::uint64_t j = 1 + random.below(20); j <= 60; j += 1 + random.below(30)) {
        text += fmt::format(" {}:{}", j, random.uniform() - 0.4);
      }
      text += '\n';
    }
    return dir.write(fmt::format("{}.svm", classes), text);
  }
};

// Solvers whose support grows past the budget.
std::vector<Options> all_without_a_limit() {
  std::vector<Options> all;
  for (const char* solver :
       {"fobos", "truncated-gradient", "rda", "ftrl", "smidas", "projected-gradient"}) {
    Options options;
    options.solver = solver;
    options.lambda = solver == std::string("ftrl") ? 0.1 : 1e-3;
    options.passes = 2;
    options.features = 10;
    if (solver == std::string("projected-gradient")) {
      options.lambda = 0;
      options.passes = 20;
      options.solver_options["radius"] = "0.05";
    }
    all.push_back(options);
  }
  all.push_back(all[0]);
  all.back().solver_options["batch"] = "3";
  all.push_back(all[3]);
  all.back().features.reset();
  all.back().density = 0.2;
  return all;
}

TEST_F(ClusterOptions, BudgetsOfSolversWithoutALimit) {
  for (Options options : all_without_a_limit()) {
    for (const AtBudget then : {AtBudget::proceed, AtBudget::stop}) {
      options.at_budget = then;
      expect_same(sparse(), {options});
      const FitResult result = fit(open_problem(sparse()), options);
      // The first step of all rows is beyond any small budget.
      if (options.solver != "projected-gradient") {
        EXPECT_GT(result.model.nonzeros(), 2U) << options.solver;
      }
      EXPECT_LE(result.model.nonzeros(), options.features.value_or(12)) << options.solver;
    }
  }
}

TEST_F(ClusterOptions, BudgetsOfClasses) {
  for (Options options : all_without_a_limit()) {
    if (options.density) continue;
    expect_same(sparse(3), {options});
    options.shared_budget = true;
    expect_same(sparse(3), {options});
    options.at_budget = AtBudget::stop;
    expect_same(sparse(3), {options});
  }
}

TEST_F(ClusterOptions, Traces) {
  for (Options options : all_on_ranks()) {
    for (const TraceAt::Kind kind :
         {TraceAt::Kind::passes, TraceAt::Kind::examples, TraceAt::Kind::densities}) {
      options.trace = TraceAt{};
      options.trace->kind = kind;
      options.trace->every = 25;
      expect_same(path, {options});
    }
  }
}

TEST_F(ClusterOptions, TracesOfClasses) {
  for (Options options : all_on_ranks()) {
    options.passes = 2;
    options.trace = TraceAt{};
    expect_same(sparse(3), {options});
  }
}

TEST_F(ClusterOptions, Scales) {
  for (const FeatureScale scale : {FeatureScale::max, FeatureScale::rms}) {
    for (const Options& options : all_on_ranks()) {
      Case c{options};
      c.read.scale = scale;
      expect_same(path, c);
    }
  }
  Case c{all_on_ranks()[0]};
  c.read.scale = FeatureScale::standard;
  c.options.solver_options["slices"] = std::to_string(kSlices);
  EXPECT_EQ(refusal_of([&] { on_ranks(2, path, c); }),
            "--scale standard does not support several ranks: centred features have entries in "
            "all rows (use max or rms)");
}

TEST_F(ClusterOptions, RowsDrawnWithReplacement) {
  for (Options options : all_that_slice()) {
    const auto batch = options.solver_options.find("batch");
    const bool of_all = batch != options.solver_options.end() && batch->second == "0";
    if (options.solver == "grades" || of_all) continue;
    options.passes = 1;
    options.order = Order::replacement;
    expect_same(sparse(), {options});
    options.memory = 0;  // from a temporary file
    expect_same(sparse(), {options});
  }
}

TEST_F(ClusterOptions, GoingOnFromAModel) {
  Options first;
  first.solver = "fobos";
  first.lambda = 1e-2;
  first.passes = 1;
  const Model start = fit(open_problem(path), first).model;
  for (Options options : all_that_slice()) {
    if (options.features || options.solver == "rda") continue;
    options.passes = 1;
    expect_same(path, {options, {}, &start});
  }
}

// Steps so large that weights leave all bounds, until they have been halved some times; some of
// them after the first good state.
TEST_F(ClusterOptions, DivergencesAreSurvived) {
  const std::string many = dir.write("many.svm", as_text(rounding_problem(3000, 40, 9)));
  for (const char* solver : {"fobos", "l0-sgd", "truncated-gradient"}) {
    Options options;
    options.solver = solver;
    options.loss = Loss::squared;
    options.eta = 30;
    options.schedule = Schedule::constant;
    options.passes = 3;
    const bool has_batches = find_option(solver_named(solver), "batch") != nullptr;
    if (has_batches) options.solver_options["batch"] = "50";
    if (solver == std::string("l0-sgd")) options.features = 30;
    options.solver_options["slices"] = std::to_string(kSlices);
    const std::string& rows = has_batches ? many : path;
    const FitResult result = fit(open_problem(rows), options);
    EXPECT_NE(result.status.outcome, Outcome::diverged) << solver << result.status.reason;
    EXPECT_FALSE(result.divergences.empty()) << solver;
    expect_same(rows, {options});
  }
}

// The mean of all steps, or the one that is drawn.
TEST_F(ClusterOptions, Iterates) {
  std::size_t learned = 0;
  for (const Iterate iterate : {Iterate::average, Iterate::random}) {
    for (Options options : all_on_ranks()) {
      const bool average = iterate == Iterate::average;
      const LoopInfo& info = find_solver(options.solver).info;
      if (options.features || (average && !info.no_average.empty())) continue;
      options.iterate = iterate;
      options.steps = 100;
      options.trace = TraceAt{};
      expect_same(path, {options});
      expect_same(sparse(), {options});
      ++learned;
    }
  }
  EXPECT_GT(learned, 15U);
}

// The theorem of smidas is about the largest value of all features.
TEST_F(ClusterOptions, TheoremsOfIterates) {
  Options options;
  options.solver = "smidas";
  options.lambda = 1e-3;
  options.passes = 2;
  options.intercept = false;
  options.order = Order::replacement;
  options.iterate = Iterate::average;
  options.solver_options["slices"] = std::to_string(kSlices);
  const auto findings = [](const FitResult& result) {
    std::string all;
    for (const Finding& each : result.theory) {
      all += fmt::format("{} {} {}\n", each.name, each.value.value_or(-1), each.note);
    }
    return all;
  };
  for (int j = 2; j <= 8; ++j) {  // the largest is on one rank only
    std::string values = fmt::format("+1 1:1 {}:7\n", j);
    for (int i = 0; i < 50; ++i) {
      values += fmt::format("{} 1:0.{} 9:1\n", i % 2 == 0 ? "+1" : "-1", 1 + i);
    }
    const std::string file = dir.write("v.svm", values);
    const std::string expected = findings(fit(open_problem(file), options));
    EXPECT_NE(expected.find("features go beyond [-1, 1]"), std::string::npos) << expected;
    ThreadRanks(3).run([&](Comm& comm) {
      const FitResult result = fit(open_share(file, "", {}, kSlices, comm), options);
      EXPECT_TRUE(comm.rank() != 0 || findings(result) == expected) << findings(result);
    });
  }
}

}  // namespace
}  // namespace thresh::options_oracle
