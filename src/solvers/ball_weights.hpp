// The weights a_j of a ball sum a_j |w_j| <= z (`--ball-weights FILE`).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "solvers/catalog.hpp"

namespace thresh {

class BallWeights {
 public:
  // Reads the file of the solver option ball-weights: lines `index a`. Throws Error with file and
  // line for other lines, for a feature that occurs twice, and for an a that is negative or too
  // large or small to be squared.
  explicit BallWeights(const SolverSetup& setup);

  bool given() const { return given_; }  // else all are 1
  double of(std::uint32_t slot) const {
    const auto found = weights_.find(features_.id(slot));
    return found == weights_.end() ? 1 : found->second;
  }

 private:
  const FeatureMap& features_;
  bool given_;
  std::unordered_map<std::uint64_t, double> weights_;  // by feature id
};

OptionInfo ball_weights_option();

}  // namespace thresh
