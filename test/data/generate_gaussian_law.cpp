#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "data/generated.hpp"
#include "thresh/error.hpp"
#include "thresh/generate.hpp"

namespace thresh::generate_gaussian_law {
namespace {

GeneratedText make_gaussian(const GaussianOptions& options) {
  GeneratedText made;
  made.summary = generate_gaussian(options, append_to(made.rows));
  return made;
}

GaussianOptions small_gaussian(bool regression) {
  GaussianOptions options;
  options.rows = 500;
  options.features = 100;
  options.regression = regression;
  return options;
}

double product(const FeatureList& truth, const FeatureList& features) {
  double sum = 0;
  for (const auto& [index, weight] : truth) sum += weight * features.at(index - 1).second;
  return sum;
}

TEST(Gaussian, BytesArePinned) {
  EXPECT_EQ(hash_of(make_gaussian(small_gaussian(false)).rows), 14872533291602407855U);
  EXPECT_EQ(hash_of(make_gaussian(small_gaussian(true)).rows), 11895241168578768263U);
}

TEST(Gaussian, SeedsDifferAndRepeat) {
  GaussianOptions options = small_gaussian(false);
  const GeneratedText first = make_gaussian(options);
  EXPECT_EQ(make_gaussian(options).rows, first.rows);
  options.seed = 2;
  EXPECT_NE(make_gaussian(options).rows, first.rows);
  EXPECT_NE(make_gaussian(options).summary.truth, first.summary.truth);
}

TEST(Gaussian, FeaturesAreDenseAndStandardNormal) {
  const GeneratedText made = make_gaussian(small_gaussian(false));
  EXPECT_EQ(made.summary.nonzeros, 50000U);
  double sum = 0;
  double squares = 0;
  for (const GeneratedRow& row : rows_of(made)) {
    ASSERT_EQ(row.features.size(), 100U);
    expect_ascending(row.features, 100);
    for (const auto& [index, value] : row.features) {
      sum += value;
      squares += value * value;
    }
  }
  EXPECT_NEAR(sum / 50000, 0, 0.02);
  EXPECT_NEAR(squares / 50000, 1, 0.03);
}

TEST(Gaussian, TruthIsNormalWithItsShareOfZeros) {
  GaussianOptions options = small_gaussian(false);
  options.rows = 1;
  options.features = 10000;
  const GeneratedText made = make_gaussian(options);
  ASSERT_EQ(made.summary.truth.size(), 5000U);
  expect_ascending(made.summary.truth, 10000);
  double squares = 0;
  double indices = 0;
  for (const auto& [index, weight] : made.summary.truth) {
    squares += weight * weight;
    indices += static_cast<double>(index);
  }
  EXPECT_NEAR(squares / 5000, 1, 0.08);
  EXPECT_NEAR(indices / 5000, 5000, 200) << "zeros anywhere";
  options.zeros = 1;
  EXPECT_TRUE(make_gaussian(options).summary.truth.empty());
  options.zeros = 0;
  EXPECT_EQ(make_gaussian(options).summary.truth.size(), 10000U);
}

TEST(Gaussian, ClassificationFlipsOneLabelInTen) {
  GaussianOptions options = small_gaussian(false);
  options.rows = 2000;
  const auto wrong = [&] {
    const GeneratedText made = make_gaussian(options);
    int count = 0;
    uint64_t positives = 0;
    for (const GeneratedRow& row : rows_of(made)) {
      EXPECT_TRUE(row.label == "+1" || row.label == "-1") << row.label;
      count += (product(made.summary.truth, row.features) > 0) != row.positive() ? 1 : 0;
      positives += row.positive() ? 1 : 0;
    }
    EXPECT_EQ(made.summary.positives, positives);
    return count;
  };
  EXPECT_NEAR(wrong(), 200, 40);
  options.noise = 0;
  EXPECT_EQ(wrong(), 0);
}

TEST(Gaussian, RegressionIsTheProductPlusNoise) {
  GaussianOptions options = small_gaussian(true);
  const auto residual = [&] {
    const GeneratedText made = make_gaussian(options);
    double squares = 0;
    uint64_t positives = 0;
    for (const GeneratedRow& row : rows_of(made)) {
      const double label = std::stod(row.label);
      squares += std::pow(label - product(made.summary.truth, row.features), 2);
      positives += label > 0 ? 1 : 0;
    }
    EXPECT_EQ(made.summary.positives, positives);
    return squares / 500;
  };
  EXPECT_NEAR(residual(), 1, 0.2);
  options.noise = 3;
  EXPECT_NEAR(residual(), 9, 1.8);
  options.noise = 0;
  EXPECT_EQ(residual(), 0) << "labels are made from the values as printed";
}

TEST(Gaussian, RefusesWhatMakesNoSense) {
  const auto refuses = [](bool regression, auto change) {
    GaussianOptions options = small_gaussian(regression);
    change(options);
    EXPECT_THROW(make_gaussian(options), UsageError);
  };
  for (const bool regression : {false, true}) {
    refuses(regression, [](GaussianOptions& o) { o.rows = 0; });
    refuses(regression, [](GaussianOptions& o) { o.features = 0; });
    refuses(regression, [](GaussianOptions& o) { o.zeros = -0.1; });
    refuses(regression, [](GaussianOptions& o) { o.zeros = 1.1; });
    refuses(regression, [](GaussianOptions& o) { o.noise = -1; });
    refuses(regression, [](GaussianOptions& o) { o.noise = std::nan(""); });
    refuses(regression, [](GaussianOptions& o) { o.noise = HUGE_VAL; });
  }
  refuses(false, [](GaussianOptions& o) { o.noise = 1.1; });
}

}  // namespace
}  // namespace thresh::generate_gaussian_law
