#include "train/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cluster/rank_features.hpp"
#include "data/feed/labels.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"
#include "train/advice.hpp"
#include "train/polish.hpp"
#include "train/restarts.hpp"
#include "train/saved_call.hpp"
#include "train/screened.hpp"
#include "train/shared_run.hpp"

namespace thresh {
namespace {

// Keeps the draw of --iterate random apart from all others of the same seed.
constexpr std::uint64_t kIterateStream = 0x17e7a7e;

// How many steps the whole run makes.
std::uint64_t steps_of(const RunContext& run) {
  const Options& options = run.options;
  if (options.steps) return *options.steps;
  const std::uint64_t rows = run.setup.training_rows;
  if (needs_all_rows(options) || rows == 0) {
    throw UsageError("--iterate random must know the number of steps: give --steps");
  }
  const std::uint64_t batch = batch_of(options);
  return options.passes * (batch == 0 ? 1 : (rows + batch - 1) / batch);
}

// What the theorems about a random iterate or the average ask of all rows, drawn or not.
void measure_rows(RunContext& run) {
  for_each_window(run.setup.train, run.setup.training, [&](const Window& window) {
    for (const Row& row : window.rows) {
      run.weighted_rows |= row.weight != 1;
      for (std::size_t i = 0; i < row.size; ++i) {
        run.largest_value = std::max(run.largest_value, std::fabs(row.values[i]));
      }
    }
  });
  run.largest_value = -lowest_on_all_ranks(-run.largest_value, *run.problem.features);
}

RunContext context_of(const Problem& problem, Options options, Observer& observer,
                      SideFiles& files) {
  options.passes = passes_of(options, problem.train->survey());
  options.score_rows |= !options.threshold_by.empty();
  RunSetup setup = set_up(problem, options, files);
  RunContext run{problem, options, observer, find_solver(options.solver), std::move(setup)};
  if (options.iterate == Iterate::random) {
    run.all_steps = steps_of(run);
    run.drawn_step = 1 + Random(options.seed, kIterateStream).below(run.all_steps);
  }
  if (options.iterate != Iterate::last && run.entry.info.measures_values) measure_rows(run);
  return run;
}

}  // namespace

Run::Run(const Problem& problem, const Options& options, Observer& observer, SideFiles& files)
    : run_(context_of(problem, options, observer, files)),
      guard_(run_),
      log_(run_, guard_),
      support_(run_, guard_, log_),
      rows_(run_, guard_, log_, support_),
      steps_(run_, guard_, log_, support_) {
  warn_of_scales(run_);
  if (set_number(run_.options, "ridge")) {
    const std::string obstacle = Polish::obstacle(run_);
    if (!obstacle.empty()) throw UsageError("--ridge: " + obstacle);
    if (set_number(run_.options, "prune") && run_.classes() > 0) {
      throw UsageError("--prune does not support several classes");
    }
    if (has_flag(run_.options, "fewest-errors")) check_fewest_errors();
    if (has_flag(run_.options, "contrast")) check_contrast();
  }
  // At once rather than as they come: what is not touched costs nothing, moving does.
  const std::uint64_t dimension = setup().dimension;
  if (dimension <= run_.problem.features->identity_end()) solver().ensure_slots(dimension);
}

void Run::check_fewest_errors() const {
  if (run_.classes() > 0 || run_.options.task == Task::regression) {
    throw UsageError("--fewest-errors requires two classes");
  }
  if (set_number(run_.options, "prune")) {
    throw UsageError("--fewest-errors and --prune select in different ways; give one of them");
  }
  if (setup().max_nonzeros > kMostByErrors) {
    throw UsageError(fmt::format("--fewest-errors is for at most {} features", kMostByErrors));
  }
}

void Run::check_contrast() const {
  if (run_.options.task == Task::regression) throw UsageError("--contrast requires classes");
  for (const char* other : {"prune", "fewest-errors"}) {
    if (run_.options.solver_options.contains(other)) {
      throw UsageError(fmt::format("--contrast and --{} exclude each other", other));
    }
  }
}

void Run::start_from(const Model& model) {
  start_ = &model;
  thresh::start_from(model, run_, solver());
  log_.progress.dimension = std::max(log_.progress.dimension, run_.dimension());
}

void Run::check_savable() {
  if (setup().train->survey() == nullptr) {
    throw UsageError("--checkpoint: this input can be read only once");
  }
}

// A solver that works in memory begins when it has its matrix.
void Run::begin() {
  if (run_.options.checkpoint != nullptr) check_savable();
  if (run_.options.save_state || run_.options.from_state != nullptr) check_state();
  const Survey* survey = run_.problem.train->survey();
  if (run_.classes() > 0) {
    if (const std::string doubt = doubt_about_labels(*survey); !doubt.empty()) run_.warn(doubt);
  }
  guard_.begin();
  if (takes_rows()) solver().begin();
  if (run_.options.from_state != nullptr) go_on();
  // An incomplete batch goes on with the new rows, so it must not be finished before.
  if (run_.options.save_state) rows_.before_last_end = [this] { note_state(); };
}

FitResult Run::train(const std::string& part) {
  RowPlace from;
  const Pauses pauses = pauses_of(part, from);
  try {
    begin();
    if (!takes_rows()) {
      work(steps_.load(), pauses);
    } else {
      pauses.restore();
      if (!over()) end_ = rows_.run(from, pauses);
    }
  } catch (const Interrupted&) {
    stop();
  }
  if (run_.options.save_state && learner_.empty()) note_state();
  close();
  return finish();
}

Pauses Run::pauses_of(const std::string& part, RowPlace& from) {
  Checkpoint* const checkpoint = run_.options.checkpoint;
  if (checkpoint == nullptr) return {};
  // With slices the state is by feature, so that any number of ranks can go on from it.
  const auto store = std::make_shared<RankFeatures>(*run_.problem.features);
  const bool by_feature = slices_of(run_.options) > 0 && run_.options.iterate != Iterate::average;
  const auto restore = [this, checkpoint, part, store, by_feature, &from] {
    read_part(*checkpoint, part, [&](Archive& a) {
      if (by_feature) a.store_by(*store);
      a(from, *this);
    });
  };
  const auto save = [this, checkpoint, part, store, by_feature](const RowPlace& next) {
    if (!is_due(*checkpoint, part)) return;
    RowPlace place = next;
    Archive a;
    if (by_feature) a.store_by(*store);
    a(place, *this);
    if (!by_feature) save_features(*checkpoint, *run_.problem.features);
    checkpoint->update({{part, a.take()}}, true);
  };
  return {restore, save};
}

// All ranks save at the same time: when the first one says so.
bool Run::is_due(const Checkpoint& checkpoint, const std::string& part) const {
  const auto& share = run_.problem.features->share();
  if (!share) return checkpoint.due(part);
  Message due(1);
  if (share->comm->rank() == 0) due[0] = std::byte{checkpoint.due(part)};
  return share->comm->from_first(due).at(0) != std::byte{0};
}

void Run::archive(Archive& a) {
  if (a.reads()) {
    const FeatureMap& features = *run_.problem.features;
    const std::uint64_t hashed = features.hashed_ids().size();
    constexpr std::uint64_t kNumbers = 4;  // of a feature at most
    a.limit(kNumbers * std::max({setup().dimension, run_.problem.train->survey()->rows,
                                 std::uint64_t{leaves(solver()).front()->state().weights.size()},
                                 hashed > 0 ? features.identity_end() + hashed : 0}));
  }
  std::vector<std::string> warnings = run_.warnings;
  a(warnings, run_.setup.dimension, guard_, log_, support_, rows_, steps_, end_);
  // Those of the beginning have been told again.
  for (std::size_t i = run_.warnings.size(); i < warnings.size(); ++i) run_.warn(warnings[i]);
}

void Run::close() {
  if (setup().dimension == 0) run_.setup.dimension = log_.progress.dimension;
  check_end();
  solver().settle();
  if (end_->outcome != Outcome::diverged) show_averages(solver());
  guard_.check_end(*end_);
  const bool has_model = end_->outcome != Outcome::diverged;
  // Of the rows that were met; those who work in memory know all of them from the start.
  if (has_model && takes_rows()) run_.warn_all(solver().warnings());
  stay_within_budget();
  if (has_model && end_->outcome != Outcome::stopped) warn_of_missing_required(run_, solver());
  if (has_model) end_->reason += guard_.summary();
  log_.report(true);
}

void Run::check_end() const {
  const std::string name = run_.problem.train->name();
  const bool stopped = end_->outcome == Outcome::stopped;
  if (guard_.solver().state().examples == 0) {
    if (stopped) throw Interrupted(name + ": interrupted");
    if (end_->outcome != Outcome::diverged && end_->outcome != Outcome::converged) {
      throw Error(name + ": no rows");
    }
  }
  if (!rows_.labels().both_known() && !stopped) {
    throw Error(fmt::format("{}: every row has the label {:g}", name, rows_.labels().positive()));
  }
}

void Run::stay_within_budget() {
  const std::uint64_t budget = setup().max_nonzeros;
  if (budget == kUnlimited) return;
  const std::uint64_t at_the_end = log_.count_nonzeros();
  solver().go_back_within(budget);
  const bool complete = end_->outcome != Outcome::diverged && end_->outcome != Outcome::stopped;
  if (log_.count_nonzeros() >= at_the_end || !complete) return;
  end_->reason += fmt::format(
      "; {} features at the end, so this is the last state within the "
      "budget",
      at_the_end);
  run_.warn(fmt::format(
      "{} ended with {} features: this is the last state within the budget of {}, which may have "
      "learned little (budget, l0-sgd and grades learn within one; or try a larger --lambda)",
      run_.options.solver, at_the_end, budget));
}

FitResult fit(const Problem& problem, const Options& options, const Model* start,
              Observer* observer) {
  check_options(options);
  if (start != nullptr && (problem.pairs || !start->pairs.empty())) {
    throw UsageError(
        "--from does not support --interactions: pairs are numbered anew in each file");
  }
  if (options.delta) return best_of_runs(problem, options, start, observer);
  const ThreadLimit limit(options.threads);
  if (needs_screening(options)) {
    if (start != nullptr) throw UsageError("--slices: --from does not apply to a fit by budget");
    return fit_screened(problem, options, observer);
  }
  Nobody nobody;
  SideFiles files;
  const Problem wanted = scaled_for_solver(problem, options);
  Observer& watcher = observer != nullptr ? *observer : nobody;
  const SavedCall call(options.checkpoint);
  if (auto known = call.result(watcher)) return std::move(*known);
  Run run(wanted, options, watcher, files);
  if (start != nullptr) run.start_from(*start);
  FitResult result = run.train(call.part());
  call.finish(result);
  return result;
}

}  // namespace thresh
