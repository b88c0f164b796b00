// One training run: the loop around any solver. fit() makes one and lets it go; fit_all() makes
// several and drives them side by side.
#pragma once

#include <optional>
#include <vector>

#include "solvers/catalog.hpp"
#include "thresh/fit.hpp"
#include "train/marks.hpp"
#include "train/recovery.hpp"
#include "train/score.hpp"
#include "train/setup.hpp"
#include "train/stopwatch.hpp"

namespace thresh {

class Matrix;

// How good a run is at its end, if someone else has found out.
struct EndScores {
  std::optional<Score> train, valid;
};

// Watches nothing.
struct Nobody : Observer {
  bool wants_progress(const Progress&) const override { return false; }
};

class Run {
 public:
  Run(const Problem& problem, const Options& options, Observer& observer, SideFiles& files);

  void start_from(const Model& model);
  FitResult train();

  // What train() does, for those who drive a run from outside: begin(), then show() every window of
  // the feeder or work() with the matrix that the run asks for, until it is over; close(), which
  // settles the weights, and finish().
  bool takes_rows() const;  // else it takes a matrix
  void begin();
  void show(const Window& window);
  void work(std::shared_ptr<const Matrix> matrix);
  bool over() const { return end_.has_value(); }
  void stop();  // it was interrupted
  void close();
  FitResult finish(const EndScores& scores = {});

  Solver& solver() { return *solver_; }
  const RunSetup& setup() const { return setup_; }
  bool wants_rows_in_memory() const { return !entry_.info.columns_only; }
  bool wants_trace() const { return marks_.wanted(); }
  // How many passes over the rows it may make: the feeder's plan.
  std::uint64_t passes() const { return options_.steps ? kUnlimited : options_.passes; }

 private:
  std::size_t classes() const;  // if there are more than two, else 0
  SolverSetup solver_setup() const;
  std::unique_ptr<Solver> make_solver() const;

  // Features that must stay (keep.cpp).
  struct Kept {
    std::string name;  // as it was asked for
    std::uint32_t slot;
  };
  std::vector<Kept> kept_features() const;
  std::vector<std::uint32_t> kept_slots() const;
  void tell_what_is_idle();

  // Runs that get out of control (guard.cpp).
  double choose_eta();
  void warn(std::string what);
  void warn_of_solver();
  void note(Divergence divergence);
  Divergence describe_divergence() const;
  std::optional<Status> on_divergence();
  void go_back();
  void check_last_step();
  void check_recovery();
  Status diverged(const std::string& what);

  // What may help (advice.cpp).
  bool outweighs(std::uint32_t slot) const;
  void warn_of_scales();
  std::string advice(std::optional<std::uint32_t> slot) const;

  // Continuing from a model (start.cpp).
  void start_part(Solver& solver, const std::vector<Coefficient>& coefficients, double intercept);
  void keep_names(Model& now) const;

  // Showing rows to a solver (row_loop.cpp).
  void show_rows();
  RowSolver& row_solver() { return dynamic_cast<RowSolver&>(*solver_); }
  std::optional<Status> show_window(const Window& window);
  std::optional<Status> end_row_pass(std::uint64_t pass);
  std::size_t run_length(std::size_t rows) const;

  // Letting a solver work in memory (matrix_loop.cpp).
  std::shared_ptr<const Matrix> load_matrix();
  MatrixSolver& matrix_solver() { return dynamic_cast<MatrixSolver&>(*solver_); }
  Status let_work();
  Status ended_at_once();
  std::optional<Status> work_pass(std::uint64_t pass);

  // What both do between runs of rows or steps (looks.cpp, run.cpp).
  Until until() const;
  std::optional<Status> look(std::uint64_t mark, std::uint64_t due, std::span<const Row> ahead);
  std::uint64_t look_at_support(std::uint64_t mark);
  std::optional<Status> ended();
  std::optional<Status> end_pass(std::uint64_t pass);
  void report(bool always = false);
  void trace(const EndScores& scores = {});
  TracePoint evaluate(const EndScores& scores = {});
  Status passes_spent() const;
  Model model_now() const;
  void record_models(FitResult& result);
  void check_end(const Status& end) const;
  std::optional<Calibration> calibrate();

  const Problem& problem_;
  const Options options_;
  Observer& observer_;
  const CatalogEntry& entry_;
  RunSetup setup_;
  TraceMarks marks_;
  std::vector<std::string> warnings_;
  double eta_;  // the user's, or a safe one
  Recovery recovery_;
  std::unique_ptr<Solver> solver_;
  LabelMap labels_seen_;
  const Model* start_ = nullptr;

  Stopwatch watch_;
  Progress progress_;
  std::vector<TracePoint> trace_;
  std::optional<Status> end_;  // how it ended, once it has
  std::uint64_t bad_rows_ = 0;

  const Window* window_ = nullptr;        // the rows that are being shown
  std::shared_ptr<const Matrix> matrix_;  // of a solver that works in memory
  std::vector<Divergence> divergences_;

  std::uint64_t densest_ = 0;              // largest support traced so far
  bool looks_ = false;                     // at a support that is not counted on the way
  std::uint64_t next_look_ = 0;            // when the next is due, in examples
  std::uint64_t room_ = 0;                 // entries of rows that cannot fill budget or mark
  std::uint64_t pass_start_examples_ = 0;  // counters at the start of the pass
  std::uint64_t pass_start_updates_ = 0;
  std::uint64_t pass_start_mistakes_ = 0;
};

}  // namespace thresh
