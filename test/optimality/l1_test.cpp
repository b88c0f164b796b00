// l1 reaches the optimum, and its certificate holds when computed again by code of its own.

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "optimality/optimum.hpp"
#include "scratch.hpp"
#include "solvers/l1/descent.hpp"

namespace thresh {
namespace {

using Real = long double;

// The problem as l1 sees it, slowly: prices by feature, any of them infinite.
struct Twin {
  DenseProblem data;
  Loss loss = Loss::logistic;
  double lambda = 0.05, l2 = 0;
  bool intercept = true;
  bool non_negative = false;
  std::vector<double> factors;

  Real share() const { return Real(1) / data.x.size(); }
  Real factor(std::size_t j) const { return factors.empty() ? 1 : factors[j]; }

  Real value(Real a, Real y) const {
    const Real m = y * a;
    if (loss == Loss::squared) return (a - y) * (a - y) / 2;
    if (loss == Loss::squared_hinge) return m < 1 ? (1 - m) * (1 - m) : 0;
    return std::log1p(std::exp(-std::fabs(m))) + std::max<Real>(-m, 0);
  }
  Real slope(Real a, Real y) const {
    const Real m = y * a;
    if (loss == Loss::squared) return a - y;
    if (loss == Loss::squared_hinge) return m < 1 ? -2 * y * (1 - m) : 0;
    return -y / (1 + std::exp(m));
  }
  Real conjugate(Real v, Real y) const {
    const Real z = -v * y;
    if (loss == Loss::squared) return v * v / 2 + v * y;
    if (loss == Loss::squared_hinge) return z * z / 4 - z;
    const auto xlogx = [](Real x) { return x > 0 ? x * std::log(x) : 0; };
    return xlogx(z) + xlogx(1 - z);
  }

  Real margin(const Dense& at, std::size_t i) const {
    Real a = at.b;
    for (std::size_t j = 0; j < at.w.size(); ++j) a += data.x[i][j] * Real(at.w[j]);
    return a;
  }
  Real primal(const Dense& at) const {
    Real sum = 0;
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      sum += share() * value(margin(at, i), data.y[i]);
    }
    for (std::size_t j = 0; j < at.w.size(); ++j) {
      sum += lambda * factor(j) * std::fabs(Real(at.w[j])) + Real(l2) / 2 * at.w[j] * at.w[j];
    }
    return sum;
  }

  // The dual at the slopes, made feasible: their sum taken out first if there is an intercept, as
  // far as a sum of the size of rounding can be, then scaled.
  Real gap(const Dense& at) const {
    const std::size_t rows = data.x.size();
    std::vector<Real> v(rows);
    Real sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      v[i] = slope(margin(at, i), data.y[i]);
      sum += share() * v[i];
    }
    EXPECT_TRUE(!intercept || std::fabs(sum) < 1e-9L);
    Real scale = 1, paid = 0;
    std::vector<Real> gradient(data.features);
    for (std::size_t j = 0; j < data.features; ++j) {
      for (std::size_t i = 0; i < rows; ++i) gradient[j] += share() * v[i] * data.x[i][j];
      const Real price = lambda * factor(j);
      const Real lack =
          std::max({Real(0), -gradient[j] - price, non_negative ? Real(0) : gradient[j] - price});
      if (l2 > 0) {
        paid += lack * lack / (2 * l2);
      } else if (lack > 0) {
        scale = std::min(scale, price / (price + lack));
      }
    }
    Real dual = -paid;
    for (std::size_t i = 0; i < rows; ++i) dual -= share() * conjugate(scale * v[i], data.y[i]);
    return primal(at) - dual;
  }
};

// A case that RapidCheck chooses.
Twin any_twin() {
  Twin twin;
  twin.data = any_problem();
  twin.loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::squared_hinge);
  twin.lambda = *rc::gen::element(0.3, 0.05, 0.003);
  twin.l2 = *rc::gen::element(0.0, 0.0, 0.1);
  twin.intercept = *rc::gen::arbitrary<bool>();
  twin.non_negative = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) {
    for (std::size_t j = 0; j < twin.data.features; ++j) {
      twin.factors.push_back(*rc::gen::element(0.5, 1.0, 3.0));
    }
  }
  return twin;
}

struct Solved {
  Dense at;
  FitResult result;
};

Solved solve(const Twin& twin, double gap = 1e-9) {
  const ScratchDir dir;
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.lambda = twin.lambda;
  options.loss = twin.loss;
  options.intercept = twin.intercept;
  options.own = {{"gap", fmt::format("{}", gap)}, {"l2", fmt::format("{}", twin.l2)}};
  if (twin.non_negative) options.own["non-negative"] = "true";
  if (!twin.factors.empty()) {
    options.own["penalties"] =
        dir.write("penalties", fmt::format("{}\n", fmt::join(twin.factors, "\n")));
  }
  FitResult result = fit(to_problem(twin.data), options);
  return {dense(result.model, twin.data.features), std::move(result)};
}

