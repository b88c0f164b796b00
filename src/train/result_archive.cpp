#include "train/result_archive.hpp"

#include "solvers/solver.hpp"

namespace thresh {

void archive(Archive& a, Progress& p) {
  a(p.pass, p.examples, p.updates, p.accesses, p.nonzeros, p.dimension, p.bytes, p.seconds,
    p.progressive_error, p.expected_examples);
}

static void archive(Archive& a, WeightExponents& exponents) {
  a(exponents.within, exponents.mean, exponents.deviation);
}

static void archive(Archive& a, RowScores& scores) {
  a(scores.losses, scores.misses, scores.weights);
  a.require(scores.losses.size() == scores.weights.size() &&
            (scores.misses.empty() || scores.misses.size() == scores.weights.size()));
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
  a(static_cast<Recorded&>(polished), polished.ridge);
}

static void archive(Archive& a, DualPoint& dual) {
  a(dual.model, dual.ridge, dual.features);
}

void archive(Archive& a, FitResult& result) {
  a(result.model, result.status, result.last, result.trace, result.theory, result.recorded,
    result.polished, result.compression_sets, result.dual_point, result.divergences,
    result.warnings, result.bad_rows);
}

}  // namespace thresh
