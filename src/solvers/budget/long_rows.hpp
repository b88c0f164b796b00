// Reduces the weight of rows that are far longer than typical ones.
//
// Otherwise one such row would dominate: the sums of squares would stop the steps of FTRL, and in
// the quadratic model its products would swamp those of all other rows, until no pivot is left.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sparse/dense_loops.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class LongRows {
 public:
  // `unit` scales typical rows to length 1. `rows` is the number per pass, 0 if unknown.
  LongRows(double unit, std::uint64_t rows) : unit_(unit), rows_(rows) {}

  // The weight of the row of step t. For a row that is too long it is reduced so that the weighted
  // squared length equals that of a row of the maximum length.
  double weight_of(const Row& row, std::uint64_t t) {
    if (all_are_short(t)) return row.weight;
    return weight_of(row, t, sum_in_four(row.size, [&](std::size_t i) {
                       const double value = row.values[i] * unit_;
                       return value * value;
                     }));
  }
  // Whether lengths do not matter, because all rows were met and none was too long.
  bool all_are_short(std::uint64_t t) const { return all_met(t) && longest_squares_ == 0; }
  // Of a row whose squares in these units add up to this.
  double weight_of(const Row& row, std::uint64_t t, double squares) {
    if (squares <= kLongest * kLongest) return row.weight;
    if (!all_met(t)) ++count_;
    if (squares > longest_squares_) {
      longest_squares_ = squares;
      longest_ = row.id;
    }
    return row.weight * (kLongest * kLongest / squares);
  }

  std::vector<std::string> warnings() const {
    if (longest_squares_ == 0) return {};
    return {fmt::format(
        "{}row {} is {:.3g} times as long as typical ones: from {:g} times on rows count for less "
        "(check them for wrong units or typing)",
        count_ > 1 ? fmt::format("{} rows are far too long; ", count_) : "", longest_ + 1,
        std::sqrt(longest_squares_), kLongest)};
  }

  template <class Archive>
  void archive(Archive& a) {
    a(longest_squares_, longest_, count_);
  }

 private:
  bool all_met(std::uint64_t t) const { return rows_ > 0 && t > rows_; }

  static constexpr double kLongest = 1000;  // in lengths of a typical row

  double unit_;
  std::uint64_t rows_;
  double longest_squares_ = 0;  // of the longest row, if it is too long
  std::uint64_t longest_ = 0;
  std::uint64_t count_ = 0;  // rows too long; summed over passes if their length is unknown
};

}  // namespace thresh
