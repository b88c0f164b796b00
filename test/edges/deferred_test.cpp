// Whatever a solver puts off, nobody can tell: watched or not, from memory or from a file, with a
// budget or from a model to start with, every solver of the catalog keeps its promises.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "error_of.hpp"
#include "model_text.hpp"
#include "oracle/problems.hpp"
#include "scratch.hpp"
#include "thresh/error.hpp"
#include "thresh/thresh.hpp"

namespace thresh {
namespace {

const OptionInfo* option_of(const SolverInfo& info, const std::string& name) {
  for (const OptionInfo& option : info.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

Options options_for(const SolverInfo& info) {
  Options options;
  options.solver = info.name;
  options.passes = 3;
  options.lambda = 0.013;
  options.dim = 40;
  if (option_of(info, "radius") != nullptr) options.own["radius"] = "1.7";
  if (info.budget == BudgetUse::required) options.features = 11;
  return options;
}

// Each solver as it comes, and in batches where it has them.
void for_each_way(const std::function<void(const SolverInfo&, const Options&)>& test) {
  for (const SolverInfo& info : solvers()) {
    const Options options = options_for(info);
    SCOPED_TRACE(info.name);
    test(info, options);
    for (const char* batch : {"0", "1", "7"}) {
      if (option_of(info, "batch") == nullptr) break;
      SCOPED_TRACE(std::string("--batch ") + batch);
      Options other = options;
      other.own["batch"] = batch;
      test(info, other);
    }
  }
}

// Sparse, so that much is put off for long.
DenseProblem data() {
  return random_problem(300, 40, 0.05, 5);
}

std::uint64_t nonzeros_of(const Model& model) {
  for (const Coefficient& coefficient : model.coefficients) EXPECT_NE(coefficient.weight, 0);
  return model.coefficients.size();
}

// Always wants to know, and is woken after every few examples.
class Watcher : public Observer {
 public:
  explicit Watcher(std::uint64_t every) : every_(every) {}
  bool wants_progress(const Progress&) const override { return true; }
  void on_progress(const Progress& progress) override {
    seen_ = progress.examples;
    ++calls;
  }
  std::uint64_t wake_at() const override { return seen_ + every_; }

  std::uint64_t calls = 0;

 private:
  std::uint64_t every_;
  std::uint64_t seen_ = 0;
};

TEST(Deferred, WatchingChangesNothing) {
  for_each_way([](const SolverInfo&, const Options& options) {
    const std::string alone = text_of(fit(to_problem(data()), options).model);
    Watcher watcher(5);
    const FitResult watched = fit(to_problem(data()), options, nullptr, &watcher);
    EXPECT_GT(watcher.calls, 2U);
    EXPECT_EQ(text_of(watched.model), alone);
    Options traced = options;
    for (const TraceAt at : {TraceAt{TraceAt::Kind::examples, 7}, TraceAt{TraceAt::Kind::passes, 0},
                             TraceAt{TraceAt::Kind::densities, 0}}) {
      traced.trace = at;
      EXPECT_EQ(text_of(fit(to_problem(data()), traced, nullptr, &watcher).model), alone);
    }
  });
}

// A run of n steps is what a longer one shows after n.
TEST(Deferred, ATracePointHasTheSupportOfTheModelAtThatMoment) {
  for_each_way([](const SolverInfo&, const Options& options) {
    for (const std::uint64_t passes : {1, 2, 3}) {
      Options shorter = options;
      shorter.passes = passes;
      const FitResult there = fit(to_problem(data()), shorter);
      EXPECT_EQ(nonzeros_of(there.model), there.last.at.nonzeros);
      if (options.own.contains("rounds")) continue;
      Options traced = options;
      traced.trace = TraceAt{TraceAt::Kind::passes, 0};
      const FitResult whole = fit(to_problem(data()), traced);
      ASSERT_LE(passes, whole.trace.size());
      EXPECT_EQ(whole.trace[passes - 1].at.nonzeros, there.last.at.nonzeros);
    }
  });
}

TEST(Deferred, MemoryAndFileGiveTheSameBytes) {
  const DenseProblem rows = data();
  std::string text;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    text += fmt::format("{}", rows.y[i]);
    for (std::size_t j = 0; j < rows.features; ++j) {
      if (rows.x[i][j] != 0) text += fmt::format(" {}:{}", j + 1, rows.x[i][j]);
    }
    text += "\n";
  }
  const ScratchDir dir;
  const std::string file = dir.write("rows.svm", text);
  for_each_way([&](const SolverInfo&, const Options& options) {
    const std::string in_memory = text_of(fit(to_problem(rows), options).model);
    EXPECT_EQ(text_of(fit(open_problem(file), options).model), in_memory);
    Options tight = options;
    tight.memory = 0;  // every pass reads the file anew
    EXPECT_EQ(text_of(fit(open_problem(file), tight).model), in_memory);
  });
}

TEST(Deferred, NoBudgetIsExceeded) {
  for_each_way([](const SolverInfo& info, const Options& options) {
    for (const std::uint64_t budget : {1, 2, 5, 9, 20, 39}) {
      Options limited = options;
      limited.features = budget;
      if (info.budget == BudgetUse::refused) {
        EXPECT_THROW(fit(to_problem(data()), limited), UsageError);
        continue;
      }
      for (const double lambda : {0.0, 0.01, 0.1}) {
        limited.lambda = lambda;
        const FitResult got = fit(to_problem(data()), limited);
        EXPECT_LE(nonzeros_of(got.model), budget);
        EXPECT_EQ(nonzeros_of(got.model), got.last.at.nonzeros);
        for (const Coefficient& each : got.model.coefficients) {
          EXPECT_TRUE(std::isfinite(each.weight));
        }
      }
    }
  });
}

// A budget that is never reached is none.
TEST(Deferred, AWideBudgetChangesNothing) {
  for_each_way([](const SolverInfo& info, const Options& options) {
    if (info.budget != BudgetUse::optional) return;
    const FitResult free = fit(to_problem(data()), options);
    Options limited = options;
    limited.features = 40;
    const FitResult got = fit(to_problem(data()), limited);
    ASSERT_EQ(got.model.coefficients.size(), free.model.coefficients.size());
    for (std::size_t k = 0; k < got.model.coefficients.size(); ++k) {
      EXPECT_EQ(got.model.coefficients[k].weight, free.model.coefficients[k].weight);
    }
  });
}

TEST(Deferred, AModelToStartFromIsContinuedOrRefused) {
  for_each_way([](const SolverInfo& info, const Options& options) {
    Options traced = options;
    traced.trace = TraceAt{TraceAt::Kind::passes, 0};
    const FitResult first = fit(to_problem(data()), traced);
    FitResult second;
    try {
      second = fit(to_problem(data()), traced, &first.model);
    } catch (const UsageError&) {
      EXPECT_TRUE(info.name == "eg" || info.name == "rda");
      return;
    }
    EXPECT_FALSE(info.name == "eg" || info.name == "rda");
    EXPECT_EQ(nonzeros_of(second.model), second.last.at.nonzeros);
    // It goes on from there instead of beginning anew, so it cannot be far worse.
    EXPECT_LT(*second.last.objective, *first.last.objective + 0.05);
  });
}

// Nothing to learn and nothing to shrink: what went in comes out, through whatever a solver keeps
// instead of weights (for smidas the p-norm link and its inverse).
TEST(Deferred, AStartThatNeedsNoChangeComesOutAsItWentIn) {
  const DenseProblem rows = random_problem(30, 6, 1, 8);
  DenseProblem easy = rows;
  Model start;
  start.dimension = 6;
  const double w[] = {2, -1, 0.5, 0.001, -3, 4};
  for (std::uint64_t j = 0; j < 6; ++j) start.coefficients.push_back({j + 1, w[j], ""});
  easy.x.clear();
  easy.y.clear();
  for (const auto& x : rows.x) {
    double a = 0;
    for (std::size_t j = 0; j < 6; ++j) a += w[j] * x[j];
    if (std::fabs(a) <= 1) continue;
    easy.x.push_back(x);
    easy.y.push_back(a > 0 ? 1 : -1);
  }
  for_each_way([&](const SolverInfo& info, Options options) {
    if (info.name == "eg" || info.name == "rda" || info.name == "grades") return;
    options.lambda = 0;
    options.dim = 6;
    options.intercept = false;
    if (!info.losses.empty()) options.loss = Loss::squared_hinge;
    if (options.own.contains("radius")) options.own["radius"] = "100";
    for (const char* p : {"2", "3.7", "9"}) {
      if (info.name == "smidas") options.own["p"] = p;
      const Model end = fit(to_problem(easy), options, &start).model;
      ASSERT_EQ(end.coefficients.size(), 6U);
      for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(end.coefficients[j].weight, w[j], 1e-12);
    }
  });
}

// What a row of weight zero says does not matter, also to a batch of nothing else.
TEST(Deferred, RowsOfWeightZeroDoNotExist) {
  const ScratchDir dir;
  DenseProblem some = data();
  DenseProblem rest;
  rest.features = some.features;
  std::string weights;
  for (std::size_t i = 0; i < some.x.size(); ++i) {
    const bool counts = i % 50 >= 40;
    weights += counts ? "3\n" : "0\n";
    if (!counts) continue;
    rest.x.push_back(some.x[i]);
    rest.y.push_back(some.y[i]);
  }
  const std::string file = dir.write("weights", weights);
  for_each_way([&](const SolverInfo&, Options options) {
    options.order = Order::sequential;
    const Model without = fit(to_problem(rest), options).model;
    options.weights_file = file;
    const Model with = fit(to_problem(some), options).model;
    ASSERT_EQ(with.coefficients.size(), without.coefficients.size());
    for (std::size_t k = 0; k < with.coefficients.size(); ++k) {
      EXPECT_EQ(with.coefficients[k].index, without.coefficients[k].index);
      EXPECT_EQ(with.coefficients[k].weight, without.coefficients[k].weight);
    }
  });
}

}  // namespace
}  // namespace thresh
