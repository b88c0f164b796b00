// The facts of the dual points of a proof: many points at once, on all cores, with the same digits
// on any number of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "certify/point_facts.hpp"

namespace thresh {

// What ends the work on a proof early, and who is told about it.
struct ProofLimits {
  std::optional<std::chrono::steady_clock::time_point> until = std::nullopt;
  const std::atomic<bool>* stop = nullptr;  // ends it with Interrupted, once true
  std::function<void(std::uint64_t done, std::uint64_t all)> told = {};
};

// Thrown once it is clear that the time is not enough.
struct ProofTooLarge {
  std::size_t points;  // for which it were enough
};

class TreePoints {
 public:
  // `slots` are the features that matter. The arguments must outlive this object.
  TreePoints(const FeatureFacts& features, const TrainingRows& rows,
             const std::vector<BoundNode>& nodes, const std::vector<std::uint32_t>& slots,
             const ProofLimits& limits);

  // Of a node with a point, for ascending numbers. As many as fit are read in one pass.
  std::shared_ptr<const PointFacts> facts_of(std::size_t node);

 private:
  using Clock = std::chrono::steady_clock;
  class Columns;
  class Quad;

  void read_from(std::size_t node);
  void check_limits() const;

  const FeatureFacts& features_;
  const TrainingRows& rows_;
  const std::vector<BoundNode>& nodes_;
  const std::vector<std::uint32_t>& slots_;
  const ProofLimits& limits_;
  std::vector<FeatureFacts::Scale> scales_;  // of the slots
  std::size_t most_;                         // points of one pass
  std::size_t done_ = 0, all_ = 0;           // points
  Clock::time_point start_ = Clock::now();
  std::deque<std::pair<std::size_t, std::shared_ptr<const PointFacts>>> read_;
};

}  // namespace thresh
