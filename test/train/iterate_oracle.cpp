// --iterate random returns the model after one of the run's steps, each equally often.

#include <gtest/gtest.h>

#include <set>

#include "tools/error_of.hpp"
#include "tools/every_solver.hpp"

namespace thresh::iterate_oracle {
namespace {

TEST(Iterate, RandomIsTheModelAfterOneOfTheSteps) {
  const DenseProblem data = random_problem(6, 10, 0.5, 4);
  Options options;
  options.solver = "fobos";
  options.passes = 2;
  options.lambda = 1e-3;
  std::set<std::size_t> met;
  for (const bool by_passes : {true, false}) {
    options.steps = by_passes ? std::nullopt : std::optional<std::uint64_t>(12);
    options.iterate = Iterate::random;
    for (options.seed = 1; options.seed <= 100; ++options.seed) {
      Options whole = options;
      whole.order = Order::sequential;
      const FitResult result = fit(plain_problem(data), whole);
      const std::uint64_t step = result.last.at.examples;
      ASSERT_GE(step, 1U);
      ASSERT_LE(step, 12U);
      whole.iterate = Iterate::last;
      whole.steps = step;
      EXPECT_EQ(weights_of(result.model, 10),
                weights_of(fit(plain_problem(data), whole).model, 10));
      EXPECT_EQ(result.status.reason, "--iterate random: step " + std::to_string(step) + " of 12");
      met.insert(step);
    }
  }
  EXPECT_EQ(met.size(), 12U);
}

TEST(Iterate, RandomIsRefusedWhereItMeansNothing) {
  const DenseProblem data = random_problem(20, 10, 0.5, 1);
  Options options;
  options.iterate = Iterate::random;
  options.features = 5;
  EXPECT_EQ(refusal_of([&] { fit(plain_problem(data), options); }),
            "--iterate random does not support a feature budget");
  options.features.reset();
  options.solver = "scd";
  EXPECT_EQ(refusal_of([&] { fit(plain_problem(data), options); }),
            "--iterate random must know the number of steps: give --steps");
  options.steps = 30;
  EXPECT_NO_THROW(fit(plain_problem(data), options));
}

}  // namespace
}  // namespace thresh::iterate_oracle
