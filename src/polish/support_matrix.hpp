// Rows restricted to a few features, in memory. A converged fit visits them dozens of times.
//
// Cost: one pass over the rows; 12 bytes per entry, 16 per row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/feed/matrix.hpp"

namespace thresh {

struct SupportMatrix {
  std::size_t columns = 0;
  std::vector<std::size_t> starts{0};  // by row
  std::vector<std::uint32_t> at;       // columns, ascending in a row
  std::vector<double> values;
  std::vector<double> labels, weights;

  std::size_t rows() const { return labels.size(); }
  std::size_t entries() const { return at.size(); }
  SparseVector row(std::size_t i) const {
    return {at.data() + starts[i], values.data() + starts[i], starts[i + 1] - starts[i]};
  }

  void scale_columns(std::span<const double> factors);
  // The same rows with these columns only, in this order. Ascending.
  SupportMatrix only(std::span<const std::uint32_t> kept) const;
};

// The wanted rows of the source. Column i is the feature at slots[i], its values multiplied by
// `unit`. None if there would be more than `most` entries.
std::optional<SupportMatrix> gather_support(const std::shared_ptr<RowSource>& source,
                                            const RowView& view,
                                            const std::vector<std::uint32_t>& slots, double unit,
                                            std::size_t most);

// The root mean square of each column.
std::vector<double> column_sizes(const SupportMatrix& rows);

// Factors 1 / sqrt(s), s the root mean square of each column. On columns scaled by them a ridge is
// a compromise: on raw columns it leaves rare and small ones no weight to speak of, on standardised
// ones it lets them fit noise.
std::vector<double> balancing_factors(const SupportMatrix& rows);

}  // namespace thresh
