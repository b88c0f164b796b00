// Runs that get out of control: they are noticed, told, taken back, and end in order.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/cached.hpp"
#include "solvers/catalog.hpp"
#include "tools/every_solver.hpp"
#include "tools/model_text.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"
#include "train/advice.hpp"
#include "train/plain_sgd.hpp"

namespace thresh::guard_edge {
namespace {

double largest_margin(const DenseProblem& data, const std::vector<double>& w) {
  double largest = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    largest = std::max(largest, std::fabs(margin_of(data, w, i)));
  }
  return largest;
}

// Stochastic gradient descent on single rows, guarded the slow way: a good state at the end of a
// pass, once there was enough work since the last; the second time before there is a new one back
// to the start.
struct GuardedTwin {
  std::vector<double> w, good;
  double eta;
  std::vector<std::uint64_t> rows;  // where it diverged
  bool at_the_end = false;          // the last row of all is one of them

  GuardedTwin(const DenseProblem& data, double step, std::uint64_t passes)
      : w(data.features), good(data.features), eta(step) {
    std::uint64_t work = 0;
    bool went_back = false;
    for (std::uint64_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < data.x.size(); ++i) {
        const double margin = margin_of(data, w, i);
        std::uint64_t entries = 0;
        for (const double value : data.x[i]) entries += value != 0 ? 1 : 0;
        if (!(std::fabs(margin) <= 1e8)) {
          if (went_back) good.assign(good.size(), 0);
          w = good;
          eta /= 2;
          went_back = true;
          rows.push_back(i + 1);
          at_the_end = true;
          continue;
        }
        for (std::size_t j = 0; j < w.size(); ++j) {
          w[j] -= eta * ((margin - data.y[i]) * data.x[i][j]);
        }
        at_the_end = false;
        work += margin != data.y[i] ? 2 * entries : entries;
      }
      if (pass + 1 < passes && work >= 256 * data.features) {
        good = w;
        work = 0;
        went_back = false;
      }
    }
  }
};

RC_GTEST_PROP(Guard, GoesBackAsItsDenseTwinDoes, ()) {
  const DenseProblem data = random_problem(*rc::gen::inRange<std::size_t>(20, 300), 5, 0.7,
                                           *rc::gen::arbitrary<std::uint64_t>());
  const double eta = *rc::gen::element(0.01, 0.3, 0.7, 1.0, 3.0, 20.0);
  Options options = plain_sgd(eta);
  options.dim = data.features;
  options.passes = *rc::gen::inRange<std::uint64_t>(1, 8);
  const GuardedTwin twin(data, eta, options.passes);
  const FitResult result = fit(to_problem(data), options);
  RC_ASSERT(result.divergences.size() == twin.rows.size());
  for (std::size_t i = 0; i < twin.rows.size(); ++i) {
    RC_ASSERT(result.divergences[i].row == twin.rows[i]);
    RC_ASSERT(result.divergences[i].step == std::ldexp(1, -static_cast<int>(i) - 1));
  }
  RC_CLASSIFY(!twin.rows.empty(), "diverged");
  // Where rows came to an end before steps were small enough it is the last good state.
  const bool lost = twin.at_the_end || (!twin.rows.empty() && largest_margin(data, twin.w) > 1e8);
  RC_CLASSIFY(lost, "lost");
  RC_ASSERT(result.status.outcome == (lost ? Outcome::diverged : Outcome::passes_spent));
  expect_weights(result.model, lost ? twin.good : twin.w, 0, 1e-9);
}

TEST(Guard, NamesRowFeatureAndWeight) {
  DenseProblem data = random_problem(40, 4, 1.0, 3);
  data.x[6] = {0, 0, 1e6, 0};
  data.x[7] = {1, 0, 1e6, 0};
  Options options = plain_sgd(0.01);
  options.on_divergence = OnDivergence::stop;
  const FitResult result = fit(to_problem(data), options);
  ASSERT_EQ(result.status.outcome, Outcome::diverged);
  ASSERT_EQ(result.divergences.size(), 1U);
  const Divergence& found = result.divergences[0];
  EXPECT_EQ(found.row, 8U);
  EXPECT_EQ(found.feature, 3U);
  EXPECT_EQ(found.value, 1e6);
  EXPECT_GT(std::fabs(found.weight), 1e3);
  EXPECT_EQ(found.step, 0);
  EXPECT_TRUE(result.status.reason.starts_with("row 8: the weight of feature 3 became "))
      << result.status.reason;
  // The last good state is the start.
  EXPECT_TRUE(result.model.coefficients.empty());
}

