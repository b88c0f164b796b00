// The training of margin-perceptron repeated from its kernel alone, and what that must not survive.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/examination.hpp"
#include "thresh/certificate.hpp"
#include "tools/problems.hpp"

namespace thresh::replay_oracle {
namespace {

Options any_perceptron() {
  Options options;
  options.eta = *rc::gen::element(1.0, 0.3);
  options.lambda = *rc::gen::element(0.0, 0.01, 0.2);
  options.schedule = *rc::gen::element(Schedule::constant, Schedule::sqrt, Schedule::inverse);
  options.order = *rc::gen::element(Order::shuffle, Order::sequential);
  options.seed = *rc::gen::inRange<std::uint64_t>(0, 5);
  options.intercept = *rc::gen::arbitrary<bool>();
  options.passes = *rc::gen::inRange<std::uint64_t>(1, 6);
  if (*rc::gen::arbitrary<bool>()) options.steps = *rc::gen::inRange<std::uint64_t>(1, 150);
  if (*rc::gen::arbitrary<bool>()) options.features = *rc::gen::inRange<std::uint64_t>(1, 6);
  options.balanced_classes = *rc::gen::arbitrary<bool>();
  options.solver_options["tau"] = *rc::gen::element("0", "0.1", "1");
  options.compensated = *rc::gen::arbitrary<bool>();
  options.certify = true;
  return options;
}

// Everything about the run follows from the rows that caused updates, to the bit.
RC_GTEST_PROP(Replay, TheKernelAloneGivesTheModel, ()) {
  const Problem problem = to_problem(any_problem());
  const Options options = any_perceptron();
  FitResult result = fit(problem, options);
  RC_PRE(result.status.outcome != Outcome::diverged);
  result.model.certificate =
      certify(result.model, problem, {result.compression_sets, false, 0.05, ""});
  for (const Check& check : verify(result.model, problem)) {
    if (!check.holds) RC_FAIL(check.name + ": " + check.text);
  }
  const Claimed claimed{result.model, problem.train, problem.features, ""};
  const Replay run = Examination(claimed).replay_set(result.compression_sets[0].rows);
  RC_ASSERT(run.updates == result.last.at.updates);
  RC_ASSERT(run.gives(result.model, *problem.features));
}

// Of several classes, too.
RC_GTEST_PROP(Replay, TheKernelsOfClassesGiveTheirModels, ()) {
  DenseProblem data = any_problem();
  RC_PRE(data.y.size() > 2U);
  for (std::size_t i = 0; i < data.y.size(); ++i) data.y[i] = static_cast<double>(i % 3);
  const Problem problem = to_problem(data);
  Options options = any_perceptron();
  FitResult result = fit(problem, options);
  RC_PRE(result.status.outcome != Outcome::diverged);
  RC_ASSERT(result.compression_sets.size() == 3U);
  result.model.certificate =
      certify(result.model, problem, {result.compression_sets, false, 0.05, ""});
  for (const Check& check : verify(result.model, problem)) {
    if (!check.holds) RC_FAIL(check.name + ": " + check.text);
  }
}

TEST(Replay, OneRowLessIsNotEnough) {
  const Problem problem = to_problem(random_problem(60, 5, 1, 2));
  Options options;
  options.certify = true;
  FitResult result = fit(problem, options);
  const Claimed claimed{result.model, problem.train, problem.features, ""};
  ASSERT_GT(result.compression_sets[0].rows.size(), 2U);
  const Examination found(claimed);
  EXPECT_TRUE(
      found.replay_set(result.compression_sets[0].rows).gives(result.model, *problem.features));
  result.compression_sets[0].rows.erase(result.compression_sets[0].rows.begin() + 1);
  EXPECT_FALSE(
      found.replay_set(result.compression_sets[0].rows).gives(result.model, *problem.features));
}

TEST(Replay, TheKernelIsKeptOnlyWhenAskedFor) {
  const Problem problem = to_problem(random_problem(60, 5, 1, 2));
  EXPECT_TRUE(fit(problem, Options()).compression_sets.empty());
}

}  // namespace
}  // namespace thresh::replay_oracle
