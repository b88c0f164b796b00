// Required features (--keep). Each takes a place of the budget, unless it occurs in no row and so
// has no weight. That is known after a full pass; until then all of them take a place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "thresh/rows.hpp"

namespace thresh {

class RequiredFeatures {
 public:
  // `slots` ascend. `rows` is the number of rows of a pass, 0 if unknown.
  RequiredFeatures(std::vector<std::uint32_t> slots, std::uint64_t rows)
      : slots_(std::move(slots)), met_(slots_.size()), rows_(rows) {}

  const std::vector<std::uint32_t>& slots() const { return slots_; }
  bool has(std::uint32_t slot) const {
    return !slots_.empty() && std::binary_search(slots_.begin(), slots_.end(), slot);
  }

  // Must be called for every row.
  void meet(const Row& row) {
    if (slots_.empty() || all_rows_met()) return;
    ++rows_met_;
    for (std::size_t i = 0; i < row.size; ++i) {
      const auto at = std::lower_bound(slots_.begin(), slots_.end(), row.slots[i]);
      if (at != slots_.end() && *at == row.slots[i]) {
        met_[static_cast<std::size_t>(at - slots_.begin())] = 1;
      }
    }
  }

  // The features that take a place, ascending.
  std::vector<std::uint32_t> in_place() const {
    if (!all_rows_met()) return slots_;
    std::vector<std::uint32_t> some;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (met_[i] != 0) some.push_back(slots_[i]);
    }
    return some;
  }

  template <class Archive>
  void archive(Archive& a) {
    a.in_place(met_);
    a(rows_met_);
  }

 private:
  bool all_rows_met() const { return rows_ > 0 && rows_met_ >= rows_; }

  std::vector<std::uint32_t> slots_;
  std::vector<char> met_;  // indexed like slots_
  std::uint64_t rows_;
  std::uint64_t rows_met_ = 0;
};

}  // namespace thresh