double found(const FitResult& result, const std::string& name) {
  for (const Finding& finding : result.theory) {
    if (finding.name == name) return *finding.value;
  }
  ADD_FAILURE() << "no finding " << name;
  return 0;
}

bool has_features(const DenseProblem& data) {
  for (const auto& x : data.x) {
    for (const double value : x) {
      if (value != 0) return true;
    }
  }
  return false;
}

RC_GTEST_PROP(L1, CertificateHoldsWhenComputedIndependently, ()) {
  const Twin twin = any_twin();
  RC_PRE(has_features(twin.data));
  const auto [at, result] = solve(twin);
  RC_ASSERT(result.status.outcome == Outcome::converged);
  const Real gap = twin.gap(at);
  RC_ASSERT(gap >= -1e-15L);
  RC_ASSERT(gap <= 2e-9L * twin.primal(at) + 1e-15L);
  RC_ASSERT(std::fabs(found(result, "objective") - twin.primal(at)) <= 1e-12L);
  RC_ASSERT(found(result, "duality gap") <= 1e-9L * twin.primal(at) + 1e-15L);
  for (const double w : at.w) {
    RC_ASSERT(!twin.non_negative || w >= 0);
    RC_ASSERT(w == 0 || std::fabs(w) > 1e-13);  // what left a face is zero, not almost
  }
}

// More features than rows, many of them almost the same, and more than the small models take.
TEST(L1, CorrelatedColumnsBeyondTheSmallModels) {
  Twin twin;
  twin.data = random_problem(60, 700, 1, 5);
  Random random(2);
  for (auto& x : twin.data.x) {
    for (std::size_t j = 350; j < 700; ++j) x[j] = x[j - 350] + 0.01 * random.normal();
  }
  for (const double lambda : {0.1, 0.01, 0.001}) {
    twin.lambda = lambda;
    const auto [at, result] = solve(twin, 1e-7);
    EXPECT_EQ(result.status.outcome, Outcome::converged);
    EXPECT_LE(twin.gap(at), 1.1e-7L * twin.primal(at)) << lambda;
  }
}

// Sets too large for the small models, on sparse rows: sweeps and faces.
TEST(L1, ManyNonZeros) {
  Twin twin;
  twin.data = random_problem(3000, 1200, 0.02, 6);
  Random random(3);
  std::vector<double> truth(1200);
  for (double& w : truth) w = random.normal();
  for (std::size_t i = 0; i < twin.data.x.size(); ++i) {
    double a = random.normal();
    for (std::size_t j = 0; j < truth.size(); ++j) a += truth[j] * twin.data.x[i][j];
    twin.data.y[i] = a > 0 ? 1 : -1;
  }
  twin.lambda = 3e-4;
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::squared_hinge}) {
    twin.loss = loss;
    const auto [at, result] = solve(twin, 1e-7);
    const auto nonzeros = std::count_if(at.w.begin(), at.w.end(), [](double w) { return w != 0; });
    EXPECT_GT(nonzeros, 450) << "too easy";
    EXPECT_EQ(result.status.outcome, Outcome::converged);
    EXPECT_LE(twin.gap(at), 1.1e-7L * twin.primal(at)) << name_of(loss);
  }
}

TEST(L1, MeetsCoordinateDescent) {
  Twin twin;
  twin.data = learnable_problem(80, 12, 3);
  twin.lambda = 0.03;
  Options slow;
  slow.solver = "cd";
  slow.lambda = twin.lambda;
  slow.passes = 2000;
  const Dense best = dense(fit(to_problem(twin.data), slow).model, twin.data.features);
  const Dense got = solve(twin, 1e-12).at;
  for (std::size_t j = 0; j < got.w.size(); ++j) EXPECT_NEAR(got.w[j], best.w[j], 1e-5) << j;
  EXPECT_NEAR(got.b, best.b, 1e-5);
}

TEST(L1, NoFeaturesAtTheLargestLambdaAndSomeJustBelow) {
  Twin twin;
  twin.data = learnable_problem(80, 12, 3);
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.own = {{"lambda-ratio", "1"}};
  EXPECT_EQ(fit(to_problem(twin.data), options).model.nonzeros(), 0U);
  options.own = {{"lambda-ratio", "0.99"}};
  EXPECT_EQ(fit(to_problem(twin.data), options).model.nonzeros(), 1U);
}

TEST(L1, LambdasOnTheWayAreSolvedAsIfAlone) {
  Twin twin;
  twin.data = learnable_problem(80, 12, 3);
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.own = {{"gap", "1e-12"}};
  options.lambdas = {0.1, 0.03};
  options.lambda = 0.01;
  const FitResult path = fit(to_problem(twin.data), options);
  ASSERT_EQ(path.recorded.size(), 2U);
  const std::vector<Model> models{path.recorded[0].model, path.recorded[1].model, path.model};
  const double lambdas[] = {0.1, 0.03, 0.01};
  for (std::size_t i = 0; i < models.size(); ++i) {
    twin.lambda = lambdas[i];
    const Dense alone = solve(twin, 1e-12).at;
    const Dense got = dense(models[i], twin.data.features);
    for (std::size_t j = 0; j < got.w.size(); ++j) EXPECT_NEAR(got.w[j], alone.w[j], 1e-6) << j;
  }
}

