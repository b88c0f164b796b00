#include "polish/support_matrix.hpp"

#include <cmath>

#include "solvers/budget/support_rows.hpp"

namespace thresh {

SupportMatrix SupportMatrix::only(std::span<const std::uint32_t> kept) const {
  std::vector<std::uint32_t> place(columns, Support::kNone);
  for (std::uint32_t i = 0; i < kept.size(); ++i) place[kept[i]] = i;
  SupportMatrix part;
  part.columns = kept.size();
  part.labels = labels;
  part.weights = weights;
  part.starts.reserve(starts.size());
  for (std::size_t i = 0; i < rows(); ++i) {
    for (std::size_t k = starts[i]; k < starts[i + 1]; ++k) {
      if (place[at[k]] == Support::kNone) continue;
      part.at.push_back(place[at[k]]);
      part.values.push_back(values[k]);
    }
    part.starts.push_back(part.at.size());
  }
  return part;
}

void SupportMatrix::scale_columns(std::span<const double> factors) {
  for (std::size_t k = 0; k < entries(); ++k) values[k] *= factors[at[k]];
}

std::vector<double> column_sizes(const SupportMatrix& rows) {
  std::vector<double> squares(rows.columns);
  double weight = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const SparseVector row = rows.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      squares[row.at[k]] += rows.weights[i] * row.values[k] * row.values[k];
    }
    weight += rows.weights[i];
  }
  for (double& square : squares) square = std::sqrt(square / weight);
  return squares;
}

std::vector<double> balancing_factors(const SupportMatrix& rows) {
  std::vector<double> factors = column_sizes(rows);
  for (double& factor : factors) factor = std::isnormal(factor) ? 1 / std::sqrt(factor) : 1;
  return factors;
}

std::optional<SupportMatrix> gather_support(const std::shared_ptr<RowSource>& source,
                                            const RowView& view,
                                            const std::vector<std::uint32_t>& slots, double unit,
                                            std::size_t most) {
  SupportRows support(slots, unit, false);
  SupportMatrix all;
  all.columns = slots.size();
  for_each_window(source, view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      if (all.entries() > most) return;
      for (const Met& met : support.meet(row)) {
        all.at.push_back(met.place);
        all.values.push_back(met.value);
      }
      all.starts.push_back(all.at.size());
      all.labels.push_back(row.label);
      all.weights.push_back(row.weight);
    }
  });
  if (all.entries() > most) return std::nullopt;
  return all;
}

}  // namespace thresh
