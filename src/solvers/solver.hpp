// The interface between the training loop and a solver.
//
// A RowSolver is shown rows one after another. A MatrixSolver has all rows and columns in memory
// and takes its own steps. Virtual calls happen once per span of rows or steps, never per row. All
// state that a resume needs is in the solver's members.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sparse/archive.hpp"
#include "sparse/weight_array.hpp"
#include "sparse/weight_average.hpp"
#include "thresh/fit.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// A linear model during training. Deferred work is missing until the solver has settled.
struct LinearState {
  WeightArray weights;  // and what the solver stores beside each
  double intercept = 0;
  std::uint64_t nonzeros = 0;  // of weights
  std::uint64_t t = 0;         // steps (rows, batches, coordinates), never reset
  std::uint64_t examples = 0;  // rows visited; for coordinate solvers the same as t
  std::uint64_t updates = 0;   // steps that changed something
  std::uint64_t accesses = 0;  // stored x_ij read
  std::uint64_t mistakes = 0;  // wrong predictions, made before learning from the row

  // Calls work(slot, weight) for the weights that are not 0.
  template <class Work>
  void for_each_weight(const Work& work) const {
    for (std::uint32_t slot = 0; slot < weights.size(); ++slot) {
      if (weights[slot] != 0) work(slot, weights[slot]);
    }
  }

  void archive(Archive& a) {
    a(weights, intercept);
    a.added_up(nonzeros);
    a(t, examples, updates);
    a.added_up(accesses);
    a(mistakes);
    if (!a.reads() || !a.by_feature() || weights.size() == 0) return;
    nonzeros = 0;
    for_each_weight([&](std::uint32_t, double) { ++nonzeros; });
  }

  // Sets a weight and updates the count of non-zeros.
  void set(std::uint32_t slot, double weight) {
    double& now = weights[slot];
    nonzeros += static_cast<std::uint64_t>(weight != 0) - static_cast<std::uint64_t>(now != 0);
    now = weight;
  }
};

// How far a solver may go before it returns.
struct Until {
  std::uint64_t nonzeros = kUnlimited;  // return once the support is this large
  std::uint64_t steps = kUnlimited;     // return once t is this large
};

// A model without its zeros.
struct SavedWeights {
  std::vector<std::pair<std::uint32_t, double>> weights;  // by slot, ascending
  double intercept = 0;

  // Its slots are below `end`.
  void archive(Archive& a, std::uint64_t end) {
    a.by_slot(weights, end);
    a(intercept);
  }
};

inline void archive(Archive& a, Status& status) {
  a.choice(status.outcome, Outcome::diverged);
  a(status.reason);
}

// Where a solver detected divergence: the largest term of a margin.
struct Runaway {
  std::optional<std::uint64_t> row;   // the row's id
  std::optional<std::uint32_t> slot;  // none: the intercept
  double weight = 0;
  double value = 0;  // of the feature in that row

  void archive(Archive& a) { a(row, slot, weight, value); }
};

class RowSolver;
class MatrixSolver;
class SliceSums;

class Solver {
 public:
  virtual ~Solver() = default;

  // This object as the kind of solver that it is; the other one is null.
  virtual RowSolver* row_solver() { return nullptr; }
  virtual MatrixSolver* matrix_solver() { return nullptr; }

  // The state already has the weights of the model to start from.
  virtual void begin() {}
  // From now on slots 0 .. n-1 may occur.
  virtual void ensure_slots(std::size_t n) {
    state_.weights.ensure(n);
    if (average_) average_->ensure_slots(n);
  }

  // Applies all deferred work. Afterwards the state is exactly what the formulas define.
  void settle() {
    if (!closed_) do_settle();
  }

  // The loss part of the traced objective: the weighted sum over rows.
  virtual double loss(std::span<const double> margins, std::span<const Row> rows) const = 0;
  // How the error of a regression follows from the mean loss: times this; none: it is an RMSE.
  std::optional<double> error_in_losses;
  // The rest of the objective. The state is settled.
  virtual double penalty() const { return 0; }

  // Whether a pass without an update implies that further passes change nothing.
  virtual bool done_without_update() const { return false; }
  // Whether state().nonzeros is correct after every step, without settling. Such a solver also
  // saves the last state within the feature budget itself.
  virtual bool counts_freely() const { return false; }
  // The number of non-zeros after settling, if counting them is cheaper than settling.
  virtual std::optional<std::uint64_t> settled_nonzeros() { return std::nullopt; }
  // Whether a step adds at most as many non-zeros as the rows since the last step have entries.
  // Then a support far below the budget need not be counted after every row.
  virtual bool grows_by_entries() const { return false; }
  // Whether progressive errors (each row predicted before it is learned) are counted.
  virtual bool counts_mistakes() const { return true; }

  // All that changes after begin(). Called between two calls of visit() or advance(); to read,
  // after begin(). A derived class adds its own members.
  virtual void archive(Archive& a);
  // What of all rows it must know in advance, so that it cannot go on with new ones; "" if nothing.
  virtual std::string needs_in_advance() const { return ""; }
  // The rows so far will not come again: ids of later ones start at 0.
  virtual void forget_rows() {}

