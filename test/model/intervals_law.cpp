// Intervals of metrics: known values, and how often they contain the truth.

#include "model/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/metrics.hpp"
#include "sparse/random.hpp"

namespace thresh::intervals_law {
namespace {

TEST(Intervals, OfSharesAreWilsons) {
  const auto some = share_interval(0.3, 10);
  ASSERT_TRUE(some.has_value());
  EXPECT_NEAR(some->low, 0.1078, 1e-4);
  EXPECT_NEAR(some->high, 0.6032, 1e-4);
  const auto none = share_interval(0, 20);
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->low, 0);
  EXPECT_NEAR(none->high, 0.1611, 1e-4);
  EXPECT_FALSE(share_interval(0.5, 0).has_value());
}

// The published example: AUC 0.893 with 51 and 58 rows has a standard error of 0.032.
TEST(Intervals, OfAucAreHanleysAndMcNeils) {
  const auto got = auc_interval(0.893, 51, 58);
  ASSERT_TRUE(got.has_value());
  EXPECT_NEAR((0.893 - got->low) / kNormal95, 0.032, 1e-3);
  EXPECT_FALSE(auc_interval(0.9, 0, 10).has_value());
}

// Rows of weight 1 or 3 whose labels are drawn with their probabilities. The model gives these, or
// surer ones.
ClassificationMetrics sample(int rows, Random& random, double sureness = 1) {
  ClassificationMeter meter;
  for (int i = 0; i < rows; ++i) {
    const double logit = 2 * random.normal() - 0.5;
    const double y = random.uniform() < 1 / (1 + std::exp(-logit)) ? 1 : -1;
    meter.add(logit, y, random.below(2) == 0 ? 1 : 3, sureness * logit);
  }
  return meter.finish();
}

TEST(Intervals, OfClassificationContainTheTruth) {
  Random random(7);
  const ClassificationMetrics truth = sample(400000, random);
  const auto contains = [](const std::optional<Interval>& interval, double value) {
    return interval.value().low <= value && value <= interval->high ? 1 : 0;
  };
  constexpr int kSamples = 1000;
  int error = 0, loss = 0, auc = 0, f1 = 0, precision = 0, recall = 0;
  for (int i = 0; i < kSamples; ++i) {
    const ClassificationMetrics m = sample(300, random);
    error += contains(m.intervals.error, truth.error);
    EXPECT_EQ(contains(m.intervals.accuracy, truth.accuracy),
              contains(m.intervals.error, truth.error));
    loss += contains(m.intervals.log_loss, *truth.log_loss);
    auc += contains(m.intervals.auc, *truth.auc);
    f1 += contains(m.intervals.f1, *truth.f1);
    precision += contains(m.intervals.precision, *truth.precision);
    recall += contains(m.intervals.recall, *truth.recall);
  }
  for (const int count : {error, loss, auc, f1, precision, recall}) {
    EXPECT_GT(count, 0.92 * kSamples);
    EXPECT_LT(count, 0.98 * kSamples);
  }
}

TEST(Intervals, OfRegressionContainTheTruth) {
  Random random(7);
  const auto draw = [&](int rows) {
    RegressionMeter meter;
    for (int i = 0; i < rows; ++i) {
      const double y = 3 * random.normal();
      meter.add(y + random.normal(), y, random.below(2) == 0 ? 1 : 3);
    }
    return meter.finish();
  };
  const RegressionMetrics truth = draw(400000);
  constexpr int kSamples = 1000;
  int rmse = 0, mae = 0;
  for (int i = 0; i < kSamples; ++i) {
    const RegressionMetrics m = draw(300);
    const Interval of_rmse = m.intervals.rmse.value(), of_mae = m.intervals.mae.value();
    rmse += of_rmse.low <= truth.rmse && truth.rmse <= of_rmse.high ? 1 : 0;
    mae += of_mae.low <= truth.mae && truth.mae <= of_mae.high ? 1 : 0;
    EXPECT_LT(m.intervals.r2.value().low, *m.r2);
    EXPECT_GT(m.intervals.r2->high, *m.r2);
  }
  for (const int count : {rmse, mae}) {
    EXPECT_GT(count, 0.92 * kSamples);
    EXPECT_LT(count, 0.98 * kSamples);
  }
}

// A single row tells nothing about the spread; a share still has an interval.
TEST(Intervals, OfOneRow) {
  ClassificationMeter meter;
  meter.add(1, 1, 2, 1.0);
  const ClassificationMetrics m = meter.finish();
  EXPECT_TRUE(m.intervals.error.has_value());
  EXPECT_FALSE(m.intervals.log_loss.has_value());
  EXPECT_FALSE(m.intervals.auc.has_value());
}

TEST(CalibrationError, MatchesAHandCount) {
  ClassificationMeter meter;
  const double surely = std::log(19);  // probability 0.95
  meter.add(1, +1, 3, surely);
  meter.add(1, -1, 1, surely);  // 0.75 are positive: off by 0.2
  meter.add(-1, +1, 4, 0);      // probability 0.5, all are positive: off by 0.5
  EXPECT_NEAR(meter.finish().calibration_error.value(), 0.5 * 0.2 + 0.5 * 0.5, 1e-12);
}

// Right probabilities look wrong by chance, so an interval that is symmetric about the measured
// error would rarely contain 0.
TEST(CalibrationError, HasAnIntervalThatContainsTheTruth) {
  Random random(9);
  constexpr int kSamples = 500;
  for (const double sureness : {1.0, 2.0, 8.0}) {
    const double truth = sureness == 1 ? 0 : *sample(400000, random, sureness).calibration_error;
    for (const int rows : {50, 1000}) {
      int below = 0, above = 0;
      double width = 0;
      for (int i = 0; i < kSamples; ++i) {
        const auto interval = sample(rows, random, sureness).intervals.calibration_error.value();
        below += interval.low <= truth ? 1 : 0;
        above += interval.high >= truth ? 1 : 0;
        width += (interval.high - interval.low) / kSamples;
      }
      EXPECT_GT(below, 0.96 * kSamples) << sureness << " " << rows;
      EXPECT_GT(above, 0.96 * kSamples) << sureness << " " << rows;
      EXPECT_LT(width, 2.5 / std::sqrt(rows)) << sureness;
    }
  }
}

TEST(CalibrationError, IsSmallIfProbabilitiesAreTrue) {
  Random random(3);
  EXPECT_LT(sample(100000, random).calibration_error.value(), 0.005);
  ClassificationMeter without;
  without.add(1, 1, 1);
  EXPECT_FALSE(without.finish().calibration_error.has_value());
}

}  // namespace
}  // namespace thresh::intervals_law
