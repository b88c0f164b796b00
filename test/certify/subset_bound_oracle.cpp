// The bound for models of K features, against fits of all subsets.

#include "certify/subset_bound.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "polish/relaxation.hpp"
#include "polish/search_case.hpp"
#include "tools/problems.hpp"

namespace thresh::subset_bound_oracle {
namespace {

struct Case {
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

Case any_case() {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto rows = *rc::gen::inRange<std::size_t>(5, 60);
  const auto columns = *rc::gen::inRange<std::size_t>(2, 15);
  const Kind kind = *rc::gen::element(Kind::binary, Kind::normal, Kind::alike, Kind::counts);
  Case c{columns_of(kind, rows, columns, random), {}};
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
void for_each_subset(const Case& c, const Each& each) {
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

Best best_of_all(const Case& c) {
  Best best;
  for_each_subset(c, [&](const Best& found) {
    if (found.objective < best.objective) best = found;
  });
  return best;
}

SlotWeights weights_of(const Dense& at, FeatureMap& features) {
  std::vector<Coefficient> all;
  for (std::size_t j = 0; j < at.w.size(); ++j) {
    if (at.w[j] != 0) all.push_back({j + 1, at.w[j], ""});
  }
  return {all, at.b, false, features};
}

// With the rows' weights.
Problem problem_of(const DenseProblem& data) {
  const SupportMatrix rows = matrix_of(data);
  const std::vector<std::uint64_t> indices(rows.at.begin(), rows.at.end());
  Problem problem;
  problem.features = make_feature_map();
  problem.train =
      memory_rows({rows.starts, indices, rows.values, data.y, data.s}, {}, problem.features);
  return problem;
}

SubsetBound bound_of(const Case& c, const Dense& model, const Dense& dual) {
  const Problem problem = problem_of(c.data);
  TrainingRows rows{problem.train, problem.features, {}, std::nullopt};
  rows.view.labels =
      c.problem.loss == Loss::squared ? LabelMap::regression() : LabelMap::of_classes(-1, 1);
  return subset_bound(c.problem, rows, weights_of(model, *problem.features),
                      weights_of(dual, *problem.features));
}

// The relaxed optimum, for columns divided by the roots of rho.
Dense relaxed(const Case& c, double& objective) {
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

RC_GTEST_PROP(SubsetBound, NoSubsetIsBelowIt, ()) {
  const Case c = any_case();
  const Best best = best_of_all(c);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Dense dual{Vector(c.data.features), random.normal()};
  for (double& w : dual.w) w = random.uniform() < 0.5 ? random.normal() : 0;
  if (!c.problem.intercept) dual.b = 0;
  for (const Dense& at : {dual, best.at, Dense{Vector(c.data.features), 0}}) {
    const SubsetBound found = bound_of(c, best.at, at);
    RC_ASSERT(found.bound <= best.objective * (1 + kFit));
    RC_ASSERT(std::fabs(found.objective - best.objective) <= kFit * best.objective);
  }
}

// The relaxed optimum is between the bound and the best subset, and its slopes give a bound that
// meets it.
RC_GTEST_PROP(SubsetBound, OfTheRelaxedOptimumMeetsIt, ()) {
  const Case c = any_case();
  const Best best = best_of_all(c);
  double lowest = 0;
  const Dense dual = relaxed(c, lowest);
  const SubsetBound found = bound_of(c, best.at, dual);
  RC_ASSERT(lowest <= best.objective * (1 + kFit));
  RC_ASSERT(found.bound <= lowest * (1 + kFit));
  RC_ASSERT(found.bound >= lowest - 1e-4 * lowest);
}

// Of every model that is as good as the given one, which need not be the best.
RC_GTEST_PROP(SubsetBound, ScreeningIsTrueOfEveryModelAsGood, ()) {
  const Case c = any_case();
  std::vector<Best> all;
  for_each_subset(c, [&](const Best& each) { all.push_back(each); });
  std::sort(all.begin(), all.end(),
            [](const Best& a, const Best& b) { return a.objective < b.objective; });
  const std::size_t rank = std::min(all.size() - 1, *rc::gen::inRange<std::size_t>(0, 6));
  double lowest = 0;
  const SubsetBound found = bound_of(c, all[rank].at, relaxed(c, lowest));
  std::uint32_t in_some = 0;  // features of models that are as good
  for_each_subset(c, [&](const Best& other) {
    if (other.objective > found.objective) return;
    in_some |= other.features;
    for (const std::uint32_t j : found.proved_in) RC_ASSERT((other.features >> j & 1U) != 0);
  });
  RC_ASSERT(found.proved_out + static_cast<std::uint64_t>(std::popcount(in_some)) <=
            c.data.features);
  RC_CLASSIFY(!found.proved_in.empty());
  RC_CLASSIFY(found.proved_out > 0);
}

}  // namespace
}  // namespace thresh::subset_bound_oracle
