#include "train/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/feed/labels.hpp"
#include "data/names/vocabulary.hpp"
#include "model/names.hpp"
#include "model/platt.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "sparse/row_loops.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"
#include "train/advice.hpp"
#include "train/polish.hpp"
#include "train/record.hpp"
#include "train/relax.hpp"
#include "train/restarts.hpp"
#include "train/saved_call.hpp"

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
}

RunContext context_of(const Problem& problem, Options options, Observer& observer,
                      SideFiles& files) {
  options.passes = passes_of(options, problem.train->survey());
  RunSetup setup = set_up(problem, options, files);
  RunContext run{problem, options, observer, find_solver(options.solver), std::move(setup)};
  if (options.iterate == Iterate::random) {
    run.all_steps = steps_of(run);
    run.drawn_step = 1 + Random(options.seed, kIterateStream).below(run.all_steps);
  }
  if (options.iterate != Iterate::last && run.entry.info.measures_values) measure_rows(run);
  return run;
}

std::vector<CompressionSet> compression_sets_of(const Solver& solver) {
  std::vector<CompressionSet> compression_sets;
  for (const Solver* leaf : leaves(solver)) {
    compression_sets.push_back({leaf->compression_set(), leaf->state().updates});
  }
  return compression_sets;
}

Calibration calibrate(const RunContext& run, Solver& solver) {
  MarginSample sample(MarginSample::kCapacity, run.options.seed);
  const LinearState& state = solver.state();
  for_each_window(run.setup.validate, *run.setup.validation, [&](const Window& window) {
    solver.ensure_slots(window.slot_end);
    for (const Row& row : window.rows) {
      sample.add(dot(state.weights, row) + state.intercept, row.label, row.weight);
    }
  });
  try {
    return sample.fit();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", run.setup.validate->name(), error.what()));
  }
}

void name_models(const Vocabulary& vocabulary, FitResult& result) {
  std::vector<Model*> models = {&result.model};
  for (Recorded& recorded : result.recorded) models.push_back(&recorded.model);
  for (auto* all : {&result.polished, &result.pruned}) {
    for (std::optional<Polished>& polished : *all) {
      if (polished) models.push_back(&polished->model);
    }
  }
  name_features(vocabulary, models);
  for (Model* model : models) drop_unneeded_terms(*model);
}

ModelParts parts_of(const Solver& solver, const FeatureMap* features) {
  ModelParts parts;
  for (const Solver* leaf : leaves(solver)) parts.push_back(weights_of(leaf->state(), features));
  return parts;
}

void set_parts(const ModelParts& parts, Solver& solver) {
  std::uint64_t nonzeros = 0;
  const std::vector<Solver*> all = leaves(solver);
  for (std::size_t i = 0; i < all.size(); ++i) {
    set_weights(all[i]->state(), parts[i]);
    nonzeros += all[i]->state().nonzeros;
  }
  solver.state().nonzeros = nonzeros;
}

// The number that the options set for `name`, ridge or prune, if any.
std::optional<double> set_number(const Options& options, const std::string& name) {
  const auto found = options.solver_options.find(name);
  if (options.solver != "budget" || found == options.solver_options.end()) return std::nullopt;
  return to_number(name, found->second);
}

std::optional<double> ridge_of(const Options& options) {
  return set_number(options, "ridge");
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
  if (ridge_of(run_.options)) {
    const std::string obstacle = Polish::obstacle(run_);
    if (!obstacle.empty()) throw UsageError("--ridge: " + obstacle);
    if (set_number(run_.options, "prune") && run_.classes() > 0) {
      throw UsageError("--prune does not support several classes");
    }
  }
  // At once rather than as they come: what is not touched costs nothing, moving does.
  const std::uint64_t dimension = setup().dimension;
  if (dimension <= run_.problem.features->identity_end()) solver().ensure_slots(dimension);
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
  const auto restore = [this, checkpoint, part, &from] {
    read_part(*checkpoint, part, [&](Archive& a) { a(from, *this); });
  };
  const auto save = [this, checkpoint, part](const RowPlace& next) {
    if (!checkpoint->due(part)) return;
    RowPlace place = next;
    Archive a;
    a(place, *this);
    save_features(*checkpoint, *run_.problem.features);
    checkpoint->update({{part, a.take()}}, true);
  };
  return {restore, save};
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
  const std::uint64_t at_the_end = solver().state().nonzeros;
  solver().go_back_within(budget);
  const bool complete = end_->outcome != Outcome::diverged && end_->outcome != Outcome::stopped;
  if (solver().state().nonzeros >= at_the_end || !complete) return;
  end_->reason += fmt::format(
      "; {} features at the end, so this is the last state within the "
      "budget",
      at_the_end);
  run_.warn(fmt::format(
      "{} ended with {} features: this is the last state within the budget of {}, which may have "
      "learned little (budget, l0-sgd and grades learn within one; or try a larger --lambda)",
      run_.options.solver, at_the_end, budget));
}

