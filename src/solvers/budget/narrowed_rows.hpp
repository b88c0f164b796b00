// Rows without the entries at which nobody looks: once candidates are chosen, these are most of
// them. Several learners then share one look at a whole row.
//
// Cost: O(entries of the rows); a bit per slot, 12 bytes per entry of the rows shown together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sparse/parallel.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class NarrowedRows {
 public:
  // From now on only these slots and those added later remain.
  void clear() { bits_.clear(); }
  void add(std::span<const std::uint32_t> slots) {
    for (const std::uint32_t slot : slots) {
      if (slot / 64 >= bits_.size()) bits_.resize(slot / 64 + std::size_t{1});
      bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    }
  }

  // The same rows with these slots only. Valid until the next call.
  std::span<const Row> narrow(std::span<const Row> rows) {
    narrowed_.assign(rows.begin(), rows.end());
    starts_.assign(1, 0);
    for (const Row& row : rows) starts_.push_back(starts_.back() + row.size);
    if (slots_.size() < starts_.back()) {
      slots_.resize(starts_.back());
      values_.resize(starts_.back());
    }
    constexpr std::size_t kTogether = 16;  // rows
    const auto some = [&](std::size_t part) {
      const std::size_t end = std::min(rows.size(), (part + 1) * kTogether);
      for (std::size_t i = part * kTogether; i < end; ++i)
        narrow(rows[i], starts_[i], narrowed_[i]);
    };
    constexpr std::size_t kWorthSharing = 1 << 14;  // entries
    const std::size_t parts = (rows.size() + kTogether - 1) / kTogether;
    if (starts_.back() < kWorthSharing) {
      for (std::size_t part = 0; part < parts; ++part) some(part);
    } else {
      parallel_for(parts, some);
    }
    return narrowed_;
  }

 private:
  void narrow(const Row& row, std::size_t at, Row& narrowed) {
    std::uint32_t* const slots = slots_.data() + at;
    double* const values = values_.data() + at;
    std::size_t size = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
      const std::uint32_t slot = row.slots[i];
      // No branch: it would be unpredictable.
      slots[size] = slot;
      values[size] = row.values[i];
      const std::uint64_t word = slot / 64 < bits_.size() ? bits_[slot / 64] : 0;
      size += word >> (slot % 64) & 1;
    }
    narrowed.slots = slots;
    narrowed.values = values;
    narrowed.size = size;
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> slots_;
  std::vector<double> values_;
  std::vector<Row> narrowed_;
};

}  // namespace thresh
