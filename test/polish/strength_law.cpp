// The strength of a ridge by held-out loss, against fits at every strength.

#include "polish/strength.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <deque>

#include "polish/dense_rows.hpp"

namespace thresh::strength_law {
namespace {

// Rows to fit, rows to judge, and the object that refers to both.
struct ClassRows {
  DenseProblem data, judged;
  Loss loss;
  SupportMatrix rows = matrix_of(data), judged_rows = matrix_of(judged);

  HeldOutFit fit() const {
    return {RidgeProblem(rows, data.y, LossFunction(loss), true),
            RidgeProblem(judged_rows, judged.y, LossFunction(loss), true)};
  }
};

// Labels follow the truth, with some noise.
DenseProblem noisy_rows(std::size_t rows, const Vector& truth, double noise, Random& random) {
  DenseProblem data = random_problem(rows, truth.size(), 0.7, random.next());
  weigh_rows(data, random);
  for (std::size_t i = 0; i < rows; ++i) {
    double a = noise * random.normal();
    for (std::size_t j = 0; j < truth.size(); ++j) a += truth[j] * data.x[i][j];
    if (i >= 2) data.y[i] = a > 0 ? 1 : -1;  // the first two rows contain both classes
  }
  return data;
}

// A deque never moves the rows that problems refer to.
std::deque<ClassRows> any_classes(std::size_t count) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Loss loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::squared_hinge);
  const auto rows = *rc::gen::inRange<std::size_t>(5, 60);
  const double noise = *rc::gen::element(0.1, 1.0, 30.0);
  const double unit = *rc::gen::element(0.01, 0.1, 1.0);
  std::deque<ClassRows> classes;
  for (std::size_t c = 0; c < count; ++c) {
    Vector truth(1 + random.below(8));
    for (std::size_t j = 0; j < truth.size(); j += 2) truth[j] = random.normal();
    ClassRows made{noisy_rows(rows, truth, noise, random), noisy_rows(40, truth, noise, random),
                   loss};
    for (DenseProblem* each : {&made.data, &made.judged}) {
      for (Vector& x : each->x) {
        for (double& value : x) value *= unit;
      }
    }
    classes.push_back({made.data, made.judged, loss});
  }
  return classes;
}

std::vector<HeldOutFit> fits_of(const std::deque<ClassRows>& classes) {
  std::vector<HeldOutFit> fits;
  for (const ClassRows& each : classes) fits.push_back(each.fit());
  return fits;
}

// Fits from zero. They are exact enough for a thousandth of the loss.
double held_out_at(const std::deque<ClassRows>& classes, int k) {
  double sum = 0;
  for (const ClassRows& each : classes) {
    const HeldOutFit fit = each.fit();
    sum += fit.held_out.loss(fit.train.fit(std::pow(10, k / 2.0), {}));
  }
  return sum;
}

constexpr double kNear = 1e-3;

int strength_of(const StrengthFit& fit) {
  return static_cast<int>(std::lround(2 * std::log10(fit.ridge)));
}

TEST(RidgeStrength, IsAPowerOfTheRootOfTen) {
  for (int k = kWeakest; k <= kStrongest; ++k) {
    EXPECT_NEAR(ridge_at(k) / std::pow(10, k / 2.0), 1, 1e-15) << k;
  }
}

