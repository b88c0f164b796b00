// What the training loop knows of a solver.
//
// There are two kinds: a RowSolver is shown rows as they flow by, a MatrixSolver has all rows and
// columns in memory and takes steps on its own. Calls are virtual once per span of rows or steps,
// never per row; everything that matters to a later resume is in the solver's members.
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

#include "sparse/zeroed_array.hpp"
#include "thresh/fit.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// A linear model in the making. What a solver defers is not in here until it has settled.
struct LinearState {
  ZeroedArray<double> weights;  // by slot
  double intercept = 0;
  std::uint64_t nonzeros = 0;  // of weights
  std::uint64_t t = 0;         // steps (rows, batches, coordinates), never reset
  std::uint64_t examples = 0;  // rows visited; for coordinate solvers the same as t
  std::uint64_t updates = 0;   // steps that had something to change
  std::uint64_t accesses = 0;  // stored x_ij read
  std::uint64_t mistakes = 0;  // wrong predictions before the row was learned from

  // Sets a weight and keeps count of the non-zeros.
  void set(std::uint32_t slot, double weight) {
    double& now = weights[slot];
    nonzeros += static_cast<std::uint64_t>(weight != 0) - static_cast<std::uint64_t>(now != 0);
    now = weight;
  }
};

// How far a span of rows or steps may go.
struct Until {
  std::uint64_t nonzeros = kUnlimited;  // return once the support is this large
  std::uint64_t steps = kUnlimited;     // return once t is this large
};

// A model without its zeros.
struct KeptWeights {
  std::vector<std::pair<std::uint32_t, double>> weights;  // by slot, ascending
  double intercept = 0;
};

// Where a solver noticed that it is out of control: the largest part of a margin.
struct Runaway {
  std::optional<std::uint64_t> row;   // its id
  std::optional<std::uint32_t> slot;  // none: the intercept
  double weight = 0;
  double value = 0;  // of the feature in that row
};

class RowSolver;
class MatrixSolver;

class Solver {
 public:
  virtual ~Solver() = default;

  // Itself as the kind that it is; the other is null.
  virtual RowSolver* row_solver() { return nullptr; }
  virtual MatrixSolver* matrix_solver() { return nullptr; }

  // The weights of a model to start from are in the state.
  virtual void begin() {}
  // Slots 0 .. n-1 may occur from now on.
  virtual void ensure_slots(std::size_t n) { state_.weights.ensure(n); }

  // Does whatever was put off: afterwards the state is exactly what the formulas say.
  void settle() {
    if (!closed_) do_settle();
  }

  // The loss part of the traced objective, summed over rows by weight.
  virtual double loss(std::span<const double> margins, std::span<const Row> rows) const = 0;
  // The rest of it. The state is settled.
  virtual double penalty() const { return 0; }

  // Whether a pass without an update means that all further passes would be the same.
  virtual bool done_without_update() const { return false; }
  // Whether state().nonzeros is right after every step, without settling. Then the solver itself
  // also keeps what is within the feature budget.
  virtual bool counts_freely() const { return false; }
  // How many non-zeros settling would leave, if that is cheaper to say than to do.
  virtual std::optional<std::uint64_t> settled_nonzeros() { return std::nullopt; }
  // Whether a step makes at most as many weights non-zero as the rows visited since the one before
  // have entries, so that a support far from a bound need not be counted after every row.
  virtual bool grows_by_entries() const { return false; }
  // Whether progressive error (each row predicted before it is learned from) is counted.
  virtual bool counts_mistakes() const { return true; }

  // What the papers prove about the run so far.
  virtual std::vector<Finding> theory() const { return {}; }

  // The ids of the rows that changed something, ascending, if only some do.
  virtual std::vector<std::uint64_t> kernel() const { return {}; }

  LinearState& state() { return state_; }
  const LinearState& state() const { return state_; }
  // Set once the solver itself ended the training.
  const std::optional<Status>& ended() const { return ended_; }

  // What to say about a run that ended() with a divergence; none: nothing is known.
  const std::optional<Runaway>& runaway() const { return runaway_; }
  // What the user should know about the steps that were chosen.
  virtual std::vector<std::string> warnings() const { return {}; }
  // The eta of its steps, if it chose that itself, before any divergence made steps smaller.
  virtual std::optional<double> chosen_eta() const { return std::nullopt; }

  // The settled weights; none if they are not all finite.
  std::optional<KeptWeights> finite_weights() const;
  // Makes these the state. Nothing may be learned after that.
  void end_at(const KeptWeights& kept);

  // Remembers the settled state if it is within the feature budget.
  virtual void keep_within(std::uint64_t budget);
  // Takes over what another one remembered.
  void take_kept(Solver& from) { kept_ = std::move(from.kept_); }
  // Goes back to the state remembered last (at first: no features at all) if the settled one is
  // over the budget, or in any case. Nothing may be learned after that.
  virtual void go_back_within(std::uint64_t budget);
  void go_back();

  // How many models a run has made: one, unless it recorded others on its way. show() makes one of
  // them the state, once training is over.
  virtual std::size_t results() const { return 1; }
  virtual void show(std::size_t /*result*/) {}
  // Where the model shown was made with other options than the run's: those.
  virtual void note_options(Options& /*options*/) const {}

  // One solver a class if there are more than two; then the state has only counters.
  virtual std::span<const std::unique_ptr<Solver>> parts() const { return {}; }

 protected:
  virtual void do_settle() {}
  // The slots that may have weights once the state is settled, if that is known.
  virtual const std::vector<std::uint32_t>* weighted_slots() const { return nullptr; }
  void keep();

  // Ends the training at a row whose margin is beyond all bounds, or for another reason. What may
  // help is added by those who know all options.
  void diverge(const Row& row);
  void diverge(const char* reason, std::optional<Runaway> at = std::nullopt);

  LinearState state_;
  std::optional<Status> ended_;
  std::optional<Runaway> runaway_;

 private:
  KeptWeights kept_;
  bool closed_ = false;
};

class RowSolver : public Solver {
 public:
  RowSolver* row_solver() final { return this; }
  // Learns from the rows in order and says how many it visited: all of them, or fewer when `until`
  // was reached or training came to its end.
  virtual std::size_t visit(std::span<const Row> rows, const Until& until) = 0;
  // All rows of a pass have been visited: what waits for a full batch must wait no longer.
  virtual void end_pass() {}
};

// A RowSolver that only needs the slope of the loss at a row, which others may work out: the slope
// of the multinomial loss depends on the margins of all classes.
class SlopeSolver : public RowSolver {
 public:
  // <w,x> + intercept, whatever was put off.
  virtual double margin(const Row& row) = 0;
  // Learns from a row that has just been asked for its margin.
  virtual void learn(const Row& row, double slope) = 0;
  // The margin was beyond all bounds.
  void give_up(const Row& row) { diverge(row); }
};

class Matrix;

class MatrixSolver : public Solver {
 public:
  MatrixSolver* matrix_solver() final { return this; }
  // Called once, before begin().
  virtual void load(std::shared_ptr<const Matrix> matrix) = 0;
  virtual std::uint64_t steps_per_pass() const = 0;
  // Takes up to n steps, fewer when `until` was reached or training came to its end.
  virtual void advance(std::uint64_t n, const Until& until) = 0;
};

// A step so large that the radius of the ball is lost beside it: nothing would be left of the
// weights.
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
