// The last good state of a run, to which it rolls back after a divergence.
//
// Only non-zero weights are saved. Sums, heaps and trees can be rebuilt from them, as from a model
// file, and the memory depends on the support, not on the number of features.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/solver.hpp"

namespace thresh {

// The solvers that have weights: the parts of a multiclass solver, else the solver itself.
template <class AnySolver>  // const or not
std::vector<AnySolver*> leaves(AnySolver& solver) {
  if (solver.parts().empty()) return {&solver};
  std::vector<AnySolver*> found;
  for (const auto& part : solver.parts()) found.push_back(part.get());
  return found;
}

// With --iterate average: make the state the mean over all steps (false if it already was), or
// restore the state before that.
bool show_averages(Solver& solver);
void hide_averages(Solver& solver);

class GoodState {
 public:
  // Saves the settled weights of a solver if all are finite, on all ranks. Returns whether they
  // are.
  bool keep(Solver& solver);
  // Sets them in a new solver, before it begins. Counters of rows and steps continue.
  void restore(Solver& made) const;
  // Makes them the end of a run.
  void end(Solver& solver) const;

  std::uint64_t examples() const { return examples_; }

  // Of a solver with so many leaves and slots.
  void archive(Archive& a, std::size_t leaves, std::uint64_t slots);

 private:
  std::vector<SavedWeights> kept_;  // one, or one per class
  std::uint64_t examples_ = 0;
};

// Decides where a diverged run continues, and with which step.
class Recovery {
 public:
  void begin(Solver& solver);
  // Saves the state if it is good. This scans all slots, so it is done only if the scan is cheap
  // compared with the work since the last one. If `by_examples`, only their number decides when: of
  // the work, each rank has a part.
  void save(Solver& solver, bool by_examples);

  // Rolls back after a divergence, to the last good state. Rolls back to the start if a second
  // divergence follows before a new good state, or if the solver cannot continue from weights.
  void fall_back(bool to_the_start);
  // Halves the steps from the good state on. False if they are too small already.
  bool halve_steps();

  const GoodState& good() const { return good_; }
  bool has_learned() const { return good_.examples() > first_.examples(); }
  double step_scale() const { return step_scale_; }

  void archive(Archive& a, std::size_t leaves, std::uint64_t slots) {
    first_.archive(a, leaves, slots);
    good_.archive(a, leaves, slots);
    a(went_back_, checked_at_);
  }
  void archive_scale(Archive& a) { a(step_scale_); }

 private:
  GoodState first_, good_;
  bool went_back_ = false;        // to good_, and it has not been renewed since
  std::uint64_t checked_at_ = 0;  // accesses or examples at the last check of a state
  double step_scale_ = 1;
};

// Copies the counters, which continue after a rollback.
void copy_counters(const Solver& from, Solver& to);

}  // namespace thresh
