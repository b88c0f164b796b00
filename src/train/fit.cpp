// The loop around any online solver: passes, budget, marks, trace, stop.

#include "thresh/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/bytes.hpp"
#include "data/feature_map.hpp"
#include "model/platt.hpp"
#include "solvers/catalog.hpp"
#include "sparse/kernels.hpp"
#include "thresh/error.hpp"
#include "train/marks.hpp"
#include "train/record.hpp"
#include "train/score.hpp"
#include "train/setup.hpp"
#include "train/stopwatch.hpp"

namespace thresh {
namespace {

class Run {
 public:
  Run(const Problem& problem, const Options& options, Observer& observer)
      : problem_(problem),
        options_(options),
        observer_(observer),
        entry_(find_solver(options.solver)),
        setup_(set_up(problem, options)),
        marks_(options.trace, setup_.dimension),
        solver_(entry_.make({options, entry_.info, setup_.max_nonzeros})),
        labels_seen_(setup_.training.labels) {
    const std::uint64_t run = setup_.training_rows * options.passes;
    progress_.expected_examples = options.steps.value_or(run);
    progress_.dimension = setup_.dimension;
    // At once rather than as they come: what is not touched costs nothing, moving does.
    if (setup_.dimension <= FeatureMap::kIdentityLimit) {
      solver_->state().weights.ensure(setup_.dimension);
    }
  }

  void start_from(const Model& model);
  void keep_names(Model& model) const;
  FitResult train();

 private:
  Status learn();
  std::optional<Status> learn_window(const Window& window);
  std::optional<Status> end_pass(std::uint64_t pass);
  std::size_t run_length(std::size_t rows) const;
  void report();
  void trace();
  TracePoint evaluate();
  std::optional<Calibration> calibrate();

  const Problem& problem_;
  const Options& options_;
  Observer& observer_;
  const CatalogEntry& entry_;
  RunSetup setup_;
  TraceMarks marks_;
  std::unique_ptr<OnlineSolver> solver_;
  LabelMap labels_seen_;
  const Model* start_ = nullptr;