TEST(Guard, ARunThatRecoversEndsInOrderAndSaysSo) {
  const DenseProblem data = random_problem(2000, 10, 0.5, 4);
  for (const char* solver :
       {"fobos", "truncated-gradient", "l0-sgd", "smidas", "subgradient", "rda", "grades"}) {
    SCOPED_TRACE(solver);
    Options options = plain_sgd(50);
    options.solver = solver;
    options.passes = 30;
    const SolverInfo& info = find_solver(solver).info;
    if (std::string(solver) == "rda") options.solver_options["gamma"] = "1e-3";
    if (std::string(solver) == "grades") options.solver_options["gamma"] = "1";
    if (info.budget == BudgetUse::required) options.features = 10;
    const FitResult result = fit(to_problem(data), options);
    EXPECT_NE(result.status.outcome, Outcome::diverged) << result.status.reason;
    EXPECT_FALSE(result.divergences.empty());
    EXPECT_NE(result.status.reason.find("diverged"), std::string::npos) << result.status.reason;
    EXPECT_TRUE(result.model.summary.has("divergences"));
    // 0.5 with weights of zero; steps may still be crude.
    EXPECT_LT(mean_loss(data, weights_of(result.model, 10)), 50);
    EXPECT_TRUE(result.theory.empty());
  }
}

// Windows of a cache end elsewhere than those of a text.
TEST(Guard, WhereWindowsEndDoesNotMatter) {
  ScratchDir scratch;
  const std::string text = scratch.write("data", random_rows(1, 5000, 80, 2).text());
  cache_text(text, scratch.file("cache"));
  bool went_back_half_way = false;
  for (const Order order : {Order::sequential, Order::shuffle}) {
    for (const double eta : {0.02, 0.03, 0.05}) {
      Options options = plain_sgd(eta);
      options.order = order;
      options.passes = 3;
      FitResult expected = fit(open_problem(text), options);
      FitResult got = fit(open_problem(scratch.file("cache")), options);
      ASSERT_EQ(got.divergences.size(), expected.divergences.size());
      for (std::size_t i = 0; i < got.divergences.size(); ++i) {
        EXPECT_EQ(got.divergences[i].back_to, expected.divergences[i].back_to);
        went_back_half_way |= got.divergences[i].back_to > 0;
      }
      EXPECT_EQ(text_of(got.model), text_of(expected.model));
    }
  }
  EXPECT_TRUE(went_back_half_way) << "else nothing was tested";
}

// Every option that a text names.
std::vector<std::string> options_in(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
    names.push_back(text.substr(at + 2, text.find_first_of(" )", at) - at - 2));
  }
  return names;
}

TEST(Guard, AdvisesOptionsThatTheSolverHas) {
  const auto has = [](const SolverInfo& info, const std::string& name) {
    if (name == "normalize" || name == "scale" || option_of(info, name) != nullptr) return true;
    return name == "eta" && std::count(info.unused.begin(), info.unused.end(), "eta") == 0;
  };
  for (const SolverInfo& solver : solvers()) {
    const LoopInfo& info = find_solver(solver.name).info;
    SCOPED_TRACE(info.name);
    const std::string steps = smaller_steps(info);
    EXPECT_EQ(steps.empty(), !info.halves_steps);
    for (const std::string& name : options_in(steps)) EXPECT_TRUE(has(info, name)) << name;
  }
  EXPECT_EQ(smaller_steps(find_solver("rda").info), "a larger --gamma");
  // Values whose squares no double holds end most solvers.
  std::size_t diverged = 0;
  DenseProblem data = sparse_rows();
  for (auto& x : data.x) {
    for (double& value : x) value *= 1e250;
  }
  for_each_way([&](const SolverInfo& info, Options options) {
    options.on_divergence = OnDivergence::stop;
    const FitResult result = fit(to_problem(data), options);
    if (result.status.outcome != Outcome::diverged) return;
    ++diverged;
    const auto advised = options_in(result.status.reason);
    EXPECT_FALSE(advised.empty()) << result.status.reason;
    for (const std::string& name : advised) EXPECT_TRUE(has(info, name)) << result.status.reason;
  });
  EXPECT_GT(diverged, 10U);
}

