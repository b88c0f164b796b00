// Small problems of a feature budget, whose subsets can all be fitted.
#pragma once

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "certify/subset_bound.hpp"
#include "polish/relaxation.hpp"
#include "polish/search_case.hpp"
#include "tools/problems.hpp"

namespace thresh::subset_case {

struct SubsetCase {
  DenseProblem data;
  SubsetProblem problem;
  std::size_t n() const { return data.x.size(); }
  double total() const { return std::accumulate(data.s.begin(), data.s.end(), 0.0); }
  // ridge s_j, times the total weight: the rho_j of a RidgeProblem.
  Vector rho() const {
    Vector all(data.features);
    for (std::size_t j = 0; j < all.size(); ++j) {
      double squares = 0;
      for (std::size_t i = 0; i < n(); ++i) squares += data.s[i] * data.x[i][j] * data.x[i][j];
      all[j] = std::max(problem.ridge * std::sqrt(squares * total()), 1e-9);
    }
    return all;
  }
};

inline SubsetCase any_case() {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto rows = *rc::gen::inRange<std::size_t>(5, 60);
  const auto columns = *rc::gen::inRange<std::size_t>(2, 15);
  const Kind kind = *rc::gen::element(Kind::binary, Kind::normal, Kind::alike, Kind::counts);
  SubsetCase c{columns_of(kind, rows, columns, random), {}};
  c.problem.loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::squared_hinge);
  c.problem.ridge = *rc::gen::element(1e-3, 0.03, 1.0);
  c.problem.intercept = *rc::gen::arbitrary<bool>();
  c.problem.features = *rc::gen::inRange<std::uint64_t>(1, std::min<std::uint64_t>(5, columns + 1));
  const auto kept = static_cast<std::uint32_t>(columns / 2);
  const bool occurs =
      std::any_of(c.data.x.begin(), c.data.x.end(), [&](const Vector& x) { return x[kept] != 0; });
  // One that does not occur would take no place.
  if (occurs && *rc::gen::arbitrary<bool>()) c.problem.kept = {kept};
  if (c.problem.loss == Loss::squared) {
    for (double& y : c.data.y) y += 3 + random.normal();
  }
  return c;
}

struct Best {
  double objective = 1e300;  // per weight
  std::uint32_t features = 0;
  Dense at;
};

// Fits all subsets of K features, with the kept ones; calls `each` with every one.
template <class Each>
void for_each_subset(const SubsetCase& c, const Each& each) {
  const SupportMatrix rows = matrix_of(c.data);
  const Vector rho = c.rho();
  for (std::uint32_t set = 0; set < 1U << c.data.features; ++set) {
    const auto size = static_cast<std::uint64_t>(std::popcount(set));
    const bool keeps = std::all_of(c.problem.kept.begin(), c.problem.kept.end(),
                                   [&](std::uint32_t j) { return (set >> j & 1U) != 0; });
    if (size != c.problem.features || !keeps) continue;
    Columns columns;
    Vector ridges;
    for (std::uint32_t j = 0; j < c.data.features; ++j) {
      if ((set >> j & 1U) == 0) continue;
      columns.push_back(j);
      ridges.push_back(rho[j]);
    }
    const SupportMatrix part = rows.only(columns);
    const RidgeModel fit =
        RidgeProblem(part, c.data.y, LossFunction(c.problem.loss), c.problem.intercept)
            .fit(ridges, {});
    Dense at{Vector(c.data.features), fit.intercept};
    for (std::size_t k = 0; k < columns.size(); ++k) at.w[columns[k]] = fit.weights[k];
    each(Best{fit.objective / c.total(), set, at});
  }
}

inline Best best_of_all(const SubsetCase& c) {
  Best best;
  for_each_subset(c, [&](const Best& found) {
    if (found.objective < best.objective) best = found;
  });
  return best;
}

inline SlotWeights weights_of(const Dense& at, FeatureMap& features) {
  std::vector<Coefficient> all;
  for (std::size_t j = 0; j < at.w.size(); ++j) {
    if (at.w[j] != 0) all.push_back({j + 1, at.w[j], ""});
  }
  return {all, at.b, false, features};
}

// With the rows' weights.
inline Problem problem_of(const DenseProblem& data) {
  const SupportMatrix rows = matrix_of(data);
  const std::vector<std::uint64_t> indices(rows.at.begin(), rows.at.end());
  Problem problem;
  problem.features = make_feature_map();
  problem.train =
      memory_rows({rows.starts, indices, rows.values, data.y, data.s}, {}, problem.features);
  return problem;
}

inline SlotPoint point_of(const Dense& at, FeatureMap& features) {
  SlotPoint point;
  point.intercept = at.b;
  for (std::size_t j = 0; j < at.w.size(); ++j) {
    if (at.w[j] != 0) point.weights.emplace_back(features.slot(j), at.w[j]);
  }
  return point;
}

inline SubsetBound bound_of(const SubsetCase& c, const Dense& model, const Dense& dual,
                            const BoundTree& tree = {}) {
  const Problem problem = problem_of(c.data);
  TrainingRows rows{problem.train, problem.features, {}, std::nullopt};
  rows.view.labels =
      c.problem.loss == Loss::squared ? LabelMap::regression() : LabelMap::of_classes(-1, 1);
  return subset_bound(c.problem, rows, weights_of(model, *problem.features),
                      point_of(dual, *problem.features), tree);
}

// The relaxed optimum, for columns divided by the roots of rho.
inline Dense relaxed(const SubsetCase& c, double& objective) {
  SupportMatrix rows = matrix_of(c.data);
  Vector factors = c.rho();
  for (double& factor : factors) factor = 1 / std::sqrt(factor);
  rows.scale_columns(factors);
  std::vector<char> kept(c.data.features);
  for (const std::uint32_t j : c.problem.kept) kept[j] = 1;
  const Relaxation relaxation(rows, c.data.y, LossFunction(c.problem.loss), c.problem.intercept, 1,
                              SupportNorm(c.problem.features - c.problem.kept.size(), kept));
  const RelaxedModel found = relaxation.fit({}, {1e-7, 20'000, nullptr});
  objective = found.model.objective / c.total();
  Dense at{found.model.weights, found.model.intercept};
  for (std::size_t j = 0; j < factors.size(); ++j) at.w[j] *= factors[j];
  return at;
}

constexpr double kFit = 1e-7;  // to which subsets are fitted

}  // namespace thresh::subset_case