  Stopwatch watch_;
  Progress progress_;
  std::vector<TracePoint> trace_;
  std::uint64_t bad_rows_ = 0;
  std::uint64_t densest_ = 0;              // largest support traced so far
  std::uint64_t pass_start_examples_ = 0;  // counters at the start of the pass
  std::uint64_t pass_start_updates_ = 0;
  std::uint64_t pass_start_mistakes_ = 0;
};

void Run::start_from(const Model& model) {
  start_ = &model;
  check_same_data(model, problem_, setup_.training.labels);
  if (model.coefficients.size() > setup_.max_nonzeros) {
    throw Error(fmt::format("the model to start from has {} non-zeros, over the budget of {}",
                            model.coefficients.size(), setup_.max_nonzeros));
  }
  LinearState& state = solver_->state();
  for (const Coefficient& coefficient : model.coefficients) {
    const std::uint64_t id = coefficient.index - (model.zero_based ? 0 : 1);
    const std::uint32_t slot = problem_.features->slot(id);
    state.weights.ensure(std::size_t{slot} + 1);
    state.weights[slot] = coefficient.weight;
  }
  state.nonzeros = model.coefficients.size();
  if (options_.intercept) state.intercept = model.intercept;
  setup_.dimension = std::max(setup_.dimension, model.dimension);
}

// A feature that had a name keeps it.
void Run::keep_names(Model& model) const {
  auto known = start_->coefficients.begin();
  for (Coefficient& coefficient : model.coefficients) {
    while (known != start_->coefficients.end() && known->index < coefficient.index) ++known;
    if (known == start_->coefficients.end()) return;
    if (known->index == coefficient.index) coefficient.name = known->name;
  }
}

// The last update may have overflowed without any row meeting it.
std::optional<Status> find_divergence(const Model& model) {
  for (const Coefficient& coefficient : model.coefficients) {
    if (std::isfinite(coefficient.weight)) continue;
    return Status{Outcome::diverged, fmt::format("the weight of feature {} is not finite "
                                                 "(try --normalize l2 or a smaller --eta)",
                                                 coefficient.index)};
  }
  return std::nullopt;
}

FitResult Run::train() {
  Status status = learn();
  report();
  FitResult result;
  // The end is traced, once: a mark may have been due right there.
  const bool traced = !trace_.empty() && trace_.back().at.examples == progress_.examples;
  if (marks_.wanted() && !traced) trace();
  result.last = marks_.wanted() ? trace_.back() : evaluate();
  result.trace = std::move(trace_);
  const Survey* survey = problem_.train->survey();
  result.bad_rows = survey != nullptr ? survey->bad_rows : bad_rows_;
  result.model = make_model(problem_, options_, labels_seen_, solver_->state(), setup_.dimension);
  if (start_ != nullptr) keep_names(result.model);
  if (const auto diverged = find_divergence(result.model)) status = *diverged;
  if (options_.calibrate && status.outcome != Outcome::diverged) {
    result.model.calibration = calibrate();
  }
  result.model.summary = summary_json(status, result.last);
  result.status = std::move(status);
  return result;
}

Status Run::learn() {
  const std::uint64_t passes = options_.steps ? kUnlimited : options_.passes;
  Feeder feeder(setup_.train, setup_.training, {options_.order, options_.seed, passes});
  std::optional<Status> end;
  try {
    for (Window window; !end;) {
      watch_.start();
      const bool more = feeder.next(window);
      watch_.stop();
      if (!more) break;
      labels_seen_ = window.labels;
      end = learn_window(window);
      if (!end && window.ends_pass) end = end_pass(window.pass);
    }
  } catch (const Interrupted&) {
    end = Status{Outcome::stopped, "interrupted"};
  }
  if (!end) {
    end = Status{Outcome::passes_spent, fmt::format("--passes {}", options_.passes)};
  }
  if (setup_.dimension == 0) setup_.dimension = progress_.dimension;
  if (progress_.examples == 0 && end->outcome == Outcome::stopped) {
    throw Interrupted(problem_.train->name() + ": interrupted");
  }
  if (progress_.examples == 0 && end->outcome != Outcome::diverged) {
    throw Error(problem_.train->name() + ": no rows");
  }
  if (!labels_seen_.both_known() && end->outcome != Outcome::stopped) {
    throw Error(fmt::format("{}: every row has the label {:g}", problem_.train->name(),
                            labels_seen_.positive()));
  }
  return *end;
}

std::optional<Status> Run::learn_window(const Window& window) {
  LinearState& state = solver_->state();
  state.weights.ensure(window.slot_end);
  progress_.bytes += window.source_bytes;
  progress_.pass = window.pass;
  for (const BlockPtr& block : window.blocks) {
    progress_.dimension = std::max(progress_.dimension, block->dimension);
    if (window.pass == 1) bad_rows_ += block->bad_rows;
  }
  std::span<const Row> rows = window.rows;
  while (!rows.empty()) {
    watch_.start();
    const std::uint64_t mark = marks_.next_nonzeros(std::max(densest_, state.nonzeros));
    const std::uint64_t due = marks_.next_examples(state.t);
    const std::size_t visited = solver_->visit(rows.first(run_length(rows.size())), mark);
    rows = rows.subspan(visited);
    watch_.stop();
    report();
    if (solver_->ended()) return solver_->ended();
    if (state.nonzeros >= mark || state.t == due) trace();
    if (options_.steps && state.t >= *options_.steps) {
      return Status{Outcome::steps_spent, fmt::format("--steps {}", *options_.steps)};
    }
    if (options_.stop != nullptr && *options_.stop) return Status{Outcome::stopped, "interrupted"};
  }
  return std::nullopt;
}

// How many of the next rows may be visited before someone has to be asked or told.
std::size_t Run::run_length(std::size_t rows) const {
  constexpr std::uint64_t kPatience = 256;
  const std::uint64_t t = solver_->state().t;
  std::uint64_t length = std::min<std::uint64_t>(rows, kPatience);
  length = std::min(length, marks_.next_examples(t) - t);
  if (options_.steps) length = std::min(length, *options_.steps - t);
  if (observer_.wake_at() > t) length = std::min(length, observer_.wake_at() - t);
  return static_cast<std::size_t>(length);
}

std::optional<Status> Run::end_pass(std::uint64_t pass) {
  const LinearState& state = solver_->state();
  if (marks_.at_pass_ends() && pass < options_.passes) trace();
  if (solver_->done_without_update() && state.updates == pass_start_updates_) {
    return Status{Outcome::converged, fmt::format("pass {} made no update", pass)};
  }
  pass_start_examples_ = state.t;
  pass_start_updates_ = state.updates;
  pass_start_mistakes_ = state.mistakes;
  return std::nullopt;
}

void Run::report() {
  const LinearState& state = solver_->state();
  progress_.examples = state.t;
  progress_.updates = state.updates;
  progress_.accesses = state.accesses;
  progress_.nonzeros = state.nonzeros;
  progress_.seconds = watch_.seconds();
  const std::uint64_t rows = state.t - pass_start_examples_;
  if (rows > 0) {
    progress_.progressive_error =
        static_cast<double>(state.mistakes - pass_start_mistakes_) / static_cast<double>(rows);
  }
  observer_.on_progress(progress_);
}

void Run::trace() {
  densest_ = std::max(densest_, solver_->state().nonzeros);
  trace_.push_back(evaluate());
  observer_.on_trace(trace_.back());
}

TracePoint Run::evaluate() {
  TracePoint point;
  point.at = progress_;
  if (marks_.wanted()) {
    const Score train = score(*solver_, setup_.train, setup_.training);
    point.objective = train.loss + solver_->penalty();
    point.train_error = train.error;
  }
  if (setup_.validation) {
    point.valid_error = score(*solver_, setup_.validate, *setup_.validation).error;
  }
  return point;
}

std::optional<Calibration> Run::calibrate() {
  MarginSample sample(MarginSample::kCapacity, options_.seed);
  LinearState& state = solver_->state();
  for_each_window(setup_.validate, *setup_.validation, [&](const Window& window) {
    state.weights.ensure(window.slot_end);
    for (const Row& row : window.rows) {
      sample.add(dot(state.weights.data(), row) + state.intercept, row.label, row.weight);
    }
  });
  try {
    const Platt platt = sample.fit();
    return Calibration{platt.slope, platt.offset};
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", setup_.validate->name(), error.what()));
  }
}

}  // namespace

FitResult fit(const Problem& problem, const Options& options, const Model* start,
              Observer* observer) {
  check_options(options);
  Observer nobody;
  Run run(problem, options, observer != nullptr ? *observer : nobody);
  if (start != nullptr) run.start_from(*start);
  return run.train();
}

}  // namespace thresh
