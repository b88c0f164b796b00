// How good the current weights are on some rows, seen from the training loop.
#pragma once

#include "data/feeder.hpp"
#include "solvers/solver.hpp"

namespace thresh {

struct Score {
  double loss = 0;    // mean by weight, of the solver's traced objective
  double error = 0;   // share of wrong rows by weight; RMSE for regression
  double weight = 0;  // 0: there were no rows
};

Score score(Solver& solver, const std::shared_ptr<RowSource>& source, const RowView& view);

}  // namespace thresh
