// What the cells of a column are, counted over all rows: the basis for deciding what the column is.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/table/cell.hpp"

namespace thresh {

// Estimates the number of distinct hashes from the smallest ones. Exact up to kSmallest of them,
// otherwise within about 3%.
class DistinctCount {
 public:
  void add(std::uint64_t hash);
  void merge(const DistinctCount& other);
  double estimate() const;

 private:
  void tidy() const;

  static constexpr std::size_t kSmallest = 1024;
  mutable std::vector<std::uint64_t> hashes_;
  mutable std::uint64_t below_ = std::numeric_limits<std::uint64_t>::max();  // no others matter
};

class ColumnFacts {
 public:
  void add(const Cell& cell);
  // Adds the facts of the rows that follow these. Holds fewer than 2 * `held` of the numbers.
  void merge(const ColumnFacts& later, std::size_t held);

  std::uint64_t cells() const { return empty + na + values(); }
  // Cells that are not missing.
  std::uint64_t values() const { return numbers + no_numbers + words; }
  double distinct() const { return distinct_.estimate(); }
  // Whether the numbers count the rows, of which some may be gone: ascending integers from about 0
  // or 1 on, or all of them in any order.
  bool counts_rows() const;
  // The mean of the numbers without the smallest and the largest twentieth; none without numbers.
  std::optional<double> trimmed_mean() const;
  // The mean date, as days since 1970.
  double mean_day() const {
    return dates == 0 ? 0 : static_cast<double>(days) / static_cast<double>(dates);
  }

  std::uint64_t empty = 0, na = 0, numbers = 0, no_numbers = 0, words = 0;
  std::uint64_t integers = 0, leading_zeros = 0;  // of the numbers; 007 has a leading zero
  std::uint64_t dates = 0;                        // of numbers and words
  std::uint64_t blanks = 0;                       // in the words
  std::uint64_t notations = 0;                    // words like 1.234,5 or $9 or 20%
  std::string notation;                           // the first of them
  std::optional<std::int64_t> latest;             // date, as days since 1970
  std::int64_t days = 0;                          // sum of the dates
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

 private:
  DistinctCount distinct_;
  std::optional<double> first_, last_;  // number
  bool ascends_ = true;
  std::vector<double> sample_;  // every stride_-th number
  std::uint64_t stride_ = 1;
  std::uint64_t seen_ = 0;  // numbers merged
};

}  // namespace thresh
