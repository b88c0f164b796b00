// Decides when and how the solver `budget` reduces its features.
//
// A selection has one learner, or one per class if the classes share a budget. Then the classes
// compete: all have the same threshold, which is one l1 penalty on the sum of their losses, and in
// the quadratic models the feature that is cheapest to drop in any class is dropped. So features go
// to the classes where they lower the sum of the losses most.
//
// Cost per stage: O(features seen) of all learners, or the pivots of choose().
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "solvers/budget/plan.hpp"
#include "solvers/catalog.hpp"

namespace thresh {

class BudgetLearner;

class Selection {
 public:
  // `learners` is the number of learners that will join.
  Selection(const SolverSetup& setup, std::size_t learners);
  void join(BudgetLearner& learner) { learners_.push_back(&learner); }
  // The run ends with the features of the budget, found by thresholds and not refitted. Before the
  // first row.
  void only_select() { only_selects_ = true; }

  // The last step of the current stage.
  std::uint64_t stage_end() const;
  // Whether the quadratic models use the row of step t. The weights are fixed, so a second pass
  // over the same rows would add nothing.
  bool gathers(std::uint64_t t) const { return t <= gathered_until_; }
  // Called by each learner at the end of a stage. The last call ends the stage and reduces the
  // features of all learners. Thread-safe.
  void arrive();

  // Between two rows of all learners.
  void archive(Archive& a) {
    a(stage_, plan_, gathered_from_, gathered_until_);
    a.require(stage_ <= stages_ && plan_.size() <= stages_);
  }

  // Reduces a run that was interrupted early, and is over the budget, to its best features.
  void go_back_within(std::uint64_t budget);

 private:
  void end_stage();
  void select(const Stage& stage);
  void narrow_to(std::uint64_t features, std::uint64_t most_of_each);
  void choose_best(std::uint64_t features);
  void keep_largest_weights(std::uint64_t features);
  std::uint64_t steps_done() const;
  std::uint64_t nonzeros() const;

  std::vector<std::uint64_t> budgets_;  // descending
  std::uint64_t steps_;                 // of the whole run
  std::uint64_t rows_;
  std::uint64_t stages_;
  std::uint64_t candidates_;    // capacity of the quadratic models
  const FeatureMap* features_;  // slots to feature ids
  bool only_selects_ = false;
  std::vector<std::uint32_t> kept_;  // slots of required features, in every learner
  std::vector<BudgetLearner*> learners_;
  std::atomic<std::size_t> arrived_ = 0;
  std::uint64_t stage_ = 0;  // finished stages
  std::vector<Stage> plan_;
  std::uint64_t gathered_from_ = 0;            // the step at which the quadratic models were empty
  std::uint64_t gathered_until_ = kUnlimited;  // the step after which they have seen every row
};

}  // namespace thresh
