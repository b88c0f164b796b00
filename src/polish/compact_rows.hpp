// A copy of rows for products that need not be exact, such as those of conjugate gradients: values
// in single precision, and columns in the order of how many rows have them, so that the numbers of
// frequent columns share cache lines.
//
// Cost: O(entries) to make, about as much as four products; 6 bytes per entry, 8 with more than
// 65,536 columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "polish/row_sums.hpp"
#include "polish/support_matrix.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {

class CompactRows {
 public:
  // Whether single precision has the range of the values.
  static bool can_hold(const SupportMatrix& rows);
  explicit CompactRows(const SupportMatrix& rows);

  // The numbers of the columns, from their order in the rows to that of this copy, and back.
  std::vector<double> arranged(std::span<const double> by_column) const;
  std::vector<double> restored(std::span<const double> by_place) const;

  // sums += curvature x_i x_i'(v, intercept)
  void add_product(std::size_t i, const RidgeVector& v, double curvature, RidgeVector& sums) const {
    visit(i, [&](const auto* at, const float* values, std::size_t n) {
      const double* const weights = v.weights.data();
      const double moved = v.intercept + sum_in_four(n, [&](std::size_t k) {
                             return weights[at[k]] * double{values[k]};
                           });
      const double factor = moved * curvature;
      double* const to = sums.weights.data();
      for (std::size_t k = 0; k < n; ++k) to[at[k]] += factor * double{values[k]};
      sums.intercept += factor;
    });
  }

  // The diagonal of the same products.
  void add_squares(std::size_t i, double curvature, RidgeVector& sums) const {
    visit(i, [&](const auto* at, const float* values, std::size_t n) {
      double* const to = sums.weights.data();
      for (std::size_t k = 0; k < n; ++k) {
        const double value{values[k]};
        to[at[k]] += curvature * value * value;
      }
      sums.intercept += curvature;
    });
  }

 private:
  template <class Use>
  void visit(std::size_t i, const Use& use) const {
    const std::size_t first = starts_[i], n = starts_[i + 1] - first;
    if (near_.empty()) return use(far_.data() + first, values_.data() + first, n);
    use(near_.data() + first, values_.data() + first, n);
  }

  std::vector<std::uint32_t> order_;  // column by place
  std::vector<std::size_t> starts_;   // by row
  std::vector<std::uint16_t> near_;   // places; if they are too many,
  std::vector<std::uint32_t> far_;    // here
  std::vector<float> values_;
};

}  // namespace thresh
