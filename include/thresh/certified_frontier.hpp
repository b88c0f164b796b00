// A lower bound for the training objective of every number of features.
//
//     thresh::CertifiedFrontier curve = thresh::certify_frontier(problem, options, frontier);
//     for (const auto& size : curve.sizes) std::cout << size.budget << " " << size.bound << "\n";
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "thresh/select.hpp"

namespace thresh {

struct CertifiedSize {
  std::uint64_t budget = 0;
  double objective = 0;  // of the model, on all training rows; of several classes, the sum
  double bound = 0;      // no other model of that many features has a lower one
};

// All sizes have the same objective, that with this ridge, so that they can be compared.
struct CertifiedFrontier {
  double ridge = 0;
  double without_features = 0;  // the objective of the best constant model
  std::vector<CertifiedSize> sizes;
  std::vector<std::string> warnings;  // see add_warnings()
};

// Trains a model for each budget of the frontier on all rows, and certifies it. `options` are those
// of the frontier, of the solver budget. The ridge is that of the options, or the one that had the
// lowest loss on held-out rows. Calls `told` before each size with its number. Throws what
// check_certifiable() and fit() throw, and Interrupted once Options::stop is true.
CertifiedFrontier certify_frontier(const Problem& problem, const Options& options,
                                   const Frontier& frontier,
                                   const std::function<void(std::size_t)>& told = {});

}  // namespace thresh
