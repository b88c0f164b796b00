// Learning in the weighted ball sum a_j |w_j| <= z: dense twins, the conditions of the optimum, and
// files that are refused.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/error_of.hpp"
#include "tools/optimum.hpp"
#include "tools/scratch.hpp"
#include "tools/twins.hpp"

namespace thresh::ball_weights_oracle {
namespace {

// The nearest point of the weighted ball, by bisection for theta.
void project(Vector& v, const Vector& a, double radius) {
  const auto norm = [&](long double theta) {
    long double sum = 0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      sum += a[j] * std::max(0.0L, std::fabs(v[j]) - a[j] * theta);
    }
    return sum;
  };
  if (norm(0) <= radius) return;
  long double low = 0, high = 1;
  while (norm(high) > radius) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const long double middle = (low + high) / 2;
    (norm(middle) > radius ? low : high) = middle;
  }
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = soft(v[j], static_cast<double>(a[j] * high));
}

struct WeightedCase : Case {
  Vector a;
  double radius = 1;
  ScratchDir dir;

  // Some of the weights, the others being 1.
  void weigh(double least, double most) {
    a.assign(data.features, 1);
    std::string lines;
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (*rc::gen::inRange(0, 4) == 0) continue;
      a[j] = *rc::gen::inRange(0, 5) == 0 ? 0 : any_between(least, most);
      lines += fmt::format("{} {}\n", j + 1, a[j]);
    }
    dir.write("weights", lines);
    options.solver_options["ball-weights"] = dir.file("weights");
    radius = any_between(0.01, 3);
    options.solver_options["radius"] = text(radius);
  }
};

template <class Sum>
Dense twin(const WeightedCase& c, const Sum& sum) {
  return run_batches(c, [&](Vector& w, const Vector& g, double eta, double) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= eta * g[j];
    project(w, c.a, c.radius);
    sum(w);
  });
}

Dense twin(const WeightedCase& c) {
  return twin(c, [](const Vector&) {});
}

RC_GTEST_PROP(BallWeights, ProjectedSgdEqualsItsDenseTwin, ()) {
  WeightedCase c;
  static_cast<Case&>(c) = any_case("projected-sgd");
  choose_batch(c);
  c.options.solver_options["projection"] = "tree";
  c.weigh(0.1, *rc::gen::element(2, 100));
  expect_twin(c, twin(c), Zeros::rounded);
}

RC_GTEST_PROP(BallWeights, ProjectedGradientEqualsItsDenseTwin, ()) {
  WeightedCase c;
  static_cast<Case&>(c) = any_case("projected-gradient", {Loss::logistic, Loss::squared});
  c.batch = 0;
  c.weigh(0.1, 3);
  expect_twin(c, twin(c), Zeros::rounded);
}

RC_GTEST_PROP(BallWeights, TheAverageIsTheMeanOfTheTwin, ()) {
  WeightedCase c;
  static_cast<Case&>(c) = any_case("projected-sgd");
  c.options.solver_options["projection"] = "tree";
  c.options.intercept = false;
  c.weigh(0.1, 3);
  Dense mean{Vector(c.data.features), 0};
  double steps = 0;
  twin(c, [&](const Vector& w) {
    for (std::size_t j = 0; j < w.size(); ++j) mean.w[j] += w[j];
    ++steps;
  });
  for (double& w : mean.w) w /= steps;
  c.options.iterate = Iterate::average;
  expect_twin(c, mean, Zeros::rounded);
}

