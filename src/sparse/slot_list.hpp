// A list of slots, each at most once.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/zeroed_array.hpp"

namespace thresh {

class SlotList {
 public:
  // Makes slots 0 .. n-1 usable.
  void ensure_slots(std::size_t n) { has_.ensure(n); }

  void add(std::uint32_t slot) {
    if (has_[slot] != 0) return;
    has_[slot] = 1;
    slots_.push_back(slot);
  }

  template <class Predicate>
  void drop_if(Predicate&& drops) {
    std::erase_if(slots_, [&](std::uint32_t slot) {
      if (!drops(slot)) return false;
      has_[slot] = 0;
      return true;
    });
  }

  const std::vector<std::uint32_t>& slots() const { return slots_; }

  // Slots that were added must be usable when it is read.
  template <class Archive>
  void archive(Archive& a) {
    a.below(a.reads() ? has_.size() : ~std::uint64_t{0}, slots_);
    for (std::size_t i = 0; a.reads() && i < slots_.size(); ++i) has_[slots_[i]] = 1;
  }

 private:
  std::vector<std::uint32_t> slots_;
  ZeroedArray<char> has_;
};

}  // namespace thresh
