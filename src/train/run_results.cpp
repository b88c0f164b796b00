// What comes out of a run: its models, fitted to their optimum or not, and what is known of them.

#include <fmt/format.h>

#include "data/names/vocabulary.hpp"
#include "model/names.hpp"
#include "model/platt.hpp"
#include "solvers/budget/learner.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "thresh/threshold.hpp"
#include "train/polish.hpp"
#include "train/record.hpp"
#include "train/relax.hpp"
#include "train/run.hpp"

namespace thresh {
namespace {

std::vector<CompressionSet> compression_sets_of(const Solver& solver) {
  std::vector<CompressionSet> compression_sets;
  for (const Solver* leaf : leaves(solver)) {
    compression_sets.push_back({leaf->compression_set(), leaf->state().updates});
  }
  return compression_sets;
}

Calibration calibrate(const RunContext& run, Solver& solver) {
  MarginSample sample(MarginSample::kCapacity, run.options.seed);
  std::vector<double> margins;
  for_each_window(run.setup.validate, *run.setup.validation, [&](const Window& window) {
    solver.ensure_slots(window.slot_end);
    margins.clear();
    add_margins(solver, window.rows, margins);
    for (std::size_t i = 0; i < margins.size(); ++i) {
      sample.add(margins[i], window.rows[i].label, window.rows[i].weight);
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
  for (auto* all : {&result.polished, &result.pruned, &result.by_errors, &result.contrasted}) {
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

}  // namespace

Settings PolishSettings::options() const {
  Settings all = {{"ridge", fmt::format("{}", ridge)}};
  if (prune) all.emplace_back("prune", fmt::format("{}", *prune));
  if (by_errors) all.emplace_back("fewest-errors", "true");
  if (contrast) all.emplace_back("contrast", "true");
  return all;
}

FitResult Run::finish(const EndScores& scores) {
  FitResult result;
  record_models(result);
  polish_models(result);
  result.trace = log_.end_trace(scores);
  const bool traced = !result.trace.empty() &&
                      result.trace.back().at.examples == log_.progress.examples &&
                      result.trace.back().at.nonzeros == log_.progress.nonzeros;
  result.last = traced ? result.trace.back() : scored(scores);
  const Survey* survey = run_.problem.train->survey();
  result.bad_rows = survey != nullptr ? survey->bad_rows : rows_.bad_rows();
  result.model = model_now();
  if (run_.options.calibrate && end_->outcome != Outcome::diverged) {
    result.model.calibration = calibrate(run_, solver());
  }
  set_threshold(result);
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

std::vector<std::uint64_t> Run::select() {
  const std::string name = run_.problem.train->name();
  for (Solver* leaf : leaves(solver())) dynamic_cast<BudgetLearner&>(*leaf).only_select();
  try {
    begin();
    RowPlace start;
    if (!over()) end_ = rows_.run(start, {});
  } catch (const Interrupted&) {
    stop();
  }
  close();
  if (end_->outcome == Outcome::stopped) throw Interrupted(name + ": interrupted");
  if (end_->outcome == Outcome::diverged) {
    throw Error(fmt::format("{}: the screening diverged: {}", name, end_->reason));
  }
  std::vector<std::uint64_t> ids;
  for (const Solver* leaf : leaves(solver())) {
    for (const std::uint32_t slot : nonzero_slots(leaf->state())) {
      ids.push_back(run_.problem.features->id(slot));
    }
  }
  return ids;
}

// What was interrupted may have no scores.
void Run::set_threshold(FitResult& result) {
  const std::string& by = run_.options.threshold_by;
  if (by.empty() || end_->outcome == Outcome::diverged) return;
  if (result.last.row_scores) {
    result.model.threshold = choose_threshold(*result.last.row_scores, by);
  } else {
    run_.warn("interrupted before a threshold was chosen: it is margin 0");
  }
}

// A run that is told to stop before its models have scores has stopped.
TracePoint Run::scored(const EndScores& scores) {
  TracePoint point = log_.evaluate(scores);
  const bool complete = !setup().validation || point.valid_loss;
  if (!complete && end_->outcome != Outcome::diverged) stop();
  return point;
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
    if (i + 1 < results) result.recorded.push_back({scored(), model_now()});
  }
}

// With a ridge, the fits replace the models of the run. Without one, they are added to them.
void Run::polish_models(FitResult& result) {
  const std::optional<double> ridge = set_number(run_.options, "ridge");
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
  std::vector<std::optional<PolishedModel>> found, pruned, by_errors, contrasted;
  std::optional<RelaxedBudget> relaxed;
  const std::optional<double> prune = set_number(run_.options, "prune");
  const auto polish_all = [&] {
    const Polish polish(run_);
    if (prune) {
      found = polish.prune(models, PruneRidges{*prune, *ridge});
    } else if (has_flag(run_.options, "fewest-errors")) {
      found = polish.fit_by_errors(models, {}, ridge);
    } else if (has_flag(run_.options, "contrast")) {
      found = polish.contrast(models, *ridge);
    } else {
      Polish::Fits fits = polish.fit(models, ridge);
      found = std::move(fits.plain);
      contrasted = std::move(fits.contrasted);
    }
    if (!ridge && polish.may_prune()) pruned = polish.prune(models, std::nullopt);
    if (!ridge && polish.may_search_errors())
      by_errors = polish.fit_by_errors(models, found, ridge);
    if (ridge && run_.options.certify && found.back()) {
      relaxed = BudgetRelaxer(run_, polish, *ridge).relax(found.back()->parts);
    }
  };
  try {
    log_.timed(polish_all);
  } catch (const Interrupted&) {  // as below
  }
  // A proof that was interrupted is a weaker one.
  if (run_.options.stop != nullptr && run_.options.stop->load() && !relaxed) {
    set_parts(last, solver());
    return stop();
  }
  for (const std::optional<PolishedModel>& model : found) {
    if (!model && ridge) throw Error("--ridge: the fit is not finite; rescale the features");
  }
  result.polished = evaluated(found);
  result.pruned = evaluated(pruned);
  result.by_errors = evaluated(by_errors);
  result.contrasted = evaluated(contrasted);
  if (!ridge) return set_parts(last, solver());
  for (std::size_t i = 0; i + 1 < found.size(); ++i) result.recorded[i] = *result.polished[i];
  result.polished.clear();
  if (relaxed) take_relaxed(*relaxed, result);
}

// The model is that of the relaxation if it is better, and has the dual point for its certificate.
void Run::take_relaxed(const RelaxedBudget& relaxed, FitResult& result) {
  set_parts(relaxed.dual, solver());
  result.dual_point = DualPoint{model_now(), relaxed.ridge, setup().max_nonzeros};
  for (const RelaxedBudget::Tree& tree : relaxed.trees) {
    result.dual_point->proofs.push_back(proof_of(tree));
  }
  result.dual_point->seconds_left = relaxed.seconds_left;
  set_parts(relaxed.model, solver());
  constexpr double kWorthTelling = 0.005;
  if (relaxed.slack > kWorthTelling) {
    run_.warn(
        fmt::format("the relaxation behind the certificate has not converged: with more "
                    "work its bound might be up to {:.2g}% higher",
                    100 * relaxed.slack));
  }
  if (!relaxed.unproved.empty()) {
    run_.warn(fmt::format("--prove {:.4g}% was not reached: {}", 100 * run_.options.prove,
                          relaxed.unproved.front()));
  }
}

Proof Run::proof_of(const RelaxedBudget::Tree& tree) const {
  Proof proof;
  proof.bound = tree.bound;
  for (const RelaxedBudget::Node& node : tree.nodes) {
    ProofNode& to = proof.nodes.emplace_back();
    if (node.branch) to.branch = run_.index_of(*node.branch);
    to.bound = node.bound;
    if (!node.point) continue;
    to.has_point = true;
    to.weights = plain_weights(*node.point, run_.problem, to.intercept);
  }
  return proof;
}

std::vector<std::optional<Polished>> Run::evaluated(
    const std::vector<std::optional<PolishedModel>>& models) {
  std::vector<std::optional<Polished>> all;
  for (const std::optional<PolishedModel>& model : models) {
    std::optional<Polished>& polished = all.emplace_back();
    if (!model) continue;
    set_parts(model->parts, solver());
    polished = Polished{{scored(), model_now(&*model)}, *model};
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
    used.solver_options.clear();
    for (const auto& [name, value] : polished->options()) used.solver_options[name] = value;
  }
  Model model = make_model(run_.problem, used, rows_.labels(), solver, setup().dimension);
  if (start_ != nullptr) keep_names(*start_, model);
  return model;
}

}  // namespace thresh
