// The last state of a run that was in order, to which it goes back when it gets out of control.
//
// Weights alone, without their zeros: sums, heaps and trees can be begun anew from them, as from a
// model file, and 100 million features cost no more than those of them that have a weight.
#pragma once

#include <string>
#include <vector>

#include "solvers/solver.hpp"

namespace thresh {

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
  std::vector<KeptWeights> kept_;  // one, or one a class
  std::uint64_t examples_ = 0;
};

// How a user asks a solver for smaller steps; "" if there is no way.
std::string smaller_steps(const SolverInfo& info);

// The counters of a run that went back go on where they were.
void copy_counters(const Solver& from, Solver& to);

}  // namespace thresh
