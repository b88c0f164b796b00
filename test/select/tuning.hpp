// A small problem on which the choice of settings matters.
#pragma once

#include <string>
#include <vector>

#include "thresh/select.hpp"
#include "tools/problems.hpp"

namespace thresh {

// Labels depend on a few features, with noise.
inline DenseProblem learnable(std::size_t rows = 600) {
  DenseProblem data = random_problem(rows, 30, 0.3, 11);
  Random random(3);
  for (std::size_t i = 2; i < rows; ++i) {
    const auto& x = data.x[i];
    data.y[i] = x[0] - x[1] + 0.7 * x[2] + 0.5 * random.normal() > 0 ? 1 : -1;
  }
  return data;
}

inline std::vector<Candidate> candidates_of(const std::string& grid, Options base) {
  return grid_candidates(base, parse_grid(grid, base.solver));
}

inline Options fobos(std::uint64_t passes = 3) {
  Options options;
  options.solver = "fobos";
  options.passes = passes;
  options.holdout = 0.3;
  return options;
}

}  // namespace thresh
