// What comes out of a run: traced points, the models it recorded, the model at its end.

#include <fmt/format.h>

#include <algorithm>

#include "data/names/vocabulary.hpp"
#include "model/names.hpp"
#include "model/platt.hpp"
#include "sparse/kernels.hpp"
#include "thresh/error.hpp"
#include "train/record.hpp"
#include "train/run.hpp"
#include "train/score.hpp"
#include "train/weight_exponents.hpp"

namespace thresh {

namespace {

std::vector<Kernel> kernels_of(const Solver& solver) {
  if (solver.parts().empty()) return {{solver.kernel(), solver.state().updates}};
  std::vector<Kernel> kernels;
  for (const auto& part : solver.parts()) {
    kernels.push_back({part->kernel(), part->state().updates});
  }
  return kernels;
}

}  // namespace

FitResult Run::finish(const EndScores& scores) {
  FitResult result;
  record_models(result);
  Status status = *end_;
  progress_.nonzeros = solver_->state().nonzeros;  // not those of the model recorded last
  // The end is traced, once: a mark may have been due right there.
  const bool traced = !trace_.empty() && trace_.back().at.examples == progress_.examples &&
                      trace_.back().at.nonzeros == progress_.nonzeros;
  if (marks_.wanted() && !traced) trace(scores);
  result.last = marks_.wanted() ? trace_.back() : evaluate(scores);
  result.trace = std::move(trace_);
  const Survey* survey = problem_.train->survey();
  result.bad_rows = survey != nullptr ? survey->bad_rows : bad_rows_;
  result.model = model_now();
  if (options_.calibrate && status.outcome != Outcome::diverged) {
    result.model.calibration = calibrate();
  }
  // Theorems are about a run from its first step to its last.
  if (divergences_.empty()) {
    result.theory = solver_->theory();
    if (options_.certify) result.kernels = kernels_of(*solver_);
  }
  result.divergences = std::move(divergences_);
  result.warnings = std::move(warnings_);
  result.model.summary = summary_json(status, result);
  result.status = std::move(status);
  if (problem_.vocabulary) {
    std::vector<Model*> models = {&result.model};
    for (Recorded& recorded : result.recorded) models.push_back(&recorded.model);
    name_features(*problem_.vocabulary, models);
    for (Model* model : models) drop_unneeded_terms(*model);
  }
  return result;
}

// Of a run that diverged there is the last good state and nothing else; and models beside the last
// one, which nobody watched row by row, may show only now that it is one.
void Run::record_models(FitResult& result) {
  const std::size_t results = end_->outcome == Outcome::diverged ? 1 : solver_->results();
  for (std::size_t i = 0; i < results && results > 1; ++i) {
    solver_->show(i);
    if (!GoodState().keep(*solver_)) {
      Divergence divergence;
      divergence.examples = solver_->state().examples;
      divergence.back_to = recovery_.good().examples();
      divergence.what = "a model that was recorded is not finite" + advice(std::nullopt);
      note(divergence);
      end_ = diverged(divergence.what);
      result.recorded.clear();
      return;
    }
    if (i + 1 < results) result.recorded.push_back({evaluate(), model_now()});
  }
}

Model Run::model_now() const {
  Options used = options_;
  // What was taken may be smaller than the default.
  if (!used.auto_eta) used.eta = solver_->chosen_eta().value_or(eta_);
  solver_->note_options(used);
  Model model = make_model(problem_, used, labels_seen_, *solver_, setup_.dimension);
  keep_names(model);
  return model;
}

void Run::trace(const EndScores& scores) {
  trace_.push_back(evaluate(scores));
  densest_ = std::max(densest_, solver_->state().nonzeros);
  observer_.on_trace(trace_.back());
}

TracePoint Run::evaluate(const EndScores& scores) {
  solver_->settle();
  progress_.nonzeros = solver_->state().nonzeros;
  TracePoint point;
  point.at = progress_;
  if (marks_.wanted()) {
    const Score train =
        scores.train ? *scores.train : score(*solver_, setup_.train, setup_.training);
    point.objective = train.loss + solver_->penalty();
    point.train_error = train.error;
    point.exponents = weight_exponents(*solver_);
  }
  if (setup_.validation) {
    const Score valid =
        scores.valid ? *scores.valid : score(*solver_, setup_.validate, *setup_.validation);
    point.valid_error = valid.error;
    point.valid_error_se = valid.error_se;
    point.valid_loss = valid.loss;
    point.valid_rows = valid.rows;
    point.valid_weight = valid.weight;
  }
  return point;
}

std::optional<Calibration> Run::calibrate() {
  MarginSample sample(MarginSample::kCapacity, options_.seed);
  const LinearState& state = solver_->state();
  for_each_window(setup_.validate, *setup_.validation, [&](const Window& window) {
    solver_->ensure_slots(window.slot_end);
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

}  // namespace thresh