// Weights of the ball in many steps that all project: the shift must not eat digits.
TEST(BallWeights, HoldAfterManyProjections) {
  WeightedCase c;
  c.data = random_problem(3'000, 10, 0.5, 7);
  c.options.solver = "projected-sgd";
  c.options.loss = Loss::hinge;
  c.options.schedule = Schedule::constant;
  c.options.eta = 0.3;
  c.options.passes = 2;
  c.a = {1000, 1000, 700, 0, 500, 1000, 2000, 100, 900, 1000};
  c.radius = 700;
  std::string lines;
  for (std::size_t j = 0; j < 10; ++j) lines += fmt::format("{} {}\n", j + 1, c.a[j]);
  c.dir.write("weights", lines);
  c.options.solver_options = {
      {"radius", "700"}, {"projection", "tree"}, {"ball-weights", c.dir.file("weights")}};
  const Dense expected = twin(c);
  expect_weights(fit(to_problem(c.data), c.options).model, expected.w, expected.b, 1e-10);
}

// At the optimum |g_j| <= a_j mu, with equality and the opposite sign where w_j is not 0, and
// sum a_j |w_j| = z if mu > 0.
TEST(BallWeights, ProjectedGradientMeetsTheConditionsOfTheOptimum) {
  const DenseProblem data = learnable_problem(80, 12, 3);
  const ScratchDir dir;
  const Vector a = {1, 2, 0, 0.5, 3, 1, 0.3, 4, 1, 0, 2, 1};
  dir.write("weights", "2 2\n3 0\n4 0.5\n5 3\n7 0.3\n8 4\n10 0\n11 2\n");
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::squared_hinge}) {
    SCOPED_TRACE(name_of(loss));
    Options options;
    options.solver = "projected-gradient";
    options.loss = loss;
    options.passes = 5000;
    options.solver_options = {
        {"radius", "0.6"}, {"line-search", "true"}, {"ball-weights", dir.file("weights")}};
    const Dense got = dense(fit(to_problem(data), options).model, data.features);
    const Dense g = full_gradient(data, loss, got);
    double norm = 0, mu = 0;
    std::size_t zeros = 0;
    for (std::size_t j = 0; j < 12; ++j) {
      norm += a[j] * std::fabs(got.w[j]);
      zeros += got.w[j] == 0;
      if (a[j] > 0) mu = std::max(mu, std::fabs(g.w[j]) / a[j]);
    }
    EXPECT_NEAR(norm, 0.6, 1e-12);
    EXPECT_GT(mu, 1e-3) << "too easy";
    EXPECT_GT(zeros, 1U) << "too easy";
    for (std::size_t j = 0; j < 12; ++j) {
      if (a[j] == 0 || got.w[j] != 0) {
        EXPECT_NEAR(g.w[j], -a[j] * mu * sign(got.w[j]), 1e-5) << "feature " << j + 1;
      }
    }
    EXPECT_NEAR(g.b, 0, 1e-5);
  }
}

TEST(BallWeights, OfOneChangeNothing) {
  const DenseProblem data = random_problem(200, 10, 0.5, 7);
  const ScratchDir dir;
  dir.write("weights", "3 1\n");
  Options options;
  options.solver = "projected-sgd";
  options.solver_options = {{"radius", "0.7"}, {"projection", "tree"}};
  const Model plain = fit(to_problem(data), options).model;
  options.solver_options["ball-weights"] = dir.file("weights");
  const Model weighted = fit(to_problem(data), options).model;
  EXPECT_EQ(dense(plain, 10).w, dense(weighted, 10).w);
  EXPECT_FALSE(plain.options.has("ball-weights"));
  EXPECT_TRUE(weighted.options.has("ball-weights"));
}

TEST(BallWeights, BadFilesAndOptionsAreRefused) {
  const DenseProblem data = random_problem(50, 10, 0.5, 7);
  const ScratchDir dir;
  Options options;
  options.solver = "projected-gradient";
  options.solver_options = {{"radius", "0.7"}, {"ball-weights", dir.file("weights")}};
  const auto message = [&](const std::string& lines) {
    dir.write("weights", lines);
    const std::string found = error_of([&] { fit(to_problem(data), options); });
    return found.substr(std::min(found.size(), dir.file("weights").size()));
  };
  EXPECT_EQ(message("1 2\n2 -1\n"),
            ":2: the weight of a ball is not a finite number of at least 0");
  EXPECT_EQ(message("1 nan\n"), ":1: the weight of a ball is not a finite number of at least 0");
  EXPECT_EQ(message("1 1e300\n"), ":1: the weight of a ball must be 0 or between 1e-100 and 1e100");
  EXPECT_EQ(message("1 2\n3\n"), ":2: expected a feature and its weight");
  EXPECT_EQ(message("0 2\n"), ":1: not a feature number");
  EXPECT_EQ(message("1 2\n1 3\n"), ":2: this feature has a weight already");
  EXPECT_EQ(message("1000000 3\n"), "");  // a feature that does not occur
  options.solver_options["projection"] = "sort";
  EXPECT_EQ(refusal_of([&] { fit(to_problem(data), options); }),
            "--projection does not apply to --ball-weights");
  options.solver = "projected-sgd";
  options.solver_options["projection"] = "buckets";
  EXPECT_EQ(refusal_of([&] { fit(to_problem(data), options); }),
            "--ball-weights needs --projection tree; buckets do not support weights");
  options.solver_options.erase("projection");
  EXPECT_EQ(fit(to_problem(data), options).model.options.at("projection").text(), "tree");
}

}  // namespace
}  // namespace thresh::ball_weights_oracle
