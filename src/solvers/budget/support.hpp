// A set of slots with the place of each, so that a few of millions of features can have small
// arrays. It has one bit per slot and a count of earlier members per 64 slots, and the place of
// each rank if places are not in slot order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace thresh {

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

}  // namespace thresh
