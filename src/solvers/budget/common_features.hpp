// With --slices, where the threshold has left few features: from there on a learner of the solver
// `budget` works on these features of all ranks together. A feature has a place in the order of
// ids instead of a slot, and rows are narrowed to them, so that all ranks do the same on the same
// numbers. A process alone does it in the same way, and so learns the same model.
//
// Cost: an exchange per span of rows, of 16 bytes for each of their entries in these features; one
// number per feature.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solvers/solver.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/cluster.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class CommonFeatures {
 public:
  explicit CommonFeatures(const FeatureMap& features) : features_(features) {}

  // Gives places to the features with weights on any rank. An exchange.
  void begin(const LinearState& own);
  std::size_t size() const { return state_.weights.size(); }

  // Weights by place, and the intercept; counters are not used.
  LinearState& state() { return state_; }
  const LinearState& state() const { return state_; }
  // Copies the weights of the features that are here.
  void publish(LinearState& own) const;

  // The rows with places instead of slots, of all ranks. Valid until the next call. An exchange.
  std::span<const Row> narrow(std::span<const Row> rows);

  void archive(Archive& a);

 private:
  void find_places();
  Message message_of(std::span<const Row> rows) const;
  void merge(std::span<const Row> rows, const std::vector<Message>& all);

  const FeatureMap& features_;
  LinearState state_;                                  // by place
  std::vector<std::pair<std::uint32_t, double>> own_;  // slots that are here, with their places

  std::vector<std::uint32_t> place_of_slot_;  // made from own_; kNone: it has none
  std::vector<Row> rows_;
  std::vector<std::uint32_t> places_;
  std::vector<double> values_;
};

// Of the positive scores that each rank has, the one that exactly n others exceed or equal, if it
// is the smallest of its equals; 0 if all of them are at most n. As cut_for() of them together.
double cut_anywhere(const FeatureMap& features, std::uint64_t n, std::span<const double> scores);

}  // namespace thresh
