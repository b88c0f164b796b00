// How many steps suffice for an accuracy epsilon, by the theorems of Shalev-Shwartz & Tewari, and
// their runtime bounds (2) to (4) side by side.
#pragma once

#include "diagnose/findings.hpp"
#include "thresh/fit.hpp"

namespace thresh {

struct RuntimeOptions {
  double epsilon = 0;  // allowed distance of the objective from the minimum
  double lambda = 1e-4;
  double delta = 0.05;  // of Theorem 2
  Loss loss = Loss::logistic;
  bool exact_optimum = false;  // |w*| by solver l1, not P(0)/lambda
};

Section runtime_findings(const Problem& rows, const Overview& overview,
                         const RuntimeOptions& options, const Watch& watch = {});

}  // namespace thresh
