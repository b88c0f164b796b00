// A matrix whose columns lie in slices, which other ranks may share: products and sums over all of
// its columns, see cluster/slice_sums.hpp. Slopes and rows are the same on all ranks, so a column's
// product needs no exchange.
#pragma once

#include <span>
#include <vector>

#include "cluster/slice_sums.hpp"
#include "data/feed/matrix.hpp"
#include "sparse/random.hpp"

namespace thresh {

class SlicedMatrix {
 public:
  SlicedMatrix(SliceSums& sums, const Matrix& matrix) : sums_(sums), matrix_(matrix) {
    sums.ensure_slots(matrix.slot_end());
  }

  // take(i, product) for all rows, of term(column, value) added up over a row's entries.
  template <class Term, class Take>
  void for_each_row(const Term& term, const Take& take) const {
    const auto add_row = [&](std::size_t i) {
      const SparseVector row = matrix_.row(i);
      sums_.add_terms(row.size, [&](const auto& add) {
        for (std::size_t k = 0; k < row.size; ++k) {
          add(matrix_.slot(row.at[k]), term(row.at[k], row.values[k]));
        }
      });
    };
    sums_.for_each_row(matrix_.rows(), add_row, take);
  }

  // The sum of term(column) over all columns. An exchange.
  template <class Term>
  double sum(const Term& term) const {
    return sums_.sum([&](const auto& add) {
      for (std::size_t j = 0; j < matrix_.columns(); ++j) add(matrix_.slot(j), term(j));
    });
  }

  SliceSums& sums() const { return sums_; }
  // A number from -1/2 to 1/2 for each column, drawn by its feature.
  double draw(std::size_t column) const {
    return Random(mix(sums_.features().id(matrix_.slot(column)))).uniform() - 0.5;
  }

 private:
  SliceSums& sums_;
  const Matrix& matrix_;
};

}  // namespace thresh
