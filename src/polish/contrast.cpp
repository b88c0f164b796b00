#include "polish/contrast.hpp"

#include <algorithm>
#include <cmath>

#include "math/elementary.hpp"

namespace thresh {

std::vector<double> contrasts(const SupportMatrix& rows, std::span<const double> targets,
                              double ratio) {
  constexpr double kLeast = 0.05;
  constexpr double kAdded = 0.5;
  struct Sums {
    double positive = 0, all = 0, count = 0;
  };
  std::vector<Sums> columns(rows.columns);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const SparseVector row = rows.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      if (row.values[k] == 0) continue;
      Sums& sums = columns[row.at[k]];
      const double size = rows.weights[i] * std::fabs(row.values[k]);
      sums.all += size;
      if (targets[i] > 0) sums.positive += size;
      sums.count += rows.weights[i];
    }
  }
  if (!(std::isnormal(ratio) && ratio > 0)) ratio = 1;
  std::vector<double> found(rows.columns, kLeast);
  for (std::size_t j = 0; j < found.size(); ++j) {
    const Sums& sums = columns[j];
    if (!(std::isnormal(sums.all) && sums.count > 0)) continue;
    const double positive = sums.count * (sums.positive / sums.all);
    const double negative = std::max(sums.count - positive, 0.0);
    const double contrast =
        std::fabs(portable::log((positive + kAdded) / (negative + kAdded) / ratio));
    if (std::isfinite(contrast)) found[j] = std::max(contrast, kLeast);
  }
  return found;
}

std::vector<double> contrast_shares(const SupportMatrix& rows, std::span<const double> targets,
                                    double ratio) {
  constexpr double kLeastSize = 1e-3;  // of a typical one
  std::vector<double> shares = contrasts(rows, targets, ratio);
  const std::vector<double> sizes = column_sizes(rows);
  double squares = 0;
  for (const double size : sizes) squares += size * size;
  const double typical = std::sqrt(squares / static_cast<double>(sizes.size()));
  if (!std::isnormal(typical)) return shares;
  for (std::size_t j = 0; j < shares.size(); ++j) {
    shares[j] *= std::max(sizes[j] / typical, kLeastSize);
  }
  return shares;
}

}  // namespace thresh
