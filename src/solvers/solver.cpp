#include "solvers/solver.hpp"

namespace thresh {

void Solver::keep() {
  kept_.weights.clear();
  for (std::size_t slot = 0; slot < state_.weights.size(); ++slot) {
    const double weight = std::as_const(state_.weights)[slot];
    if (weight != 0) kept_.weights.emplace_back(static_cast<std::uint32_t>(slot), weight);
  }
  kept_.intercept = state_.intercept;
}

void Solver::keep_within(std::uint64_t budget) {
  if (state_.nonzeros <= budget) keep();
}

void Solver::go_back_within(std::uint64_t budget) {
  if (state_.nonzeros > budget) go_back();
}

void Solver::go_back() {
  ZeroedArray<double> weights;
  weights.ensure(state_.weights.size());
  for (const auto& [slot, weight] : kept_.weights) weights[slot] = weight;
  state_.weights = std::move(weights);
  state_.nonzeros = kept_.weights.size();
  state_.intercept = kept_.intercept;
  closed_ = true;
}

}  // namespace thresh
