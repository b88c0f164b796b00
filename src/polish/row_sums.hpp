// Sums over all rows of a support, on all cores if there are many.
//
// Rows are summed in parts. How many there are follows from the rows alone, so the results do not
// depend on the number of cores; small problems have one part.
//
// Cost: O(entries), and O(columns) for each part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "polish/support_matrix.hpp"
#include "sparse/dense_loops.hpp"
#include "sparse/parallel.hpp"

namespace thresh {

// A direction or a gradient: one number a column, and the intercept's.
struct RidgeVector {
  std::vector<double> weights;
  double intercept = 0;

  void add(const SparseVector& row, double factor) {
    if (factor == 0) return;
    for (std::size_t k = 0; k < row.size; ++k) weights[row.at[k]] += factor * row.values[k];
    intercept += factor;
  }
};

class RowSums {
 public:
  explicit RowSums(const SupportMatrix& rows)
      : rows_(rows), parts_(parts_of(rows.entries(), rows.columns)) {}

  // From two parts on, cores share the work.
  static std::size_t parts_of(std::size_t entries, std::size_t columns) {
    constexpr std::size_t kMostParts = 16;
    constexpr std::size_t kEntries = std::size_t{1} << 17;  // of a part
    constexpr std::size_t kPerColumn = 4;                   // likewise
    const std::size_t part = std::max(kEntries, kPerColumn * columns);
    return std::clamp<std::size_t>(entries / part, 1, kMostParts);
  }

  std::size_t parts() const { return parts_; }

  double product(std::size_t i, std::span<const double> weights) const {
    const SparseVector row = rows_.row(i);
    return sum_in_four(row.size, [&](std::size_t k) { return weights[row.at[k]] * row.values[k]; });
  }

  // sums[i] = intercept + x_i'weights.
  void by_row(std::span<const double> weights, double intercept, std::vector<double>& sums) const {
    for_each_part([&](std::size_t, std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) sums[i] = intercept + product(i, weights);
    });
  }

  // `start` and whatever add_row(i, x_i, sums) adds to the sums for every row.
  template <class AddRow>
  RidgeVector by_column(RidgeVector start, const AddRow& add_row) const {
    more_.resize(parts_ - 1);
    for_each_part([&](std::size_t part, std::size_t first, std::size_t end) {
      RidgeVector& sums = part == 0 ? start : more_[part - 1];
      if (part > 0) {
        sums.weights.assign(rows_.columns, 0);
        sums.intercept = 0;
      }
      for (std::size_t i = first; i < end; ++i) add_row(i, rows_.row(i), sums);
    });
    for (const RidgeVector& part : more_) {
      add_scaled(start.weights.data(), 1, part.weights.data(), rows_.columns);
      start.intercept += part.intercept;
    }
    return start;
  }

 private:
  template <class Work>
  void for_each_part(const Work& work) const {
    const std::size_t n = rows_.rows();
    const auto one = [&](std::size_t part) {
      work(part, part * n / parts_, (part + 1) * n / parts_);
    };
    if (parts_ == 1) return one(0);
    parallel_for(parts_, one);
  }

  const SupportMatrix& rows_;
  std::size_t parts_;
  mutable std::vector<RidgeVector>
      more_;  // sums of all parts but the first, kept for the next call
};

}  // namespace thresh
