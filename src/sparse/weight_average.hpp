// The mean over all steps of weights that change rarely, or all in the same way.
//
// Until a solver changes weight j, it follows
//
//     |w_j| = max(0, |level_j| rise_t - fall_t)
//
// with the rise and fall of step t, which are the same for all weights:
//
//     a weight that does not change    rise 1                     fall 0
//     shrinkage, or a ball             rise 1                     fall = the total so far
//     rda                              rise 1 / (gamma sqrt(t))   fall = lambda sqrt(t) / gamma
//
// So the sum of a weight over many steps follows from the sums of rise and fall, and is brought up
// to date only when the weight changes. A weight becomes zero at the step at which fall / rise
// reaches its level; this ratio never decreases between changes of all levels. A heap of the levels
// finds these weights.
//
// Cost: O(log n) for a change, n the weights that fall, and for each weight that becomes zero; O(1)
// for a step. Two doubles and a 32-bit place per feature, 16 bytes per weight that falls.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "sparse/top_heap.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {

class WeightAverage {
 public:
  explicit WeightAverage(const FeatureMap& features) : falling_(features) {}

  void ensure_slots(std::size_t n) {
    level_.ensure(n);
    sum_.ensure(n);
    falling_.ensure_slots(n);
  }

  // From the next step on the weight has this level and falls.
  void fall_from(std::uint32_t slot, double level) { change(slot, level, std::fabs(level)); }
  // From the next step on the weight is `weight` times the rise, without any fall.
  void stay_at(std::uint32_t slot, double weight) { change(slot, weight, 0); }
  // For a weight that never gets a level: adds its value in the next step.
  void add(std::uint32_t slot, double weight) { sum_[slot] += weight; }

  // Counts a step. Levels up to fall / rise, the floor, are zero in it and until they change.
  void step(double intercept, double rise = 1, double fall = 0, double floor = 0) {
    while (falling_.size() > 0 && falling_.smallest() <= floor) {
      fall_from(falling_.smallest_slot(), 0);
    }
    rises_ += rise;
    falls_ += fall;
    intercepts_ += intercept;
    ++steps_;
  }

  std::uint64_t steps() const { return steps_; }
  double intercept() const { return intercepts_ / static_cast<double>(steps_); }
  double at(std::uint32_t slot) const {
    return (sum_[slot] + since_start(slot)) / static_cast<double>(steps_);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(level_, sum_, falling_, rises_, falls_, intercepts_, steps_);
  }

 private:
  // With a magnitude of 0 the weight does not fall.
  void change(std::uint32_t slot, double level, double magnitude) {
    if (level == 0 && std::as_const(level_)[slot] == 0) return;  // no write: pages stay untouched
    sum_[slot] += since_start(slot);
    level_[slot] = level;
    falling_.set(slot, magnitude);
    sum_[slot] -= since_start(slot);
  }

  // The sum that the weight would have if it had had its level from the first step on.
  double since_start(std::uint32_t slot) const {
    const double level = level_[slot];
    if (!falling_.has(slot)) return level * rises_;
    return std::copysign(1, level) * (std::fabs(level) * rises_ - falls_);
  }

  ZeroedArray<double> level_;
  ZeroedArray<double> sum_;  // the part of the sum that since_start() lacks
  TopHeap falling_;          // levels of the weights that fall
  double rises_ = 0;
  double falls_ = 0;
  double intercepts_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace thresh