  // Makes its margins, with --slices; else null.
  virtual SliceSums* slice_sums() { return nullptr; }
  // state().nonzeros, of all ranks that share the slices. An exchange if there are several.
  std::uint64_t all_nonzeros();

  // What the papers prove about this run.
  virtual std::vector<Finding> theory() const { return {}; }

  // The compression set: ids of the rows that caused updates, ascending. Empty if not tracked.
  virtual std::vector<std::uint64_t> compression_set() const { return {}; }

  LinearState& state() { return state_; }
  const LinearState& state() const { return state_; }
  // Set once the solver has ended the training.
  const std::optional<Status>& ended() const { return ended_; }

  // Details of a divergence; none if unknown.
  const std::optional<Runaway>& runaway() const { return runaway_; }
  // Messages for the user about the chosen steps.
  virtual std::vector<std::string> warnings() const { return {}; }
  // The eta that the solver chose itself, if any, before any divergence reduced it.
  virtual std::optional<double> chosen_eta() const { return std::nullopt; }

  // The settled weights; none if some are not finite.
  std::optional<SavedWeights> finite_weights() const;
  // Makes these weights the state. No learning is allowed afterwards.
  void end_at(const SavedWeights& kept);

  // With --iterate average: makes the settled state the mean over all steps so far, temporarily or
  // for good. False if there is no mean, or if it is the state already.
  bool show_average();
  void hide_average();

  // Saves the settled state if it is within the feature budget.
  virtual void save_within(std::uint64_t budget);
  // Takes over the state that another solver saved.
  void take_saved(Solver& from) { saved_ = std::move(from.saved_); }
  // Returns to the last saved state (initially: no features): go_back_within() only if the settled
  // state exceeds the budget, go_back() always. No learning is allowed afterwards.
  virtual void go_back_within(std::uint64_t budget);
  void go_back();

  // The number of models of this run: one, plus those recorded during the run. After training,
  // show() makes one of them the state.
  virtual std::size_t results() const { return 1; }
  virtual void show(std::size_t /*result*/) {}
  // Writes the options of the model shown where they differ from those of the run.
  virtual void note_options(Options& /*options*/) const {}

  // With more than two classes: one solver per class; the state then has only counters.
  virtual std::span<const std::unique_ptr<Solver>> parts() const { return {}; }

 protected:
  virtual void do_settle() {}
  virtual double mean_of_steps(std::uint32_t slot) const { return average_->at(slot); }
  // The slots that may have weights after settling, if known.
  virtual const std::vector<std::uint32_t>* weighted_slots() const { return nullptr; }
  void save();

  // Ends the training at a row with a margin out of bounds, or for another reason. The caller,
  // which knows all options, adds advice for the user.
  void diverge(const Row& row);
  void diverge(const char* reason, std::optional<Runaway> at = std::nullopt);

  LinearState state_;
  std::optional<Status> ended_;
  std::optional<Runaway> runaway_;
  std::unique_ptr<WeightAverage> average_;  // of all steps; null: not asked for

 private:
  SavedWeights saved_;
  std::optional<LinearState> hidden_;  // by show_average()
  bool closed_ = false;
};

class RowSolver : public Solver {
 public:
  RowSolver* row_solver() final { return this; }
  // Learns from the rows in order. Returns the number of rows visited: all, or fewer if `until` was
  // reached or training ended.
  virtual std::size_t visit(std::span<const Row> rows, const Until& until) = 0;
  // Called after all rows of a pass: finishes an incomplete batch.
  virtual void end_pass() {}
};

// A RowSolver that only needs the slope of the loss at a row. The caller may compute it: the slope
// of the multinomial loss depends on the margins of all classes.
class SlopeSolver : public RowSolver {
 public:
  // <w,x> + intercept, with deferred work taken into account.
  virtual double margin(const Row& row) = 0;
  // Learns from the row of the last margin() call.
  virtual void learn(const Row& row, double slope) = 0;
  // Called if the margin is out of bounds.
  void give_up(const Row& row) { diverge(row); }
};

class Matrix;

class MatrixSolver : public Solver {
 public:
  MatrixSolver* matrix_solver() final { return this; }
  std::string needs_in_advance() const override { return "all rows"; }
  // Called once, before begin().
  virtual void load(std::shared_ptr<const Matrix> matrix) = 0;
  virtual std::uint64_t steps_per_pass() const = 0;
  // Takes up to n steps, fewer if `until` is reached or training ends.
  virtual void advance(std::uint64_t n, const Until& until) = 0;
};

// A step so large that the radius is lost in rounding: all weights would become zero.
inline constexpr const char* kBallVanished = "a step is too large for the radius";

// Step sizes eta_t.
class StepSize {
 public:
  StepSize(double eta, Schedule schedule) : eta_(eta), schedule_(schedule) {}
  double at(std::uint64_t t) const {
    switch (schedule_) {
      case Schedule::constant:
        return eta_;
      case Schedule::sqrt:
        return eta_ / std::sqrt(static_cast<double>(t));
      case Schedule::inverse:
        return eta_ / static_cast<double>(t);
    }
    return eta_;
  }

 private:
  double eta_;
  Schedule schedule_;
};

}  // namespace thresh
