// The ridge of the quadratic model of the solver `budget`, computed by its definition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace thresh {

// The ridge of each column is a mean over rows. A row where the column is 0 gives 0.1. Any other
// gives 0.1 times the column's mean square there (squares of at most 1), relative to the mean of
// that over all columns that occur, but at least 1e-6.
inline std::vector<double> budget_ridges(const std::vector<std::vector<double>>& rows,
                                         std::size_t columns) {
  if (rows.empty()) return std::vector<double>(columns, 0.1);
  std::vector<double> sizes(columns);
  double sum = 0;
  double occur = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    double squares = 0;
    double times = 0;
    for (const std::vector<double>& x : rows) {
      squares += std::min(x[j] * x[j], 1.0);
      times += x[j] != 0;
    }
    if (times > 0) sizes[j] = squares / times;
    sum += sizes[j];
    occur += times > 0;
  }
  std::vector<double> ridges(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    for (const std::vector<double>& x : rows) {
      const double of_row = x[j] != 0 ? std::max(sizes[j] / (sum / occur), 1e-6) : 1;
      ridges[j] += 0.1 * of_row / static_cast<double>(rows.size());
    }
  }
  return ridges;
}

}  // namespace thresh