// Classes share the ridge: it is the sum of their losses that counts.
RC_GTEST_PROP(RidgeStrength, IsAsGoodAsItsNeighbours, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 4);
  const std::deque<ClassRows> classes = any_classes(count);
  const int first = *rc::gen::inRange(kWeakest, kStrongest + 1);
  const StrengthFit got = best_strength(fits_of(classes), std::vector<RidgeModel>(count), first);
  const int k = strength_of(got);
  RC_ASSERT(got.ridge == ridge_at(k));
  RC_ASSERT(got.models.size() == count);
  const double held_out = held_out_at(classes, k);
  RC_ASSERT(std::fabs(got.held_out - held_out) <= kNear * held_out);
  for (const int other : {first, std::max(k - 1, kWeakest), std::min(k + 1, kStrongest)}) {
    RC_ASSERT(got.held_out <= held_out_at(classes, other) * (1 + kNear));
  }
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const HeldOutFit fit = classes[c].fit();
    sum += fit.held_out.loss(got.models[c]);
    const double optimum = fit.train.fit(got.ridge, {}).objective;
    RC_ASSERT(std::fabs(got.models[c].objective - optimum) <= 1e-4 * optimum);
  }
  RC_ASSERT(std::fabs(got.held_out - sum) <= 1e-12 * sum);
}

DenseProblem times(DenseProblem data, double of_values, double of_targets) {
  for (Vector& x : data.x) {
    for (double& value : x) value *= of_values;
  }
  for (double& y : data.y) y *= of_targets;
  return data;
}

// Rows that contradict the rows to fit want no weights at all. Rows to fit want no ridge. Values
// are such that every ridge on the way matters.
TEST(RidgeStrength, ReachesTheEndsOfTheRange) {
  Random random(3);
  const DenseProblem rows = noisy_rows(40, {1, -1, 0.5}, 0.3, random);
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::squared_hinge}) {
    const ClassRows contradicted{times(rows, 10, 1), times(rows, 10, -1), loss};
    const ClassRows repeated{times(rows, 1e-4, 1), times(rows, 1e-4, 1), loss};
    const std::vector<HeldOutFit> up = {contradicted.fit()}, down = {repeated.fit()};
    EXPECT_EQ(strength_of(best_strength(up, {{}})), kStrongest);
    EXPECT_EQ(strength_of(best_strength(up, {{}}, kStrongest)), kStrongest);
    EXPECT_EQ(strength_of(best_strength(down, {{}})), kWeakest);
    EXPECT_EQ(strength_of(best_strength(down, {{}}, kWeakest)), kWeakest);
  }
}

// The rows to judge want a strong ridge. From one strength to the next the objective changes by a
// millionth or so, which fits that only choose must not take for nothing.
TEST(RidgeStrength, LeavesTheFirstOneThoughManyRowsSayLittle) {
  Random random(3);
  const DenseProblem rows = times(noisy_rows(6000, {1}, 3, random), 0.3, 1);
  const ClassRows contradicted{rows, times(rows, -1, 1), Loss::logistic};
  const HeldOutFit fit = contradicted.fit();
  ASSERT_TRUE(fit.has_many_rows());
  const StrengthFit got = best_strength(std::vector{fit}, {fit.train.fit(ridge_at(0), {})});
  EXPECT_EQ(strength_of(got), kStrongest);
}

// Alone, one class wants a stronger ridge than usual and the other a weaker one. The one whose rows
// weigh more decides for both.
TEST(RidgeStrength, IsSharedByClasses) {
  Random random(3);
  const DenseProblem rows = times(noisy_rows(40, {1, -1, 0.5}, 0.3, random), 0.1, 1);
  for (const double weight : {0.01, 100.0}) {
    DenseProblem judged = times(rows, 1, -1);
    for (double& s : judged.s) s *= weight;
    const ClassRows contradicted{rows, judged, Loss::squared}, repeated{rows, rows, Loss::squared};
    const StrengthFit got =
        best_strength(std::vector{contradicted.fit(), repeated.fit()}, {{}, {}});
    EXPECT_EQ(got.models.size(), 2U);
    EXPECT_EQ(strength_of(got) > kUsualStrength, weight > 1);
    EXPECT_NE(strength_of(got), kUsualStrength);
  }
}