// Nothing but lambda knows how large the targets are.
TEST(L1, RegressionTargetsOfAnyScale) {
  Options options;
  options.solver = "l1";
  options.task = Task::regression;
  options.own = {{"gap", "1e-12"}};
  options.passes = 30;
  const auto learn = [&](double scale) {
    DenseProblem data = learnable_problem(80, 12, 3);
    for (std::size_t i = 0; i < data.y.size(); ++i) {
      data.y[i] = scale * (3 * data.x[i][0] - data.x[i][4] + 0.1 * data.y[i]);
    }
    options.lambda = 0.05 * scale;
    const FitResult result = fit(to_problem(data), options);
    EXPECT_EQ(result.status.outcome, Outcome::converged);
    return dense(result.model, 12);
  };
  const Dense small = learn(1), large = learn(1e8);
  for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(large.w[j] / 1e8, small.w[j], 1e-7) << j;
}

TEST(L1, ExampleWeightsCountAsCopies) {
  Twin twin;
  twin.data = learnable_problem(40, 8, 4);
  const ScratchDir dir;
  std::string weights;
  DenseProblem copies;
  copies.features = twin.data.features;
  for (std::size_t i = 0; i < twin.data.x.size(); ++i) {
    const int times = static_cast<int>(i % 3);
    weights += fmt::format("{}\n", times);
    for (int copy = 0; copy < times; ++copy) {
      copies.x.push_back(twin.data.x[i]);
      copies.y.push_back(twin.data.y[i]);
      copies.s.push_back(1);
    }
  }
  Options options;
  options.solver = "l1";
  options.passes = 0;
  options.lambda = 0.02;
  options.own = {{"gap", "1e-12"}};
  const Dense of_copies = dense(fit(to_problem(copies), options).model, 8);
  options.weights_file = dir.write("weights", weights);
  const Dense weighted = dense(fit(to_problem(twin.data), options).model, 8);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(weighted.w[j], of_copies.w[j], 1e-6) << j;
}

// The objective at zero weights, to make models of.
struct Modelled {
  explicit Modelled(const Twin& twin, double l2)
      : objective(matrix_of(twin), LossFunction(twin.loss), twin.intercept, l2, {}, Signs()),
        set(objective.columns()) {
    point.margins.assign(objective.rows(), 0);
    objective.evaluate(point);
    for (std::uint32_t j = 0; j < set.size(); ++j) {
      set[j] = j;
      gradients.push_back(objective.gradient(j, point));
    }
  }

  static std::shared_ptr<const Matrix> matrix_of(const Twin& twin) {
    const Problem problem = to_problem(twin.data);
    RowView view;
    view.labels = LabelMap::of_classes(-1, 1);
    return std::make_shared<const Matrix>(problem.train, view, *problem.features);
  }

  L1Objective objective;
  L1Objective::Point point;
  std::vector<std::uint32_t> set;
  std::vector<double> gradients;
};

// A column's model is minimised exactly by faces; many sweeps come to the same place.
RC_GTEST_PROP(L1, SmallModelsAreMinimisedAsSweepsWould, ()) {
  const Twin twin = any_twin();
  RC_PRE(has_features(twin.data));
  const Modelled at(twin, 0.01);
  const std::vector<double> zeros(at.set.size()), ones(at.set.size(), 1);
  NewtonModel exact, swept;
  // What a model was used for before leaves no trace.
  exact.start(at.objective, at.point, at.set, ones, at.gradients, 2 * twin.lambda, 0.1);
  exact.sweep(2);
  for (NewtonModel* model : {&exact, &swept}) {
    model->start(at.objective, at.point, at.set, zeros, at.gradients, twin.lambda, 1e9);
  }
  RC_ASSERT(exact.first_violation() == swept.first_violation());
  RC_ASSERT(exact.entries() == swept.entries());
  exact.minimise_exactly();
  for (int i = 0; i < 300; ++i) swept.sweep(3);
  RC_ASSERT(exact.decrease() <= swept.decrease() + 1e-9);
  RC_ASSERT(exact.violation() <= 1e-6 * (1 + exact.first_violation()));
}

// Sparse rows and many columns, where conjugate gradients are cheaper than a dense matrix; weights
// so large that none comes near zero.
TEST(L1, StepsOnAFaceSolveItsEquations) {
  Twin twin;
  twin.data = random_problem(150, 200, 0.02, 7);
  twin.intercept = false;
  const Modelled at(twin, 0.001);
  NewtonModel model;
  model.start(at.objective, at.point, at.set, std::vector<double>(at.set.size(), 1e4), at.gradients,
              twin.lambda, 1e9);
  for (int i = 0; i < 8; ++i) model.step_on_face();
  EXPECT_LT(model.violation(), 1e-4 * model.first_violation());
}

}  // namespace
}  // namespace thresh
