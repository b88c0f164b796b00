// A set of slots in which each member knows its place, so that a few features out of millions can
// have arrays of their own size: a bit a slot, and for every 64 of them how many came before.
#pragma once

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
  // From ascending slots.
  explicit Support(std::vector<std::uint32_t> slots) : slots_(std::move(slots)) {
    const std::size_t words = slots_.empty() ? 0 : slots_.back() / 64 + 1;
    bits_.resize(words);
    before_.resize(words);
    for (const std::uint32_t slot : slots_) bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    std::uint32_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
      before_[word] = count;
      count += static_cast<std::uint32_t>(std::popcount(bits_[word]));
    }
  }

  std::size_t size() const { return slots_.size(); }
  const std::vector<std::uint32_t>& slots() const { return slots_; }

  // The slot's place among the members, or kNone.
  std::uint32_t place(std::uint32_t slot) const {
    const std::size_t word = slot / 64;
    if (word >= bits_.size()) return kNone;
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    if ((bits_[word] & bit) == 0) return kNone;
    return before_[word] + static_cast<std::uint32_t>(std::popcount(bits_[word] & (bit - 1)));
  }

 private:
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_;
};

}  // namespace thresh
