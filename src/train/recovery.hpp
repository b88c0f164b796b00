// The last state of a run that was in order, to which it goes back when it gets out of control.
//
// Weights alone, without their zeros: sums, heaps and trees can be begun anew from them, as from a
// model file, and 100 million features cost no more than those of them that have a weight.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/solver.hpp"

namespace thresh {

// The solvers that have weights: the parts of one for several classes, else itself.
template <class AnySolver>  // const or not
std::vector<AnySolver*> leaves(AnySolver& solver) {
  if (solver.parts().empty()) return {&solver};
  std::vector<AnySolver*> found;
  for (const auto& part : solver.parts()) found.push_back(part.get());
  return found;
}

// With --iterate average: lets the state be the mean over all steps, and whether it was not yet; or
// what it was before.
bool show_averages(Solver& solver);
void hide_averages(Solver& solver);

class GoodState {
 public:
  // Takes over the settled weights of a solver if they are all finite; whether they are.
  bool keep(const Solver& solver);
  // Gives them to a solver that was just made, before it begins. Rows and steps are counted on.
  void restore(Solver& made) const;
  // Makes them the end of a run.
  void end(Solver& solver) const;

  std::uint64_t examples() const { return examples_; }

 private:
  std::vector<SavedWeights> kept_;  // one, or one a class
  std::uint64_t examples_ = 0;
};

// Where a run goes on that got out of control, and with how small a step.
class Recovery {
 public:
  void begin(const Solver& solver);
  // Remembers the state if it is good. That costs a walk through all slots, so it is done only
  // when that is little beside the work since the last time.
  void save(Solver& solver);

  // It got out of control. Where that happens again before there is a new good state, the old one
  // was not good enough: then, or if a solver cannot go on elsewhere, back to the start.
  void fall_back(bool to_the_start);
  // Half the step from the good state on; false if it is too small already.
  bool halve_steps();

  const GoodState& good() const { return good_; }
  bool has_learned() const { return good_.examples() > first_.examples(); }
  double step_scale() const { return step_scale_; }

 private:
  GoodState first_, good_;
  bool went_back_ = false;               // to good_, and it has not been renewed since
  std::uint64_t accesses_at_check_ = 0;  // when a state was checked last
  double step_scale_ = 1;
};

// The counters of a run that went back go on where they were.
void copy_counters(const Solver& from, Solver& to);

}  // namespace thresh