FitResult Run::finish(const EndScores& scores) {
  FitResult result;
  record_models(result);
  polish_models(result);
  result.trace = log_.end_trace(scores);
  result.last = wants_trace() ? result.trace.back() : log_.evaluate(scores);
  const Survey* survey = run_.problem.train->survey();
  result.bad_rows = survey != nullptr ? survey->bad_rows : rows_.bad_rows();
  result.model = model_now();
  if (run_.options.calibrate && end_->outcome != Outcome::diverged) {
    result.model.calibration = calibrate(run_, solver());
  }
  result.divergences = guard_.divergences();
  // Theorems are about a run from its first step to its last.
  if (result.divergences.empty()) {
    result.theory = solver().theory();
    if (run_.options.certify) result.compression_sets = compression_sets_of(solver());
  }
  result.warnings = std::move(run_.warnings);
  result.model.summary = summary_record(*end_, result);
  result.status = *end_;
  if (run_.options.save_state && end_->outcome != Outcome::diverged) {
    result.state = state_with(result.model);
  }
  if (run_.problem.vocabulary) name_models(*run_.problem.vocabulary, result);
  return result;
}

// Of a run that diverged there is the last good state and nothing else; and models beside the last
// one, which nobody watched row by row, may show only now that it is one.
void Run::record_models(FitResult& result) {
  const std::size_t results = end_->outcome == Outcome::diverged ? 1 : solver().results();
  for (std::size_t i = 0; i < results && results > 1; ++i) {
    solver().show(i);
    if (!GoodState().keep(solver())) {
      end_ = guard_.end_at_record();
      result.recorded.clear();
      return;
    }
    if (i + 1 < results) result.recorded.push_back({log_.evaluate(), model_now()});
  }
}

// With a ridge, the fits replace the models of the run. Without one, they are added to them.
void Run::polish_models(FitResult& result) {
  const std::optional<double> ridge = ridge_of(run_.options);
  const bool learned = end_->outcome != Outcome::diverged && end_->outcome != Outcome::stopped;
  if ((!ridge && !run_.options.polish) || !learned) return;
  if (!Polish::obstacle(run_).empty()) return;
  const std::size_t variants = run_.options.betas.size() + 1;
  const std::size_t results = solver().results();
  std::vector<ModelParts> models;  // the largest first; its features do not depend on beta
  for (std::size_t i = variants - 1; i < results; i += variants) {
    solver().show(i);
    models.push_back(parts_of(solver(), run_.problem.features.get()));
  }
  const ModelParts last = models.back();
  // The constant model is one of them, too.
  if (!ridge) models.emplace_back(last.size());
  std::vector<std::optional<PolishedModel>> found, pruned;
  std::optional<RelaxedBudget> relaxed;
  const std::optional<double> prune = set_number(run_.options, "prune");
  log_.timed([&] {
    const Polish polish(run_);
    found = prune ? polish.prune(models, PruneRidges{*prune, *ridge}) : polish.fit(models, ridge);
    if (!ridge && polish.may_prune()) pruned = polish.prune(models, std::nullopt);
    if (ridge && run_.options.certify && found.back()) {
      relaxed = BudgetRelaxer(run_, polish, *ridge).relax(found.back()->parts);
    }
  });
  if (ridge && run_.options.stop != nullptr && run_.options.stop->load()) {
    set_parts(last, solver());
    return stop();
  }
  for (const std::optional<PolishedModel>& model : found) {
    if (!model && ridge) throw Error("--ridge: the fit is not finite; rescale the features");
  }
  result.polished = evaluated(found);
  result.pruned = evaluated(pruned);
  if (!ridge) return set_parts(last, solver());
  for (std::size_t i = 0; i + 1 < found.size(); ++i) result.recorded[i] = *result.polished[i];
  result.polished.clear();
  if (!relaxed) return;
  set_parts(relaxed->dual, solver());
  result.dual_point = DualPoint{model_now(), relaxed->ridge, setup().max_nonzeros};
  set_parts(relaxed->model, solver());
  constexpr double kWorthTelling = 0.005;
  if (relaxed->slack > kWorthTelling) {
    run_.warn(
        fmt::format("the relaxation behind the certificate has not converged: with more "
                    "work its bound might be up to {:.2g}% higher",
                    100 * relaxed->slack));
  }
}

std::vector<std::optional<Polished>> Run::evaluated(
    const std::vector<std::optional<PolishedModel>>& models) {
  std::vector<std::optional<Polished>> all;
  for (const std::optional<PolishedModel>& model : models) {
    std::optional<Polished>& polished = all.emplace_back();
    if (!model) continue;
    set_parts(model->parts, solver());
    polished = Polished{{log_.evaluate(), model_now(&*model)}, model->ridge, model->prune};
  }
  return all;
}

Model Run::model_now(const PolishedModel* polished) const {
  const Solver& solver = guard_.solver();
  Options used = run_.options;
  // What was taken may be smaller than the default.
  if (!used.auto_eta) used.eta = solver.chosen_eta().value_or(guard_.eta());
  solver.note_options(used);
  if (polished != nullptr) {
    used.solver_options = {{"ridge", fmt::format("{}", polished->ridge)}};
    if (polished->prune) used.solver_options["prune"] = fmt::format("{}", *polished->prune);
  }
  Model model = make_model(run_.problem, used, rows_.labels(), solver, setup().dimension);
  if (start_ != nullptr) keep_names(*start_, model);
  return model;
}

FitResult fit(const Problem& problem, const Options& options, const Model* start,
              Observer* observer) {
  check_options(options);
  if (options.delta) return best_of_runs(problem, options, start, observer);
  const ThreadLimit limit(options.threads);
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