// Absolute residuals instead of the loss, against fits at every strength.
RC_GTEST_PROP(RidgeStrength, MayBeJudgedByResiduals, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Vector truth = {1, -1, 0.5};
  const ClassRows rows{noisy_rows(30, truth, 1, random), noisy_rows(40, truth, 1, random),
                       Loss::squared};
  HeldOutFit fit = rows.fit();
  fit.by_residuals = true;
  const StrengthFit got = best_strength(std::vector{fit}, {{}});
  const auto residuals_at = [&](int k) {
    const RidgeModel model = fit.train.fit(std::pow(10, k / 2.0), {});
    double sum = 0;
    for (std::size_t i = 0; i < rows.judged.x.size(); ++i) {
      double a = model.intercept;
      for (std::size_t j = 0; j < truth.size(); ++j) a += model.weights[j] * rows.judged.x[i][j];
      sum += rows.judged.s[i] * std::fabs(a - rows.judged.y[i]);
    }
    return sum;
  };
  const int k = strength_of(got);
  RC_ASSERT(std::fabs(got.held_out - residuals_at(k)) <= kNear * residuals_at(k));
  for (const int other : {std::max(k - 1, kWeakest), std::min(k + 1, kStrongest)}) {
    RC_ASSERT(got.held_out <= residuals_at(other) * (1 + kNear));
  }
}

// Without a ridge the model fits all held-out rows but one. The square of that residual asks for a
// stronger ridge, the sum of all absolute residuals for none.
TEST(RidgeStrength, ByResidualsOneExtremeRowDoesNotDecide) {
  Random random(3);
  DenseProblem rows = noisy_rows(40, {1}, 0, random);
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    rows.y[i] = rows.x[i][0];
    rows.s[i] = 1;
  }
  DenseProblem judged = rows;
  judged.x[0][0] = 6;
  judged.y[0] = 0;
  const ClassRows all{rows, judged, Loss::squared};
  HeldOutFit fit = all.fit();
  EXPECT_GT(strength_of(best_strength(std::vector{fit}, {{}})), kUsualStrength);
  fit.by_residuals = true;
  EXPECT_LT(strength_of(best_strength(std::vector{fit}, {{}})), kUsualStrength);
}

TEST(RidgeStrength, StaysWhereNothingIsHeldOut) {
  Random random(3);
  const ClassRows none{noisy_rows(40, {1, -1}, 0.3, random), {2, {}, {}, {}}, Loss::logistic};
  const std::vector<HeldOutFit> fits = {none.fit()};
  EXPECT_EQ(best_strength(fits, {{}}).ridge, ridge_at(kUsualStrength));
  EXPECT_EQ(best_strength(fits, {{}}, 3).ridge, ridge_at(3));
}

// By row, the losses or residuals of all classes together.
RC_GTEST_PROP(RidgeStrength, JudgesRowsBySumsOverClasses, ()) {
  const std::deque<ClassRows> classes = any_classes(*rc::gen::inRange<std::size_t>(1, 4));
  std::vector<HeldOutFit> fits = fits_of(classes);
  const bool by_residuals = *rc::gen::arbitrary<bool>();
  std::vector<RidgeModel> models;
  std::vector<double> naive(classes.front().judged.x.size());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    fits[c].by_residuals = by_residuals;
    models.push_back(fits[c].train.fit(1, {}));
    const DenseProblem& judged = classes[c].judged;
    const Dense at{models[c].weights, models[c].intercept};
    for (std::size_t i = 0; i < naive.size(); ++i) {
      const double a = margin(judged, at, i);
      naive[i] += judged.s[i] * (by_residuals ? std::fabs(a - judged.y[i])
                                              : loss_value(classes[c].loss, a, judged.y[i]));
    }
  }
  const std::vector<double> got = row_scores(fits, models);
  RC_ASSERT(got.size() == naive.size());
  for (std::size_t i = 0; i < naive.size(); ++i) {
    RC_ASSERT(std::fabs(got[i] - naive[i]) <= 1e-9 * (1 + naive[i]));
  }
}

}  // namespace
}  // namespace thresh::strength_law
