// One training run. It connects its parts and makes the result: a loop over rows or over a matrix
// (loop.hpp), the guard against divergence (guard.hpp), the support checks (support_check.hpp) and
// the log (run_log.hpp). fit() makes a run and calls train(); fit_all() makes several and drives
// them side by side.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "thresh/learner_state.hpp"
#include "train/loop.hpp"
#include "train/polish.hpp"
#include "train/relax.hpp"

namespace thresh {

// An observer that ignores everything.
struct Nobody : Observer {
  bool wants_progress(const Progress&) const override { return false; }
};

class Run {
 public:
  Run(const Problem& problem, const Options& options, Observer& observer, SideFiles& files);
  Run(const Run&) = delete;  // its parts refer to each other
  Run& operator=(const Run&) = delete;

  void start_from(const Model& model);
  // Saves its state in a part of the checkpoint of the options, and continues from it.
  FitResult train(const std::string& part = "");
  // Instead, for the solver budget: the ids of the features that its thresholds leave on this rank,
  // of all classes. Throws Interrupted, and Error if it diverges.
  std::vector<std::uint64_t> select();

  // The steps of train(), for callers that drive a run themselves: begin(); then show() every
  // window of the feeder, or work() with the matrix that the run needs, until it is over; close(),
  // which settles the weights; finish().
  // Throws UsageError if its state cannot be saved.
  void check_savable();
  // Throws UsageError if a run cannot go on with new rows: with Options::save_state or from_state.
  void check_state();
  bool takes_rows() { return solver().row_solver() != nullptr; }  // else it takes a matrix
  void begin();
  void show(const Window& window) { end_ = rows_.show(window); }
  void work(std::shared_ptr<const Matrix> matrix, const Pauses& pauses) {
    end_ = steps_.run(std::move(matrix), pauses, end_);
  }
  bool over() const { return end_.has_value(); }
  void stop() { end_ = Status{Outcome::stopped, "interrupted"}; }
  // The state between two windows or steps. To read, after begin() of the run and its solver.
  void archive(Archive& a);
  void close();
  FitResult finish(const EndScores& scores = {});

  Solver& solver() { return guard_.solver(); }
  const RunSetup& setup() const { return run_.setup; }
  bool wants_rows_in_memory() const { return !run_.entry.info.columns_only; }
  bool wants_trace() const { return log_.marks.wanted(); }
  std::uint64_t passes() const { return run_.passes(); }

 private:
  Pauses pauses_of(const std::string& part, RowPlace& from);
  bool is_due(const Checkpoint& checkpoint, const std::string& part) const;
  void go_on();       // from Options::from_state
  void note_state();  // for Options::save_state
  void archive_learner(Archive& a);
  std::shared_ptr<const LearnerState> state_with(const Model& model) const;
  void check_end() const;
  void stay_within_budget();
  TracePoint scored(const EndScores& scores = {});
  void record_models(FitResult& result);
  void check_fewest_errors() const;
  void check_contrast() const;
  void set_threshold(FitResult& result);
  void polish_models(FitResult& result);
  void take_relaxed(const RelaxedBudget& relaxed, FitResult& result);
  Proof proof_of(const RelaxedBudget::Tree& tree) const;
  std::vector<std::optional<Polished>> evaluated(
      const std::vector<std::optional<PolishedModel>>& models);
  Model model_now(const PolishedModel* polished = nullptr) const;

  RunContext run_;
  Guard guard_;
  RunLog log_;
  SupportCheck support_;
  RowLoop rows_;
  MatrixLoop steps_;
  const Model* start_ = nullptr;
  std::optional<Status> end_;  // set when the run has ended
  std::string learner_;        // with Options::save_state: after the last row
};

}  // namespace thresh
