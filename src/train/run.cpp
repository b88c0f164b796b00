#include "train/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/feed/labels.hpp"
#include "data/read/bytes.hpp"
#include "solvers/multiclass/multiclass.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/record.hpp"

namespace thresh {

namespace {

// The options with as many passes as the solver wants, if that was left to it.
Options with_passes(const Problem& problem, Options options) {
  options.passes = passes_of(options, problem.train->survey());
  return options;
}

}  // namespace

Run::Run(const Problem& problem, const Options& options, Observer& observer, SideFiles& files)
    : problem_(problem),
      options_(with_passes(problem, options)),
      observer_(observer),
      entry_(find_solver(options.solver)),
      setup_(set_up(problem, options_, files)),
      marks_(options.trace, setup_.dimension),
      eta_(choose_eta()),
      solver_(make_solver()),
      labels_seen_(setup_.training.labels) {
  warn_of_scales();
  const std::uint64_t run = setup_.training_rows * options_.passes;
  progress_.expected_examples = options.steps.value_or(run);
  progress_.dimension = setup_.dimension * std::max<std::uint64_t>(1, classes());
  const bool support_matters = setup_.max_nonzeros != kUnlimited || marks_.at_densities();
  if (support_matters && !solver_->counts_freely()) {
    looks_ = true;
    next_look_ = 1;
  }
  // At once rather than as they come: what is not touched costs nothing, moving does.
  if (setup_.dimension <= FeatureMap::kIdentityLimit) solver_->ensure_slots(setup_.dimension);
}

std::size_t Run::classes() const {
  return setup_.training.labels.many().size();
}

SolverSetup Run::solver_setup() const {
  SolverSetup setup{options_,
                    entry_.info,
                    setup_.max_nonzeros,
                    setup_.dimension,
                    setup_.training_rows,
                    problem_.features.get(),
                    setup_.feature_labels};
  setup.row_length = setup_.row_length;
  setup.target_size = setup_.target_size;
  setup.kept = kept_slots();
  setup.eta = eta_;
  setup.step_scale = recovery_.step_scale();
  return setup;
}

std::unique_ptr<Solver> Run::make_solver() const {
  SolverSetup setup = solver_setup();
  const LabelMap& labels = setup_.training.labels;
  if (classes() == 0) {
    setup.class_label = labels.positive();
    return entry_.make(setup);
  }
  Parts parts;
  BudgetOf budget = BudgetOf::each;
  if (options_.shared_budget && entry_.make_sharing != nullptr) {
    parts = entry_.make_sharing(setup, classes());
  } else {
    if (options_.shared_budget) {
      budget = BudgetOf::sum;
      setup.max_nonzeros = kUnlimited;
    }
    for (const double label : labels.many()) {
      setup.class_label = label;
      parts.push_back(entry_.make(setup));
    }
  }
  return options_.multiclass == Multiclass::softmax
             ? softmax(std::move(parts), budget, setup.largest_margin())
             : one_vs_rest(std::move(parts), budget);
}

bool Run::takes_rows() const {
  return dynamic_cast<const RowSolver*>(solver_.get()) != nullptr;
}

// A solver that works in memory begins when it has its matrix.
void Run::begin() {
  if (const Survey* survey = problem_.train->survey(); classes() > 0 && look_like_values(*survey)) {
    warn(
        fmt::format("{} classes of {:.1f} rows: are the labels numbers to predict (--task "
                    "regression)?",
                    classes(), static_cast<double>(survey->rows) / static_cast<double>(classes())));
  }
  recovery_.begin(*solver_);
  if (takes_rows()) solver_->begin();
}

void Run::stop() {
  end_ = Status{Outcome::stopped, "interrupted"};
}

FitResult Run::train() {
  try {
    begin();
    if (takes_rows()) {
      show_rows();
    } else {
      work(load_matrix());
    }
  } catch (const Interrupted&) {
    stop();
  }
  close();
  return finish();
}

Status Run::passes_spent() const {
  return {Outcome::passes_spent, fmt::format("--passes {}", options_.passes)};
}

void Run::close() {
  if (setup_.dimension == 0) setup_.dimension = progress_.dimension;
  check_end(*end_);
  solver_->settle();
  check_last_step();
  check_recovery();
  Status& status = *end_;
  const bool has_model = status.outcome != Outcome::diverged;
  // Of the rows that were met; those who work in memory know all of them from the start.
  if (has_model && takes_rows()) warn_of_solver();
  const std::uint64_t at_the_end = solver_->state().nonzeros;
  solver_->go_back_within(setup_.max_nonzeros);
  if (solver_->state().nonzeros < at_the_end && has_model && status.outcome != Outcome::stopped) {
    status.reason += fmt::format(
        "; {} features at the end, so this is the last state within the "
        "budget",
        at_the_end);
    warn(fmt::format(
        "{} ended with {} features: this is the last state within the budget of {}, which may have "
        "learned little (budget, l0-sgd and grades learn within one; or try a larger --lambda)",
        options_.solver, at_the_end, setup_.max_nonzeros));
  }
  tell_what_is_idle();
  if (has_model && !divergences_.empty()) {
    status.reason += fmt::format(
        "; it diverged {} and went on with smaller steps, now {:.3g} of "
        "what they were",
        divergences_.size() == 1 ? "once" : fmt::format("{} times", divergences_.size()),
        recovery_.step_scale());
  }
  report(true);
}

void Run::check_end(const Status& end) const {
  const std::uint64_t examples = solver_->state().examples;
  if (examples == 0 && end.outcome == Outcome::stopped) {
    throw Interrupted(problem_.train->name() + ": interrupted");
  }
  if (examples == 0 && end.outcome != Outcome::diverged && end.outcome != Outcome::converged) {
    throw Error(problem_.train->name() + ": no rows");
  }
  if (!labels_seen_.both_known() && end.outcome != Outcome::stopped) {
    throw Error(fmt::format("{}: every row has the label {:g}", problem_.train->name(),
                            labels_seen_.positive()));
  }
}

// The solver ended the training; it may have to go on.
std::optional<Status> Run::ended() {
  if (solver_->ended()->outcome == Outcome::diverged) return on_divergence();
  return solver_->ended();
}

std::optional<Status> Run::end_pass(std::uint64_t pass) {
  if (solver_->ended()) {
    if (auto end = ended()) return end;
  }
  const LinearState& state = solver_->state();
  if (marks_.at_pass_ends() && pass < options_.passes) {
    report(true);
    trace();
  }
  if (solver_->done_without_update() && state.updates == pass_start_updates_) {
    return Status{Outcome::converged, fmt::format("pass {} made no update", pass)};
  }
  // The end of a pass may have been a step: of a short batch, or of all rows.
  if (options_.steps && state.t >= *options_.steps) {
    return Status{Outcome::steps_spent, fmt::format("--steps {}", *options_.steps)};
  }
  pass_start_examples_ = state.examples;
  pass_start_updates_ = state.updates;
  pass_start_mistakes_ = state.mistakes;
  return std::nullopt;
}

// Whatever is deferred is settled before anyone is told.
void Run::report(bool always) {
  const LinearState& state = solver_->state();
  progress_.examples = state.examples;
  progress_.updates = state.updates;
  progress_.accesses = state.accesses;
  progress_.seconds = watch_.seconds();
  const std::uint64_t rows = state.examples - pass_start_examples_;
  if (!solver_->counts_mistakes()) {
    progress_.progressive_error = std::nan("");
  } else if (rows > 0) {
    progress_.progressive_error =
        static_cast<double>(state.mistakes - pass_start_mistakes_) / static_cast<double>(rows);
  }
  if (!always && !observer_.wants_progress(progress_)) return;
  solver_->settle();
  progress_.nonzeros = state.nonzeros;
  observer_.on_progress(progress_);
}

}  // namespace thresh
