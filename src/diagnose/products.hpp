// Products of the data with vectors, one pass over the rows each. X is never stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "diagnose/passes.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

// Some columns of the data, renumbered.
class ColumnSet {
 public:
  ColumnSet(std::span<const std::uint32_t> slots, std::size_t slot_end) : size_(slots.size()) {
    numbers_.ensure(slot_end);
    for (std::uint32_t i = 0; i < slots.size(); ++i) numbers_[slots[i]] = i + 1;
  }
  std::size_t size() const { return size_; }

  // <x, v> over these columns.
  double dot(const Row& row, const double* v) const {
    double sum = 0;
    for (std::size_t k = 0; k < row.size; ++k) {
      if (const std::uint32_t at = numbers_[row.slots[k]]; at != 0)
        sum += row.values[k] * v[at - 1];
    }
    return sum;
  }
  void add(const Row& row, double factor, double* sums) const {
    for (std::size_t k = 0; k < row.size; ++k) {
      if (const std::uint32_t at = numbers_[row.slots[k]]; at != 0) {
        sums[at - 1] += factor * row.values[k];
      }
    }
  }

 private:
  ZeroedArray<std::uint32_t> numbers_;  // by slot, from 1
  std::size_t size_;
};

// Puts sum_i f_i x_i into `sums`, where f_i = factor(i, <x_i, v>, row) is called in row order.
// <x, v> gives X'Xv, u_i gives X'u; a factor that records <x, v> and returns 0 gives Xv.
template <class Factor>
void sum_rows(RowSource& source, const ColumnSet& columns, const double* v, const Factor& factor,
              double* sums, const Watch& watch) {
  std::fill_n(sums, columns.size(), 0.0);
  const auto margins = [&](const RowBlock& block) {
    std::vector<double> made(block.rows());
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = columns.dot(block.row(i), v);
    return made;
  };
  std::size_t number = 0;
  each_block(source, watch, margins, [&](const RowBlock& block, const std::vector<double>& made) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double f = factor(number++, made[i], block.row(i));
      if (f != 0) columns.add(block.row(i), f, sums);
    }
  });
}

}  // namespace thresh
