#include "train/result_archive.hpp"

#include "solvers/solver.hpp"
#include "thresh/learner_state.hpp"

namespace thresh {

void archive(Archive& a, Progress& p) {
  a(p.pass, p.examples, p.updates, p.accesses, p.nonzeros, p.dimension, p.bytes, p.seconds,
    p.progressive_error, p.expected_examples);
}

static void archive(Archive& a, WeightExponents& exponents) {
  a(exponents.within, exponents.mean, exponents.deviation);
}

static void archive(Archive& a, RowScores& scores) {
  a(scores.losses, scores.misses, scores.weights, scores.margins, scores.labels, scores.ids);
  const std::size_t rows = scores.weights.size();
  a.require(scores.losses.size() == rows);
  for (const auto* list : {&scores.misses, &scores.margins, &scores.labels}) {
    a.require(list->empty() || list->size() == rows);
  }
  a.require(scores.ids.empty() || scores.ids.size() == rows);
}

void archive(Archive& a, TracePoint& point) {
  a(point.at, point.objective, point.train_error, point.exponents, point.valid_error,
    point.valid_error_se, point.valid_loss, point.valid_rows, point.valid_weight);
  bool has_scores = point.row_scores != nullptr;
  a(has_scores);
  if (!has_scores) return;
  auto scores =
      a.reads() ? std::make_shared<RowScores>() : std::make_shared<RowScores>(*point.row_scores);
  a(*scores);
  point.row_scores = std::move(scores);
}

void archive(Archive& a, Divergence& d) {
  a(d.row, d.line, d.feature, d.weight, d.value, d.examples, d.back_to, d.step, d.what);
}

static void archive(Archive& a, Finding& finding) {
  a(finding.name, finding.value, finding.note);
}

static void archive(Archive& a, CompressionSet& set) {
  a(set.rows, set.updates);
}

static void archive(Archive& a, Model& model) {
  std::string bytes = a.reads() ? "" : model.to_bytes();
  a(bytes);
  if (a.reads()) model = Model::from_bytes(bytes);
}

static void archive(Archive& a, Recorded& recorded) {
  a(recorded.last, recorded.model);
}

static void archive(Archive& a, Polished& polished) {
  a(static_cast<Recorded&>(polished), polished.ridge, polished.prune, polished.by_errors,
    polished.contrast);
}

static void archive(Archive& a, ProofNode& node) {
  a(node.branch, node.has_point, node.intercept, node.weights);
}

static void archive(Archive& a, Proof& proof) {
  a(proof.nodes, proof.bound);
}

static void archive(Archive& a, DualPoint& dual) {
  a(dual.model, dual.ridge, dual.features, dual.proofs);
}

void archive(Archive& a, FitResult& result) {
  a(result.model, result.status, result.last, result.trace, result.theory, result.recorded,
    result.polished, result.pruned, result.by_errors, result.contrasted, result.compression_sets,
    result.dual_point, result.divergences, result.warnings, result.bad_rows);
  bool has_state = result.state != nullptr;
  a(has_state);
  if (!has_state) return;
  auto state =
      a.reads() ? std::make_shared<LearnerState>() : std::make_shared<LearnerState>(*result.state);
  a(*state);
  result.state = std::move(state);
}

}  // namespace thresh
