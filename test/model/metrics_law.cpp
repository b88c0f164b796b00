#include "model/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sparse/random.hpp"
#include "thresh/error.hpp"

namespace thresh::metrics_law {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(CompensatedSum, KeepsWhatCancellationWouldLose) {
  CompensatedSum sum;
  for (const double x : {1.0, 1e100, 1.0, -1e100}) sum.add(x);
  EXPECT_EQ(sum.value(), 2.0);

  CompensatedSum tenths;
  for (int i = 0; i < 1000000; ++i) tenths.add(0.1);
  EXPECT_EQ(tenths.value(), 100000.0);
}

TEST(CompensatedSum, OverflowsToInfinityNotNaN) {
  CompensatedSum sum;
  for (int i = 0; i < 3; ++i) sum.add(1e308);
  EXPECT_EQ(sum.value(), kInf);
}

TEST(WeightedMean, OverflowsOnlyIfATermDoes) {
  WeightedMean mean;
  for (int i = 0; i < 100; ++i) mean.add(1.7e308, 3);
  EXPECT_EQ(mean.value(), 1.7e308);
  EXPECT_EQ(mean.weight(), 300);
  mean.add(kInf, 1);
  mean.add(1, 1);
  EXPECT_EQ(mean.value(), kInf);
}

TEST(ClassificationMetrics, MatchAHandCount) {
  ClassificationMeter meter;
  meter.add(2.0, +1, 3, 1.0);    // true positive
  meter.add(0.5, -1, 1, 0.5);    // false positive
  meter.add(-1.0, -1, 4, -2.0);  // true negative
  meter.add(0.0, +1, 2, 0.0);    // false negative: a margin of zero is not positive
  const ClassificationMetrics m = meter.finish();
  EXPECT_EQ(m.rows, 4u);
  EXPECT_EQ(m.weight, 10);
  EXPECT_EQ(m.tp, 3);
  EXPECT_EQ(m.fp, 1);
  EXPECT_EQ(m.tn, 4);
  EXPECT_EQ(m.fn, 2);
  EXPECT_DOUBLE_EQ(m.error, 0.3);
  EXPECT_DOUBLE_EQ(m.accuracy, 0.7);
  EXPECT_DOUBLE_EQ(m.precision.value(), 0.75);
  EXPECT_DOUBLE_EQ(m.recall.value(), 0.6);
  EXPECT_DOUBLE_EQ(m.f1.value(), 6.0 / 9.0);
  // Of 5 x 5 pairs only (0.0, 0.5), of weight 2 x 1, are in the wrong order.
  EXPECT_DOUBLE_EQ(m.auc.value(), 23.0 / 25.0);
  const double loss = 3 * std::log(1 + std::exp(-1.0)) + std::log(1 + std::exp(0.5)) +
                      4 * std::log(1 + std::exp(-2.0)) + 2 * std::log(2.0);
  EXPECT_DOUBLE_EQ(m.log_loss.value(), loss / 10);
}

TEST(ClassificationMetrics, WithoutRowsAreUndefinedThroughout) {
  const ClassificationMetrics m = ClassificationMeter().finish();
  EXPECT_EQ(m.rows, 0u);
  EXPECT_EQ(m.weight, 0);
  EXPECT_TRUE(std::isnan(m.error));
  EXPECT_TRUE(std::isnan(m.accuracy));
  for (const auto& value : {m.log_loss, m.auc, m.f1, m.precision, m.recall}) EXPECT_FALSE(value);
}

TEST(ClassificationMetrics, OfWeightlessRowsAreUndefinedToo) {
  ClassificationMeter meter;
  meter.add(1, +1, 0, 1.0);
  const ClassificationMetrics m = meter.finish();
  EXPECT_EQ(m.rows, 1u);
  EXPECT_TRUE(std::isnan(m.error));
  EXPECT_FALSE(m.log_loss);
}

TEST(ClassificationMetrics, OfOneClassLackWhatNeedsTwo) {
  ClassificationMeter meter;
  meter.add(-1, -1, 1);
  meter.add(-2, -1, 1);
  const ClassificationMetrics m = meter.finish();
  EXPECT_EQ(m.error, 0);
  EXPECT_EQ(m.accuracy, 1);
  for (const auto& value : {m.auc, m.f1, m.precision, m.recall}) EXPECT_FALSE(value);
}

TEST(ClassificationMetrics, WithNothingRightHaveF1Zero) {
  ClassificationMeter meter;
  meter.add(-1, +1, 1);
  meter.add(-2, -1, 1);
  const ClassificationMetrics m = meter.finish();
  EXPECT_EQ(m.f1, 0.0);
  EXPECT_EQ(m.recall, 0.0);
  EXPECT_FALSE(m.precision);
}

TEST(LogLoss, IsAbsentUnlessEveryRowHasALogit) {
  ClassificationMeter none, some;
  none.add(1, +1, 1);
  some.add(1, +1, 1);
  some.add(1, +1, 1, 1.0);
  EXPECT_FALSE(none.finish().log_loss);
  EXPECT_FALSE(some.finish().log_loss);
}

TEST(LogLoss, IsExactForProbabilitiesThatRoundToZeroOrOne) {
  const auto loss_of = [](double y, double logit) {
    ClassificationMeter meter;
    meter.add(logit, y, 1, logit);
    meter.add(logit, y, 2, logit);
    return meter.finish().log_loss.value();
  };
  EXPECT_DOUBLE_EQ(loss_of(-1, 1000), 1000);
  EXPECT_DOUBLE_EQ(loss_of(+1, -1e308), 1e308);
  EXPECT_DOUBLE_EQ(loss_of(+1, 50), std::exp(-50.0));
  EXPECT_DOUBLE_EQ(loss_of(-1, -700), std::exp(-700.0));
  EXPECT_EQ(loss_of(+1, 1e308), 0);
}

TEST(ClassificationMetrics, RefuseNaN) {
  ClassificationMeter meter;
  EXPECT_THROW(meter.add(std::nan(""), +1, 1), Error);
  EXPECT_THROW(meter.add(1, +1, 1, std::nan("")), Error);
}

TEST(RegressionMetrics, MatchAHandCount) {
  RegressionMeter meter;
  meter.add(1, 2, 1);  // error -1
  meter.add(5, 3, 2);  // error 2
  meter.add(4, 4, 1);
  const RegressionMetrics m = meter.finish();
  EXPECT_EQ(m.rows, 3u);
  EXPECT_EQ(m.weight, 4);
  EXPECT_DOUBLE_EQ(m.rmse, 1.5);                // (1 + 2*4 + 0) / 4 = 9/4
  EXPECT_DOUBLE_EQ(m.mae, 1.25);                // (1 + 2*2 + 0) / 4
  EXPECT_DOUBLE_EQ(m.r2.value(), 1 - 9.0 / 2);  // scatter about 3: 1 + 0 + 1
}

// As scikit-learn's mean_poisson_deviance, mean_pinball_loss and a Huber loss have them.
TEST(RegressionMetrics, OfTheLossThatTheModelWasTrainedWith) {
  RegressionMeter poisson(LossFunction(Loss::poisson));
  poisson.add(std::log(2), 2, 3, 1);
  poisson.add(std::log(0.5), 0.5, 0, 3);
  const double of_three = 2 * (3 * std::log(3 / 2.0) - 1), of_zero = 2 * 0.5;
  EXPECT_DOUBLE_EQ(poisson.finish().deviance.value(), (of_three + 3 * of_zero) / 4);
  EXPECT_DOUBLE_EQ(poisson.finish().mae, (1 + 3 * 0.5) / 4) << "of rates, not of margins";
  EXPECT_FALSE(poisson.finish().pinball || poisson.finish().huber || poisson.finish().below);

  RegressionMeter quantile(LossFunction(Loss::quantile, 0.9));
  quantile.add(1, 3, 1);  // below by 2
  quantile.add(5, 3, 1);  // above by 2
  quantile.add(3, 3, 2);
  EXPECT_DOUBLE_EQ(quantile.finish().pinball.value(), (0.9 * 2 + 0.1 * 2) / 4);
  EXPECT_DOUBLE_EQ(quantile.finish().below.value(), 0.75) << "equal targets are not above";
  EXPECT_FALSE(quantile.finish().deviance);

  RegressionMeter huber(LossFunction(Loss::huber, 2));
  huber.add(1, 2, 1);
  huber.add(0, 10, 1);
  EXPECT_DOUBLE_EQ(huber.finish().huber.value(), (0.5 + 2 * (10 - 1)) / 2);
  EXPECT_FALSE(RegressionMeter().finish().huber);
}

TEST(RegressionMetrics, AgreeWithTwoPassesInHigherPrecision) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    const double shift = round % 2 == 0 ? 0 : 1e6;  // a large mean is what ruins sums of squares
    RegressionMeter meter;
    std::vector<double> y(2 + random.below(200)), prediction(y.size()), weight(y.size());
    long double total = 0, mean = 0, squared = 0, absolute = 0, scatter = 0;
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = shift + random.normal();
      prediction[i] = y[i] + random.normal() / 2;
      weight[i] = 0.5 + random.uniform();
      meter.add(prediction[i], y[i], weight[i]);
      total += weight[i];
      mean += static_cast<long double>(weight[i]) * y[i];
    }
    mean /= total;
    for (size_t i = 0; i < y.size(); ++i) {
      const long double error = static_cast<long double>(prediction[i]) - y[i];
      squared += weight[i] * error * error;
      absolute += weight[i] * std::abs(error);
      scatter += weight[i] * (y[i] - mean) * (y[i] - mean);
    }
    const RegressionMetrics m = meter.finish();
    EXPECT_NEAR(m.rmse, std::sqrt(squared / total), 1e-13);
    EXPECT_NEAR(m.mae, absolute / total, 1e-13);
    const double r2 = static_cast<double>(1 - squared / scatter);
    EXPECT_NEAR(m.r2.value(), r2, 1e-8 * (1 + std::abs(r2)));
  }
}

