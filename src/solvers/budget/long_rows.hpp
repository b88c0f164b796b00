// Rows that are far longer than typical ones count for less.
//
// Else one of them alone would decide: roots of sums of squares would stand still, and beside its
// products those of all other rows vanish in rounding, until no pivot is left.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sparse/sum_in_four.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class LongRows {
 public:
  // `unit` makes typical rows as long as 1; `rows` of a pass, 0 if nobody knows.
  LongRows(double unit, std::uint64_t rows) : unit_(unit), rows_(rows) {}

  // What the row of step t counts for: its weight; if it is too long, so much less that its square
  // is that of one that is just short enough.
  double weight_of(const Row& row, std::uint64_t t) {
    const bool all_met = rows_ > 0 && t > rows_;
    if (all_met && longest_squares_ == 0) return row.weight;
    const double squares = sum_in_four(row.size, [&](std::size_t i) {
      const double value = row.values[i] * unit_;
      return value * value;
    });
    if (squares <= kLongest * kLongest) return row.weight;
    if (!all_met) ++count_;
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
        "(--normalize l2 makes all rows alike)",
        count_ > 1 ? fmt::format("{} rows are far too long; ", count_) : "", longest_ + 1,
        std::sqrt(longest_squares_), kLongest)};
  }

 private:
  static constexpr double kLongest = 1000;  // in lengths of a typical row

  double unit_;
  std::uint64_t rows_;
  double longest_squares_ = 0;  // of the longest row, if it is too long
  std::uint64_t longest_ = 0;
  std::uint64_t count_ = 0;  // too long; in all passes if nobody knows where one ends
};

}  // namespace thresh
