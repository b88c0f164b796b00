#include "certify/subset_bound.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "certify/bound_tree.hpp"
#include "certify/point_facts.hpp"
#include "certify/tree_points.hpp"

namespace thresh {
namespace {

// The objective of a model, rounded up.
class ModelSums {
 public:
  ModelSums(const SubsetProblem& problem, const SlotWeights& model)
      : problem_(problem), loss_{problem.loss}, model_(model) {}

  void add(const Row& row, double y) {
    Real margin = model_.intercept, terms = std::fabs(Real(model_.intercept));
    for (std::size_t i = 0; i < row.size; ++i) {
      const Real term = Real(model_.at(row.slots[i])) * row.values[i];
      margin += term;
      terms += std::fabs(term);
    }
    const Real lost = static_cast<Real>(row.size + 4) * kRealUnit * terms;
    losses_.add(row.weight * loss_.value(margin, y));
    lost_.add(row.weight * lost * (std::fabs(loss_.slope(margin, y)) + 2 * lost));
  }
  Real objective(const FeatureFacts& features) const {
    Real penalty = 0;
    for (std::uint32_t slot = 0; slot < model_.weights.size(); ++slot) {
      const Real w = model_.weights[slot];
      if (w == 0) continue;
      const FeatureFacts::Size size = features.size_of(slot);
      penalty +=
          Real(problem_.ridge) / 2 * size.value * w * w * (1 + size.lost + features.rounding());
    }
    const Real loss = (losses_.value() + lost_.value()) / features.weight();
    return (loss + penalty) * (1 + 16 * kRealUnit);
  }

 private:
  const SubsetProblem& problem_;
  RealLoss loss_;
  const SlotWeights& model_;
  ExactSum losses_, lost_;  // and what margins may be off by
};

// The minimum over the intercept alone.
Real constant_of(const FeatureFacts& features) {
  const SubsetProblem& problem = features.problem();
  const Real total = features.weight();
  const Real mean = problem.intercept ? features.targets() / total : 0;
  if (problem.loss == Loss::squared) return (features.target_squares() / total - mean * mean) / 2;
  const Real share = (1 + mean) / 2;  // of the positive class
  if (problem.loss == Loss::squared_hinge) return 4 * share * (1 - share);
  const auto x_log_x = [](Real x) { return x > 0 ? x * std::log(x) : 0; };
  return -x_log_x(share) - x_log_x(1 - share);
}

}  // namespace

struct SubsetProof::Facts {
  Facts(const SubsetProblem& about, const TrainingRows& of)
      : problem(about), rows(of), features(about) {}

  const SubsetProblem& problem;
  const TrainingRows& rows;
  FeatureFacts features;
  Real objective = 0;
  PointFacts root;
};

SubsetProof::~SubsetProof() = default;

SubsetProof::SubsetProof(const SubsetProblem& problem, const TrainingRows& rows,
                         const SlotWeights& model, const SlotPoint& dual) {
  auto facts = std::make_unique<Facts>(problem, rows);
  ModelSums sums(problem, model);
  PointSums point(facts->features, dual);
  for_each_window(rows.source, rows.view, [&](const Window& window) {
    facts->features.ensure(window.slot_end);
    point.ensure(window.slot_end);
    for (const Row& row : window.rows) {
      const double y = rows.target(row);
      facts->features.add(row, y);
      sums.add(row, y);
      point.add(row, y);
    }
  });
  facts->features.finish();
  facts->objective = sums.objective(facts->features);
  facts->root = point.facts();
  facts_ = std::move(facts);
}

SubsetBound SubsetProof::of(const BoundTree& tree, const ProofLimits& limits) const {
  const FeatureFacts& features = facts_->features;
  const std::vector<std::uint32_t>& kept = facts_->problem.kept;
  SubsetBound found;
  found.objective = facts_->objective;
  found.constant = constant_of(features);
  std::optional<TreePoints> points;
  const TreeFacts proved =
      walk_tree(features, facts_->root, tree.nodes, tree.claimed, found.objective,
                [&](std::size_t node, const std::vector<std::uint32_t>& slots) {
                  if (!points) points.emplace(features, facts_->rows, tree.nodes, slots, limits);
                  return points->facts_of(node);
                });
  found.bound = std::max<Real>(0, proved.bound);  // no loss is below zero
  found.occurring = features.slots().size();
  for (std::size_t place = 0; place < features.slots().size(); ++place) {
    const std::uint32_t slot = features.slots()[place];
    if (proved.never[place] != 0) ++found.proved_out;
    if (proved.always[place] == 0 || std::binary_search(kept.begin(), kept.end(), slot)) continue;
    found.proved_in.push_back(slot);
  }
  return found;
}

SubsetBound SubsetProof::of(const BoundTree& tree) const {
  return of(tree, {});
}

SubsetBound subset_bound(const SubsetProblem& problem, const TrainingRows& rows,
                         const SlotWeights& model, const SlotPoint& dual, const BoundTree& tree) {
  return SubsetProof(problem, rows, model, dual).of(tree);
}

}  // namespace thresh
