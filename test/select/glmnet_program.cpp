// `--scale standard` gives the path of glmnet on a table.
//
// The numbers were made by glmnet 4.1-6 in R:
//
//     i <- 0:59
//     x <- sapply(0:5, function(j)
//       10^(j - 2) * ((i * (j + 3) * 7 + i * i * (j + 1)) %% 17 - 8 + 3 * j))
//     y <- 3 + 20 * x[, 1] - 0.05 * x[, 3] + 0.004 * x[, 5] + ((i * 37) %% 11 - 5) / 5
//     z <- ifelse(y > median(y), 1, 0)
//     glmnet(x, y, family = "gaussian", lambda = c(1, 0.3, 0.1, 0.03), thresh = 1e-20, maxit = 1e7)
//     glmnet(x, z, family = "binomial", lambda = c(0.1, 0.03, 0.01), thresh = 1e-20, maxit = 1e7)

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/program.hpp"

namespace {

struct Expected {
  double lambda, intercept;
  std::vector<double> w;
};

const std::vector<Expected> kGaussian = {
    {1, 4.65352970214, {3.3584757443, 0, 0, 0, 0.00253485673817, 0}},
    {0.3, 3.4075505086, {14.186122308, 0.0158312942637, 0, 0, 0.00347731753347, 0}},
    {0.1, 3.11729725184, {16.9965167409, 0.291803095, -0.00370819692385, 0, 0.00368715113784, 0}},
    {0.03,
     2.85727713176,
     {17.8018794861, 0.276364580277, -0.0303805795188, 0, 0.00393008789381, 6.84046352404e-06}}};
const std::vector<Expected> kBinomial = {
    {0.1, -3.93446243525, {0, 0, 0, 0, 0.00319697515889, 0}},
    {0.03, -6.184442142, {7.30591677051, 0, 0, -0.000346526182989, 0.00504246338893, 0}},
    {0.01,
     -7.91328498815,
     {16.551069694, 0, 0, -0.00481906940738, 0.00656777488911, 1.16968329016e-05}}};

class Glmnet : public CliTest {
 protected:
  Glmnet() { default_solver = ""; }
  void SetUp() override {
    std::vector<double> targets;
    std::vector<std::string> rows;
    for (int i = 0; i < 60; ++i) {
      std::vector<double> x;
      for (int j = 0; j < 6; ++j) {
        x.push_back(std::pow(10, j - 2) * ((i * (j + 3) * 7 + i * i * (j + 1)) % 17 - 8 + 3 * j));
      }
      const double y = 3 + 20 * x[0] - 0.05 * x[2] + 0.004 * x[4] + ((i * 37) % 11 - 5) / 5.0;
      targets.push_back(y);
      rows.push_back(fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}", x[0], x[1],
                                 x[2], x[3], x[4], x[5]));
    }
    std::vector<double> sorted = targets;
    std::sort(sorted.begin(), sorted.end());
    const double median = (sorted[29] + sorted[30]) / 2;
    std::string numbers = "y,a,b,c,d,e,f\n", classes = numbers;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      numbers += fmt::format("{:.17g},{}\n", targets[i], rows[i]);
      classes += fmt::format("{},{}\n", targets[i] > median ? 1 : 0, rows[i]);
    }
    dir.write("gaussian.csv", numbers);
    dir.write("binomial.csv", classes);
  }

  void expect(const Expected& e, double tolerance, const std::string& model = "m.thresh") const {
    std::vector<double> got(6);
    for (const Weight& weight : weights(model)) {
      ASSERT_EQ(weight.name.size(), 1U);
      got.at(static_cast<std::size_t>(weight.name[0] - 'a')) = weight.value;
    }
    for (std::size_t j = 0; j < 6; ++j) {
      const double spread = std::pow(10, static_cast<double>(j) - 2);  // of the column, about
      EXPECT_NEAR(got[j] * spread, e.w[j] * spread, tolerance)
          << "lambda " << e.lambda << ", " << j;
      EXPECT_EQ(got[j] == 0, e.w[j] == 0) << "lambda " << e.lambda << ", " << j;
    }
    EXPECT_NEAR(intercept(model), e.intercept, 20 * tolerance);
  }
};

TEST_F(Glmnet, L1HasItsPath) {
  for (const Expected& e : kGaussian) {
    train({"gaussian.csv", "--label", "y", "--task", "regression", "--solver", "l1", "--scale",
           "standard", "--gap", "1e-14", "--lambda", fmt::format("{}", e.lambda)});
    expect(e, 1e-6);
  }
  for (const Expected& e : kBinomial) {
    train({"binomial.csv", "--label", "y", "--solver", "l1", "--scale", "standard", "--gap",
           "1e-14", "--lambda", fmt::format("{}", e.lambda)});
    expect(e, 1e-5);
  }
}

TEST_F(Glmnet, CdHasItsPath) {
  for (const Expected& e : kGaussian) {
    train({"gaussian.csv", "--label", "y", "--task", "regression", "--solver", "cd", "--scale",
           "standard", "--passes", "3000", "--lambda", fmt::format("{}", e.lambda)});
    expect(e, 1e-6);
  }
  for (const Expected& e : kBinomial) {
    train({"binomial.csv", "--label", "y", "--solver", "cd", "--scale", "standard", "--passes",
           "20000", "--lambda", fmt::format("{}", e.lambda)});
    expect(e, 1e-4);
  }
}

TEST_F(Glmnet, PathHasIt) {
  good({"path", "gaussian.csv", "--label", "y", "--task", "regression", "--solver", "l1", "--scale",
        "standard", "--over", "lambda", "--values", "1,0.3,0.1,0.03", "--gap", "1e-14", "--save",
        "models", "-q"});
  for (const Expected& e : kGaussian) {
    expect(e, 1e-6, fmt::format("models/lambda={}.thresh", e.lambda));
  }
}

}  // namespace
