// When and how the features of the solver `budget` become fewer.
//
// A selection has one learner, or those of all classes that share one budget. Then the classes
// compete: a threshold is the same for all of them, which is one l1 penalty on the sum of their
// losses, and in the quadratic models the feature that costs least to lose in any class is dropped.
// So features go to the classes in which they lower the sum of the losses most.
//
// Cost: once a stage O(features seen) of all learners, or the pivots of choose().
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
  // So many learners will join.
  Selection(const SolverSetup& setup, std::size_t learners);
  void join(BudgetLearner& learner) { learners_.push_back(&learner); }

  // The step with which the current stage ends.
  std::uint64_t stage_end() const;
  // Whether the row of step t is for the quadratic models: at weights that stand still a second
  // pass over the same rows would tell nothing new.
  bool gathers(std::uint64_t t) const { return t <= gathered_until_; }
  // A learner has come to the end of the stage, and waits: with the last one the stage is over, and
  // all have fewer features. Learners may come from different threads.
  void arrive();

  // A run that was interrupted early has more features than it may: the best of them then.
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
  std::uint64_t candidates_;         // that quadratic models have room for
  std::vector<std::uint32_t> kept_;  // slots that must stay, in every learner
  std::vector<BudgetLearner*> learners_;
  std::atomic<std::size_t> arrived_ = 0;
  std::uint64_t stage_ = 0;  // that are over
  std::vector<Stage> plan_;
  std::uint64_t gathered_from_ = 0;            // the step at which the quadratic models were empty,
  std::uint64_t gathered_until_ = kUnlimited;  // and that with which they have seen every row
};

}  // namespace thresh
