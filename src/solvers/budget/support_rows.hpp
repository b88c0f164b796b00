// Restricts rows to a support: the places and values of its features in a row.
//
// If rows are few, and so repeat, results are cached. A row with few features of the support is
// then cheap.
//
// Cost: O(non-zeros of the row), or O(those in the support) if cached.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sparse/compensated_dot.hpp"
#include "sparse/dense_loops.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// A set of slots with the place of each, so that a few of millions of features can have small
// arrays. It has one bit per slot and a count of earlier members per 64 slots, and the place of
// each rank if places are not in slot order.
class Support {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Support() = default;
  // `slots` by place.
  explicit Support(std::vector<std::uint32_t> slots) : slots_(std::move(slots)) {
    const auto last = std::max_element(slots_.begin(), slots_.end());
    const std::size_t words = slots_.empty() ? 0 : *last / 64 + 1;
    bits_.resize(words);
    before_.resize(words);
    for (const std::uint32_t slot : slots_) bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    std::uint32_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
      before_[word] = count;
      count += static_cast<std::uint32_t>(std::popcount(bits_[word]));
    }
    if (!std::is_sorted(slots_.begin(), slots_.end())) arrange();
  }

  std::size_t size() const { return slots_.size(); }
  const std::vector<std::uint32_t>& slots() const { return slots_; }

  // The place of a slot, or kNone.
  std::uint32_t place(std::uint32_t slot) const {
    const std::size_t word = slot / 64;
    if (word >= bits_.size()) return kNone;
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    if ((bits_[word] & bit) == 0) return kNone;
    const std::uint32_t rank =
        before_[word] + static_cast<std::uint32_t>(std::popcount(bits_[word] & (bit - 1)));
    return places_.empty() ? rank : places_[rank];
  }

 private:
  void arrange() {
    std::vector<std::uint32_t> places(slots_.size());
    for (std::uint32_t i = 0; i < slots_.size(); ++i) places[place(slots_[i])] = i;
    places_ = std::move(places);
  }

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> places_;  // by rank of the slot; empty: place = rank
};

struct Met {
  std::uint32_t place;
  double value;
};

// The sum of weight_of(place) times value; `compensated`: with twice the digits.
template <class WeightOf>
double sum_over(std::span<const Met> met, bool compensated, const WeightOf& weight_of) {
  if (compensated) {
    CompensatedDot sum;
    for (const Met& each : met) sum.add(weight_of(each.place), each.value);
    return sum.value();
  }
  return sum_in_four(met.size(),
                     [&](std::size_t i) { return weight_of(met[i].place) * met[i].value; });
}

class SupportRows {
 public:
  // `slots` by place. Values are multiplied by `unit`.
  SupportRows(std::vector<std::uint32_t> slots, double unit, bool remembers)
      : support_(std::move(slots)), unit_(unit), remembers_(remembers) {}

  const std::vector<std::uint32_t>& slots() const { return support_.slots(); }
  std::size_t size() const { return support_.size(); }

  // The row's entries in the support, by ascending place. Valid until the next call.
  std::span<const Met> meet(const Row& row);

 private:
  static constexpr std::size_t kMostRemembered = 1 << 20;  // entries: 16 MB

  std::span<const Met> find(const Row& row);

  Support support_;
  double unit_;
  bool remembers_;
  std::vector<Met> found_;  // a buffer; its beginning is the last row's result
  std::unordered_map<std::uint64_t, std::vector<Met>> memory_;  // by the row's id
  std::size_t remembered_ = 0;                                  // entries
};

}  // namespace thresh
