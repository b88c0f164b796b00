// The multinomial loss against its dense twin: Duchi et al., eq. 12.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "thresh/projection.hpp"
#include "thresh/thresh.hpp"
#include "tools/problems.hpp"
#include "tools/scratch.hpp"

namespace thresh::softmax_oracle {
namespace {

constexpr std::size_t kClasses = 3;
constexpr double kRadius = 2;
constexpr double kEta = 0.5;

DenseProblem three_classes() {
  DenseProblem data = any_problem();
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  while (data.y.size() < kClasses) {
    data.x.push_back(data.x[0]);
    data.y.push_back(0);
    data.s.push_back(1);
  }
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    data.y[i] = static_cast<double>(i < kClasses ? i : random.below(kClasses));
  }
  return data;
}

using Weights = std::vector<std::vector<double>>;  // by class and feature

// p_c - [c = y] for every class.
std::vector<double> slopes(const Weights& w, const std::vector<double>& x, double y) {
  std::vector<double> p(kClasses);
  double sum = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    for (std::size_t j = 0; j < x.size(); ++j) p[c] += w[c][j] * x[j];
    sum += p[c] = std::exp(p[c]);
  }
  for (std::size_t c = 0; c < kClasses; ++c) {
    p[c] = p[c] / sum - (static_cast<double>(c) == y ? 1 : 0);
  }
  return p;
}

// Feature j has the label j mod 3: its weight may be positive for that class, negative for others.
void keep_signs(std::vector<double>& w, std::size_t c) {
  for (std::size_t j = 0; j < w.size(); ++j) {
    if ((j % kClasses == c) != (w[j] > 0)) w[j] = 0;
  }
}

Weights twin(const DenseProblem& data, const Options& options, bool signs, bool full) {
  Weights w(kClasses, std::vector<double>(data.features));
  double t = 0;
  const auto step = [&](const std::vector<std::size_t>& batch) {
    ++t;
    Weights g(kClasses, std::vector<double>(data.features));
    for (const std::size_t i : batch) {
      const std::vector<double> slope = slopes(w, data.x[i], data.y[i]);
      for (std::size_t c = 0; c < kClasses; ++c) {
        for (std::size_t j = 0; j < data.features; ++j) g[c][j] += slope[c] * data.x[i][j];
      }
    }
    for (std::size_t c = 0; c < kClasses; ++c) {
      for (std::size_t j = 0; j < data.features; ++j) {
        w[c][j] -= kEta / std::sqrt(t) * g[c][j] / static_cast<double>(batch.size());
      }
      if (signs) keep_signs(w[c], c);
      project_l1_ball(w[c], kRadius);
    }
  };
  for (std::uint64_t pass = 1; pass <= options.passes; ++pass) {
    const auto order = visiting_order(options.order, options.seed, pass, data.x.size());
    if (full) {
      step(order);
    } else {
      for (const std::size_t i : order) step({i});
    }
  }
  return w;
}

void compare(const std::string& solver, bool full) {
  const DenseProblem data = three_classes();
  const bool signs = *rc::gen::arbitrary<bool>();
  ScratchDir scratch;
  Options options;
  options.solver = solver;
  options.eta = kEta;
  options.passes = *rc::gen::inRange<std::uint64_t>(1, 5);
  options.order = *rc::gen::element(Order::shuffle, Order::sequential);
  options.intercept = false;
  options.multiclass = Multiclass::softmax;
  options.solver_options["radius"] = std::to_string(kRadius);
  if (signs) {
    std::string labels;
    for (std::size_t j = 0; j < data.features; ++j) labels += std::to_string(j % kClasses) + "\n";
    options.solver_options["non-negative"] = "true";
    options.feature_labels_file = scratch.write("labels", labels);
  }
  const Weights expected = twin(data, options, signs, full);
  const FitResult got = fit(to_problem(data), options);
  for (std::size_t c = 0; c < kClasses; ++c) {
    std::vector<double> w(data.features);
    for (const Coefficient& k : got.model.classes[c].coefficients) w[k.index - 1] = k.weight;
    for (std::size_t j = 0; j < data.features; ++j) {
      RC_ASSERT(std::fabs(w[j] - expected[c][j]) < 1e-10);
    }
  }
}

RC_GTEST_PROP(Softmax, ProjectedSgdEqualsItsDenseTwin, ()) {
  compare("projected-sgd", false);
}

RC_GTEST_PROP(Softmax, ProjectedGradientEqualsItsDenseTwin, ()) {
  compare("projected-gradient", true);
}

TEST(Softmax, NonNegativeEgIsItsFormula) {
  DenseProblem data;
  data.features = 2;
  data.x = {{1, 0}, {0, 1}, {1, 1}};
  data.y = {0, 1, 2};
  data.s = {1, 1, 1};
  Options options;
  options.solver = "eg";
  options.eta = kEta;
  options.steps = 1;
  options.order = Order::sequential;
  options.intercept = false;
  options.multiclass = Multiclass::softmax;
  options.solver_options["radius"] = "2";
  options.solver_options["non-negative"] = "true";
  const Model model = fit(to_problem(data), options).model;
  // All weights start at 1, all classes are equally likely; class 0 gains on feature 1.
  const double up = std::exp(kEta * 2 / 3);
  const double down = std::exp(-kEta / 3);
  ASSERT_EQ(model.classes[0].coefficients.size(), 1u) << "feature 2 has not occurred yet";
  EXPECT_NEAR(model.classes[0].coefficients[0].weight, 2 * up / (up + 1), 1e-12);
  EXPECT_NEAR(model.classes[1].coefficients[0].weight, 2 * down / (down + 1), 1e-12);
}

TEST(Softmax, TheLossIsThatOfTheProbabilities) {
  const DenseProblem data = [] {
    DenseProblem d = random_problem(60, 5, 0.8, 4);
    for (std::size_t i = 0; i < d.y.size(); ++i) d.y[i] = static_cast<double>(i % kClasses);
    return d;
  }();
  Options options;
  options.solver = "fobos";
  options.multiclass = Multiclass::softmax;
  options.lambda = 0;
  options.trace = TraceAt{};
  const FitResult result = fit(to_problem(data), options);
  const auto metrics = std::get<MulticlassMetrics>(
      evaluate(result.model, Predictor(result.model), to_problem(data).train));
  EXPECT_NEAR(*result.last.objective, *metrics.log_loss, 1e-12);
  EXPECT_FALSE(std::isnan(result.last.at.progressive_error));
}

}  // namespace
}  // namespace thresh::softmax_oracle
