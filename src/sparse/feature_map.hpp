// Maps a feature's index to its slot in the weight array.
//
// Solvers see dense 32-bit slots only. A feature index below the identity limit is its own slot.
// Any other (indices go up to 2^40) gets the next free slot above the limit, from a hash table. So
// ordinary data cost one comparison, and huge sparse index spaces need no separate solver.
//
// A map may know the features of a share of all slices only. All others have no slot, so rows lose
// them when they are read.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "sparse/random.hpp"
#include "sparse/slices.hpp"
#include "thresh/error.hpp"

namespace thresh {

class FeatureMap {
 public:
  static constexpr std::uint64_t kMaxIndex = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kIdentityLimit = std::uint64_t{1} << 27;
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  // If the dimension is known to be too large for a dense array, every feature goes to the table.
  explicit FeatureMap(std::uint64_t dim = 0, std::uint64_t identity_limit = kIdentityLimit)
      : identity_(dim > identity_limit ? 0 : identity_limit), table_begin_(identity_) {}

  // For the features of a share. Those with slots below the limit need no table.
  explicit FeatureMap(const Share& share, std::uint64_t limit = kIdentityLimit)
      : identity_(0), table_begin_(limit), share_(share) {}

  // The slot of a 0-based feature id; kUnknown for a new one once the map is frozen, and for one
  // outside the share.
  std::uint32_t slot(std::uint64_t id) {
    return id < identity_ ? static_cast<std::uint32_t>(id) : other_slot(id);
  }

  // None: all features are here.
  const std::optional<Share>& share() const { return share_; }

  // Ids below this are their own slots.
  std::uint64_t identity_end() const { return identity_; }

  std::uint64_t id(std::uint32_t slot) const {
    if (slot < table_begin_) return share_ ? share_->id(slot) : slot;
    const std::lock_guard lock(mutex_);
    return ids_[slot - table_begin_];
  }

  // The ids of the slots above the identity limit, in order. An empty map takes them over.
  std::vector<std::uint64_t> hashed_ids() const {
    const std::lock_guard lock(mutex_);
    return ids_;
  }
  void preload(const std::vector<std::uint64_t>& ids) {
    for (const std::uint64_t id : ids) hashed_slot(id);
  }

  // From now on, new features above the identity limit are unknown. Prediction needs no slot for
  // them.
  void freeze() { frozen_ = true; }

 private:
  // Mixes the bits well, because the ids of a file are often multiples of one number.
  struct Hash {
    std::size_t operator()(std::uint64_t id) const { return mix(id); }
  };

  std::uint32_t other_slot(std::uint64_t id) {
    if (!share_) return hashed_slot(id);
    if (!share_->has(id)) return kUnknown;
    const std::uint64_t slot = share_->slot(id);
    return slot < table_begin_ ? static_cast<std::uint32_t>(slot) : hashed_slot(id);
  }

  // Reader threads insert while learner threads may ask for ids.
  std::uint32_t hashed_slot(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = slots_.find(id); found != slots_.end()) return found->second;
    if (frozen_) return kUnknown;
    const std::uint64_t slot = table_begin_ + ids_.size();
    if (slot >= kUnknown) throw Error("more than four billion distinct features");
    ids_.push_back(id);
    slots_.emplace(id, static_cast<std::uint32_t>(slot));
    return static_cast<std::uint32_t>(slot);
  }

  std::uint64_t identity_;
  std::uint64_t table_begin_;  // the slot of the first feature in the table
  std::optional<Share> share_;
  bool frozen_ = false;
  mutable std::mutex mutex_;
  tsl::robin_map<std::uint64_t, std::uint32_t, Hash> slots_;
  std::vector<std::uint64_t> ids_;
};

}  // namespace thresh
