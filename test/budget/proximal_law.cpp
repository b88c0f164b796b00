// Many steps of FTRL-Proximal at once against one after the other, to the last bit.

#include "solvers/budget/proximal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "sparse/random.hpp"
#include "sparse/row_loops.hpp"

namespace thresh::proximal_law {
namespace {

RC_GTEST_PROP(BudgetProximal, StepsTogetherAreStepsOneByOne, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, 70);
  const ProximalStep step{*rc::gen::element(-1.5, 0.0, 0.3), *rc::gen::element(1.0, 3.0),
                          *rc::gen::element(0.1, 1.0), *rc::gen::element(0.0, 0.7),
                          *rc::gen::element(1.0, 0.3)};
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<double> z, root, weight, value;
  for (std::size_t i = 0; i < n; ++i) {
    z.push_back(random.normal());
    root.push_back(std::fabs(random.normal()));
    weight.push_back(random.uniform() < 0.5 ? 0 : random.normal());
    value.push_back(random.normal());
  }
  std::vector<double> z_after, root_after, weight_after;
  std::int64_t more = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ProximalSums sums{z[i], root[i]};
    sums.follow(step.slope * value[i], weight[i] * (1 / step.unit), step.alpha);
    z_after.push_back(sums.z);
    root_after.push_back(sums.root);
    const ProximalSums cut{soft_threshold(sums.z, step.lambda), sums.root};
    weight_after.push_back(cut.weight(step.alpha, step.beta) * step.unit);
    more += (weight_after[i] != 0 ? 1 : 0) - (weight[i] != 0 ? 1 : 0);
  }
  RC_ASSERT(take_steps(n, z.data(), root.data(), weight.data(), value.data(), step) == more);
  RC_ASSERT(z == z_after);
  RC_ASSERT(root == root_after);
  RC_ASSERT(weight == weight_after);
}

// The formulas of the paper.
RC_GTEST_PROP(BudgetProximal, AStepIsThatOfThePaper, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const double z = random.normal();
  const double n = std::fabs(random.normal());
  const double w = random.normal();
  const double g = random.normal();
  ProximalSums sums{z, std::sqrt(n)};
  sums.follow(g, w, 3);
  const double expected = z + g - (std::sqrt(n + g * g) - std::sqrt(n)) / 3 * w;
  RC_ASSERT(std::fabs(sums.z - expected) <= 1e-12);
  const double weight = -expected / ((0.4 + std::sqrt(n + g * g)) / 3);
  RC_ASSERT(std::fabs(sums.weight(3, 0.4) - weight) <= 1e-12 * (1 + std::fabs(weight)));
}

}  // namespace
}  // namespace thresh::proximal_law
