// How good the current weights are on some rows, seen from the training loop.
#pragma once

#include <span>
#include <vector>

#include "data/feed/feeder.hpp"
#include "solvers/solver.hpp"

namespace thresh {

struct Score {
  double loss = 0;      // mean by weight, of the solver's traced objective
  double error = 0;     // share of wrong rows by weight; RMSE for regression
  double weight = 0;    // 0: there were no rows
  double error_se = 0;  // the standard error of `error`
  std::uint64_t rows = 0;
};

Score score(Solver& solver, const std::shared_ptr<RowSource>& source, const RowView& view);

// The same for several solvers, which look at the rows together: each row is read once.
std::vector<Score> score_all(std::span<Solver* const> solvers,
                             const std::shared_ptr<RowSource>& source, const RowView& view);

}  // namespace thresh
