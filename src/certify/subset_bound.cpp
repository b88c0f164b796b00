#include "certify/subset_bound.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>

#include "certify/bound_tree.hpp"
#include "certify/point_facts.hpp"

namespace thresh {
namespace {

constexpr std::size_t kPassBytes = std::size_t{1} << 27;  // for dual points of one pass
constexpr std::size_t kMostPoints = 512;                  // likewise

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

// The facts of the points of a tree, as many as fit read in one pass.
class PointReader {
 public:
  PointReader(const FeatureFacts& features, const TrainingRows& rows,
              const std::vector<BoundNode>& nodes)
      : features_(features), rows_(rows), nodes_(nodes) {
    const std::size_t bytes = sizeof(Real) * PointSums::kParts * features.slot_end() +
                              sizeof(FeatureGain) * features.slots().size();
    most_ = std::clamp<std::size_t>(kPassBytes / std::max<std::size_t>(bytes, 1), 1, kMostPoints);
  }

  std::shared_ptr<const PointFacts> facts_of(std::size_t node) {
    while (!read_.empty() && read_.front().first < node) read_.pop_front();
    if (read_.empty() || read_.front().first != node) read_from(node);
    return read_.front().second;
  }

 private:
  void read_from(std::size_t node) {
    std::vector<std::size_t> numbers;
    std::vector<const SlotPoint*> points;
    for (; node < nodes_.size() && numbers.size() < most_; ++node) {
      if (!nodes_[node].point) continue;
      numbers.push_back(node);
      points.push_back(&*nodes_[node].point);
    }
    PointSums sums(features_, points);
    for_each_window(rows_.source, rows_.view, [&](const Window& window) {
      sums.ensure(window.slot_end);
      for (const Row& row : window.rows) sums.add(row, rows_.target(row));
    });
    read_.clear();
    for (std::size_t p = 0; p < numbers.size(); ++p) {
      read_.emplace_back(numbers[p], std::make_shared<const PointFacts>(sums.facts(p)));
    }
  }

  const FeatureFacts& features_;
  const TrainingRows& rows_;
  const std::vector<BoundNode>& nodes_;
  std::size_t most_;
  std::deque<std::pair<std::size_t, std::shared_ptr<const PointFacts>>> read_;
};

}  // namespace

SubsetBound subset_bound(const SubsetProblem& problem, const TrainingRows& rows,
                         const SlotWeights& model, const SlotPoint& dual, const BoundTree& tree) {
  FeatureFacts features(problem);
  ModelSums sums(problem, model);
  const SlotPoint* const only = &dual;
  PointSums point(features, {&only, 1});
  for_each_window(rows.source, rows.view, [&](const Window& window) {
    features.ensure(window.slot_end);
    point.ensure(window.slot_end);
    for (const Row& row : window.rows) {
      const double y = rows.target(row);
      features.add(row, y);
      sums.add(row, y);
      point.add(row, y);
    }
  });
  features.finish();
  SubsetBound found;
  found.objective = sums.objective(features);
  found.constant = constant_of(features);
  PointReader reader(features, rows, tree.nodes);
  const TreeFacts proved =
      walk_tree(features, point.facts(0), tree.nodes, tree.claimed, found.objective,
                [&](std::size_t node) { return reader.facts_of(node); });
  found.bound = std::max<Real>(0, proved.bound);  // no loss is below zero
  found.occurring = features.slots().size();
  for (std::size_t place = 0; place < features.slots().size(); ++place) {
    const std::uint32_t slot = features.slots()[place];
    const bool kept = std::binary_search(problem.kept.begin(), problem.kept.end(), slot);
    if (proved.never[place] != 0) ++found.proved_out;
    if (proved.always[place] != 0 && !kept) found.proved_in.push_back(slot);
  }
  return found;
}

}  // namespace thresh
