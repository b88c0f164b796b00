// The guard against divergence. A solver stops at a margin out of bounds. The guard finds row and
// feature. It continues from the last good weights with a new solver that takes half the step, or
// ends the run at those weights.
//
// It owns the solver because it replaces it. The loops tell it which rows the solver is shown, and
// when the state may be saved as a good one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/feed/window.hpp"
#include "train/make_solver.hpp"
#include "train/recovery.hpp"
#include "train/setup.hpp"

namespace thresh {

class Matrix;

class Guard {
 public:
  // Makes the solver.
  explicit Guard(RunContext& run);

  Solver& solver() { return *solver_; }  // replaced after a divergence
  const Solver& solver() const { return *solver_; }
  double eta() const { return eta_; }
  const std::vector<Divergence>& divergences() const { return divergences_; }
  // A text for Status::reason; "" if the run never diverged.
  std::string summary() const;

  // Call it when the initial weights are in the solver.
  void begin() { recovery_.begin(*solver_); }
  // Sets the rows that the solver sees from now on: a window (null: none) or a matrix.
  void show(const Window* window) { window_ = window; }
  void load(std::shared_ptr<const Matrix> matrix);
  // Saves the state if it is good.
  void save() { recovery_.save(*solver_, slices_of(run_.options) > 0); }
  // The solver, the last good state and the divergences. To read, after begin() of both.
  void archive(Archive& a);

  // The solver ended with a divergence: rolls back. None if the run continues.
  std::optional<Status> on_divergence();
  // The same before the first step, when smaller steps would change nothing.
  Status end_at_once() { return end_with(describe()); }
  // Ends the run because a model recorded during the run is not finite.
  Status end_at_record();
  // Checks the settled weights at the end of a run. If they are bad, `end` becomes a divergence.
  void check_end(Status& end);

 private:
  Divergence describe() const;
  Divergence divergence_at(std::uint64_t examples, std::string what) const;
  void go_back();
  void make_again();
  void check_last_step(Status& end);
  void check_recovery(Status& end);
  bool margins_in_bounds();
  void note(Divergence divergence);
  Status end_with(Divergence divergence);
  Status end_at_good_state(const std::string& what);

  RunContext& run_;
  double eta_;  // the user's, or a safe one
  Recovery recovery_;
  std::unique_ptr<Solver> solver_;
  std::vector<Divergence> divergences_;
  const Window* window_ = nullptr;
  std::shared_ptr<const Matrix> matrix_;
};

}  // namespace thresh
