// What readers of sparse and of dense matrices share: ranges of rows, messages, and blocks to fill.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "data/read/cutter.hpp"
#include "data/read/row_scale.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {

inline constexpr std::uint64_t kRowsAtOnce = 16 * kBlockRows;

// Calls work(first, last) for ranges of 0 .. n-1, on all cores.
template <class Work>
void for_row_ranges(std::uint64_t n, const Work& work) {
  const std::uint64_t ranges = (n + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for(ranges, [&](std::size_t i) {
    work(i * kRowsAtOnce, std::min<std::uint64_t>(n, (i + 1) * kRowsAtOnce));
  });
}

template <class Value>
bool is_finite_value(Value value) {
  return std::fabs(value) <= std::numeric_limits<Value>::max();
}

[[noreturn]] inline void refuse_row(std::uint64_t row, const std::string& why) {
  throw UsageError(fmt::format("row {}: {}", row, why));
}
[[noreturn]] inline void refuse_value(std::uint64_t row, std::uint64_t column) {
  refuse_row(row, fmt::format("value of feature {} is not finite", column));
}

// Writes entries to a block whose vectors are longer than they will be.
class RowAppender {
 public:
  RowAppender(std::size_t most, bool normalize, FeatureMap& features, RowBlock& block)
      : normalize_(normalize), features_(features), block_(block), end_(block.slots.size()) {
    block.slots.resize(end_ + most);
    block.values.resize(end_ + most);
  }
  ~RowAppender() {
    block_.slots.resize(end_);
    block_.values.resize(end_);
  }
  RowAppender(const RowAppender&) = delete;
  RowAppender& operator=(const RowAppender&) = delete;

  void add(std::uint64_t column, double value) {
    put(end_, column, value);
    end_ += value != 0 ? 1 : 0;
  }
  // Ends a row that began where the last one ended.
  void end_row() { end_row(block_.starts.back(), end_); }

  // The same for rows whose lengths are known before their entries: end_row() closes gaps.
  void put(std::size_t at, std::uint64_t column, double value) {
    const std::uint32_t slot = features_.slot(column);
    has_unknown_ |= slot == FeatureMap::kUnknown;
    block_.slots[at] = slot;
    block_.values[at] = value;
  }
  void end_row(std::size_t begin, std::size_t end) {
    bool has_zeros = false;
    if (normalize_) has_zeros = normalize_l2(block_.values.data() + begin, end - begin);
    const std::size_t target = block_.starts.back();
    if (begin == target && !has_zeros && !has_unknown_) {
      finish_row(end);
    } else {
      finish_row(move_known(begin, end, target));
    }
  }

 private:
  std::size_t move_known(std::size_t begin, std::size_t end, std::size_t target) {
    for (std::size_t i = begin; i < end; ++i) {
      if (block_.values[i] == 0 || block_.slots[i] == FeatureMap::kUnknown) continue;
      block_.slots[target] = block_.slots[i];
      block_.values[target++] = block_.values[i];
    }
    return target;
  }
  void finish_row(std::size_t end) {
    for (std::size_t i = block_.starts.back(); i < end; ++i) {
      block_.slot_end = std::max(block_.slot_end, std::uint64_t{block_.slots[i]} + 1);
    }
    block_.starts.push_back(end);
    end_ = end;
  }

  bool normalize_;
  FeatureMap& features_;
  RowBlock& block_;
  std::size_t end_;
  bool has_unknown_ = false;
};

}  // namespace thresh
