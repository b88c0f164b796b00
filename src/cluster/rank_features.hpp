// The features of a rank for checkpoints: stored by feature, they can be read by any number of
// ranks, also by one process that has all features.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "sparse/archive.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/cluster.hpp"

namespace thresh {

class RankFeatures : public FeatureStore {
 public:
  explicit RankFeatures(FeatureMap& features) : features_(features) {}

  std::uint64_t id(std::uint32_t slot) const override { return features_.id(slot); }
  std::uint32_t slot(std::uint64_t id) override {
    Archive::require(id < FeatureMap::kMaxIndex);
    static_assert(kElsewhere == FeatureMap::kUnknown);
    return features_.slot(id);
  }
  std::string gather(std::string mine) override {
    if (!features_.share()) return mine;
    std::string all;
    for (const Message& each : features_.share()->comm->gather(std::as_bytes(std::span(mine)))) {
      all.append(reinterpret_cast<const char*>(each.data()), each.size());
    }
    return all;
  }
  bool is_first() const override {
    return !features_.share() || features_.share()->comm->rank() == 0;
  }

 private:
  FeatureMap& features_;
};

}  // namespace thresh