// Models of other betas are refitted beside the one that is watched.
TEST(Guard, NoRecordedModelIsInfinite) {
  DenseProblem data = random_problem(300, 6, 1.0, 5);
  for (auto& x : data.x) {
    for (double& value : x) value *= 1e-150;
    x[5] = 1e-313;  // its weight is beyond all doubles only when it is for values as they are
  }
  Options options;
  options.solver = "budget";
  options.features = 6;
  options.passes = 0;
  options.betas = {std::numeric_limits<double>::denorm_min()};
  const FitResult result = fit(plain_problem(data), options);
  EXPECT_EQ(result.status.outcome, Outcome::diverged);
  EXPECT_NE(result.status.reason.find("recorded"), std::string::npos) << result.status.reason;
  EXPECT_TRUE(result.recorded.empty());
  for (const Coefficient& each : result.model.coefficients) {
    EXPECT_TRUE(std::isfinite(each.weight));
  }
}

TEST(Guard, SeveralClassesGoBackTogether) {
  DenseProblem data = random_problem(300, 10, 0.5, 4);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = static_cast<double>(i % 3);
  Options options = plain_sgd(3);
  options.passes = 10;
  const FitResult result = fit(to_problem(data), options);
  EXPECT_EQ(result.status.outcome, Outcome::passes_spent);
  EXPECT_FALSE(result.divergences.empty());
  for (const ClassPart& part : result.model.classes) {
    for (const Coefficient& c : part.coefficients) EXPECT_LT(std::fabs(c.weight), 100);
  }
  options.on_divergence = OnDivergence::proceed;
  EXPECT_EQ(fit(to_problem(data), options).status.outcome, Outcome::diverged);
}

// Margins far beyond reason are still finite.
TEST(Guard, SoftmaxHasABoundToo) {
  DenseProblem data = random_problem(60, 5, 1.0, 3);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = static_cast<double>(i % 3);
  for (const char* solver : {"fobos", "projected-gradient"}) {
    SCOPED_TRACE(solver);
    Options options = plain_sgd(1e110);
    options.solver = solver;
    options.loss = Loss::logistic;
    options.multiclass = Multiclass::softmax;
    if (std::string(solver) != "fobos") options.solver_options["radius"] = "1e120";
    const FitResult guarded = fit(to_problem(data), options);
    ASSERT_FALSE(guarded.divergences.empty());
    EXPECT_NE(guarded.divergences[0].what.find("out of bounds"), std::string::npos);
    EXPECT_NE(guarded.status.outcome, Outcome::diverged) << guarded.status.reason;
    options.on_divergence = OnDivergence::proceed;
    EXPECT_TRUE(fit(to_problem(data), options).divergences.empty());
  }
}

// The state within the budget was found before the run went back to one that is over it.
TEST(Guard, WhatWasWithinTheBudgetIsNotLost) {
  DenseProblem data = random_problem(2000, 60, 0.05, 9);
  data.x[1990] = std::vector<double>(60, 1e6);
  Options options = plain_sgd(0.01);
  options.passes = 2;
  options.lambda = 1e-3;
  options.features = 10;
  const FitResult result = fit(to_problem(data), options);
  EXPECT_FALSE(result.divergences.empty());
  EXPECT_GT(result.model.coefficients.size(), 0U);
  EXPECT_LE(result.model.coefficients.size(), 10U);
}

TEST(Guard, NothingChangesForARunInOrder) {
  for_each_way([](const SolverInfo&, Options options) {
    options.passes = 4;
    std::vector<std::string> texts;
    for (const OnDivergence what :
         {OnDivergence::recover, OnDivergence::stop, OnDivergence::proceed}) {
      options.on_divergence = what;
      const FitResult result = fit(to_problem(sparse_rows()), options);
      EXPECT_TRUE(result.divergences.empty());
      texts.push_back(text_of(result.model));
    }
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_EQ(texts[0], texts[2]);
  });
}

}  // namespace
}  // namespace thresh::guard_edge
