// Theorem 2 of Shalev-Shwartz & Tewari: the best of several runs of scd, and its bound.

#include <gtest/gtest.h>

#include "loss/bounds.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/problems.hpp"

namespace thresh::restarts_law {
namespace {

DenseProblem small_values() {
  DenseProblem data = random_problem(50, 8, 0.5, 12);
  for (auto& x : data.x) {
    for (double& value : x) value = std::clamp(value / 4, -1.0, 1.0);
  }
  return data;
}

Options of_theorem2(double delta) {
  Options options;
  options.solver = "scd";
  options.solver_options["curvature"] = "global";
  options.intercept = false;
  options.lambda = 0.01;
  options.steps = 20;
  options.delta = delta;
  return options;
}

TEST(Restarts, KeepTheBestOfTheRunsAndItsBoundHolds) {
  const Problem problem = to_problem(small_values());
  for (const auto& [delta, runs] : {std::pair{0.9, 1}, {0.5, 1}, {0.0625, 4}, {0.06, 5}}) {
    SCOPED_TRACE(delta);
    const Options options = of_theorem2(delta);
    const FitResult best = fit(problem, options);
    Options one = options;
    one.delta.reset();
    one.trace = TraceAt{};
    std::optional<FitResult> least;
    for (int i = 0; i < runs; ++i, ++one.seed) {
      FitResult result = fit(problem, one);
      if (!least || *result.last.objective < *least->last.objective) least = std::move(result);
    }
    EXPECT_EQ(*best.last.objective, *least->last.objective);
    EXPECT_EQ(best.model.options, least->model.options);  // its seed among them
    EXPECT_TRUE(best.trace.empty());
    ASSERT_EQ(best.theory.size(), 2u);
    ASSERT_TRUE(best.theory[1].value) << best.theory[1].note;
    EXPECT_DOUBLE_EQ(*best.theory[1].value, 2 * scd_bound(8, 20, 0.25, std::log(2.0), 0.01));
    EXPECT_TRUE(best.theory[1].note.starts_with("best of " + std::to_string(runs) + " runs"))
        << best.theory[1].note;
    EXPECT_TRUE(best.model.summary.json().find("(Theorem 2)") != std::string::npos);
  }
}

TEST(Restarts, TheBoundIsWithheldWhereTheorem1Is) {
  const auto note = [](const DenseProblem& data, const Options& options) {
    const Finding last = fit(to_problem(data), options).theory.back();
    EXPECT_TRUE(last.name.ends_with("(Theorem 2)"));
    EXPECT_FALSE(last.value);
    return last.note;
  };
  Options options = of_theorem2(0.05);
  options.solver_options.clear();
  EXPECT_EQ(note(small_values(), options), "does not apply: it asks for --curvature global");
  options = of_theorem2(0.05);
  options.intercept = true;
  EXPECT_TRUE(note(small_values(), options).starts_with("does not apply: an intercept"));
  DenseProblem large = small_values();
  large.x[7][0] = 3;
  EXPECT_EQ(note(large, of_theorem2(0.05)), "does not apply: features go beyond [-1, 1]");
  const std::atomic<bool> stop = true;
  options = of_theorem2(0.05);
  options.stop = &stop;
  options.steps = 100'000;
  try {
    const FitResult stopped = fit(to_problem(small_values()), options);
    EXPECT_EQ(stopped.status.outcome, Outcome::stopped);
    EXPECT_EQ(stopped.theory.back().note, "does not apply: interrupted after 0 of 5 runs");
  } catch (const Interrupted&) {  // before the first step: no model either
  }
}

TEST(Restarts, AreRefusedWhereTheyMeanNothing) {
  const auto refused = [](Options options) {
    return refusal_of([&] { fit(to_problem(small_values()), options); });
  };
  EXPECT_EQ(refused(of_theorem2(1)), "--delta must be between 0 and 1");
  EXPECT_EQ(refused(of_theorem2(0)), "--delta must be between 0 and 1");
  Options options = of_theorem2(0.1);
  options.solver = "cd";
  EXPECT_TRUE(
      refused(options).starts_with("--delta, the best of several runs, requires --solver scd"));
  options = of_theorem2(0.1);
  options.order = Order::sequential;
  EXPECT_TRUE(refused(options).ends_with("leave out --order sequential"));
  options = of_theorem2(0.1);
  options.trace = TraceAt{};
  EXPECT_TRUE(refused(options).ends_with("leave out --trace"));
  EXPECT_EQ(refusal_of([&] { fit_all(to_problem(small_values()), {of_theorem2(0.1)}); }),
            "--delta applies only to a single training run");
}

}  // namespace
}  // namespace thresh::restarts_law
