// Finds the k largest of a changing set of magnitudes.
//
// A binary heap with the smallest on top. It stores the place of each slot, so a magnitude changes
// in O(log k). The caller pops what no longer belongs to the k largest. Among equal magnitudes the
// higher feature id is popped first.
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/feature_map.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

class TopHeap {
 public:
  explicit TopHeap(const FeatureMap& features) : features_(features) {}

  void ensure_slots(std::size_t n) { place_.ensure(n); }
  std::size_t size() const { return heap_.size(); }

  // Prefetches what set() will read.
  void prefetch(std::uint32_t slot) const { __builtin_prefetch(&place_[slot]); }

  // A magnitude of 0 removes the slot.
  void set(std::uint32_t slot, double magnitude) {
    const std::uint32_t place = place_[slot];
    if (magnitude == 0) {
      if (place != 0) remove(place - 1);
      return;
    }
    if (place == 0) {
      heap_.push_back({magnitude, slot});
      rise(heap_.size() - 1);
    } else {
      heap_[place - 1].magnitude = magnitude;
      sink(rise(place - 1));
    }
  }

  bool has(std::uint32_t slot) const { return place_[slot] != 0; }
  double smallest() const { return heap_.front().magnitude; }
  std::uint32_t smallest_slot() const { return heap_.front().slot; }

  // Removes the smallest and returns its slot.
  std::uint32_t pop() {
    const std::uint32_t slot = heap_.front().slot;
    remove(0);
    return slot;
  }

  // The items in their places.
  template <class Archive>
  void archive(Archive& a) {
    std::uint64_t slots = place_.size();
    a(slots, heap_);
    if (!a.reads()) return;
    place_ = ZeroedArray<std::uint32_t>();
    a.require(slots <= FeatureMap::kUnknown);
    place_.ensure(slots);
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      a.require(heap_[i].slot < slots && place_[heap_[i].slot] == 0);
      place_[heap_[i].slot] = static_cast<std::uint32_t>(i + 1);
    }
  }

 private:
  struct Item {
    double magnitude;
    std::uint32_t slot;

    template <class Archive>
    void archive(Archive& a) {
      a(magnitude, slot);
    }
  };

  bool goes_first(const Item& a, const Item& b) const {
    if (a.magnitude != b.magnitude) return a.magnitude < b.magnitude;
    return features_.id(a.slot) > features_.id(b.slot);
  }

  void put(std::size_t at, const Item& item) {
    heap_[at] = item;
    place_[item.slot] = static_cast<std::uint32_t>(at + 1);
  }

  std::size_t rise(std::size_t at) {
    const Item item = heap_[at];
    while (at > 0 && goes_first(item, heap_[(at - 1) / 2])) {
      put(at, heap_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, item);
    return at;
  }

  void sink(std::size_t at) {
    const Item item = heap_[at];
    for (std::size_t child; (child = 2 * at + 1) < heap_.size(); at = child) {
      if (child + 1 < heap_.size() && goes_first(heap_[child + 1], heap_[child])) ++child;
      if (!goes_first(heap_[child], item)) break;
      put(at, heap_[child]);
    }
    put(at, item);
  }

  void remove(std::size_t at) {
    place_[heap_[at].slot] = 0;
    const Item last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    put(at, last);
    sink(rise(at));
  }

  const FeatureMap& features_;
  std::vector<Item> heap_;
  ZeroedArray<std::uint32_t> place_;  // of a slot in the heap, counted from 1; 0: none
};

}  // namespace thresh