TEST(RegressionMetrics, OfAConstantTargetHaveNoR2) {
  RegressionMeter meter;
  for (int i = 0; i < 10; ++i) meter.add(i, 0.1, 0.3);
  EXPECT_FALSE(meter.finish().r2);
}

TEST(RegressionMetrics, WithoutWeightAreUndefined) {
  RegressionMeter empty, weightless;
  weightless.add(1, 2, 0);
  EXPECT_EQ(empty.finish().rows, 0u);
  EXPECT_EQ(weightless.finish().rows, 1u);
  for (const RegressionMetrics& m : {empty.finish(), weightless.finish()}) {
    EXPECT_EQ(m.weight, 0);
    EXPECT_TRUE(std::isnan(m.rmse));
    EXPECT_TRUE(std::isnan(m.mae));
    EXPECT_FALSE(m.r2);
  }
}

TEST(RegressionMetrics, OverflowToInfinityAndRefuseNaN) {
  RegressionMeter meter;
  meter.add(1e200, 0, 1);
  meter.add(1, 1, 1);
  EXPECT_EQ(meter.finish().rmse, kInf);
  EXPECT_DOUBLE_EQ(meter.finish().mae, 5e199);
  EXPECT_THROW(meter.add(std::nan(""), 1, 1), Error);
}

}  // namespace
}  // namespace thresh::metrics_law
