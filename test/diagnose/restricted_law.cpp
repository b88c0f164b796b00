// Restricted eigenvalues against dense matrices, and a of Lemma 1 (Xie et al.) against theta.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "diagnose/dense_matrix.hpp"
#include "diagnose/findings.hpp"

namespace thresh::restricted_law {
namespace {

// With 2k columns at least as many as there are, every set has all of them.
TEST(Restricted, OfAllColumnsIsTheWholeSpectrum) {
  for (const double scale : {1.0, 1e200, 1e-200}) {
    DenseProblem data = random_problem(30, 6, 0.7, 5);
    const Eigen::MatrixXd x = dense_matrix(data);
    const auto all = (x.transpose() * x).selfadjointView<Eigen::Lower>().eigenvalues();
    for (auto& row : data.x) {
      for (double& value : row) value *= scale;
    }
    const Problem problem = to_problem(data);
    const auto found = restricted_eigenvalues(*problem.train, overview_of(*problem.train), {}, 3);
    EXPECT_EQ(found.columns, 6u);
    EXPECT_NEAR(found.delta(),
                (all.maxCoeff() - all.minCoeff()) / (all.maxCoeff() + all.minCoeff()), 1e-12);
  }
}

// Sets are part of all columns: their extremes lie within (interlacing), and the bound below.
TEST(Restricted, OfFewColumnsLieWithinThoseOfAll) {
  const DenseProblem data = random_problem(60, 20, 0.7, 6);
  const Problem problem = to_problem(data);
  const Overview overview = overview_of(*problem.train);
  const auto few = restricted_eigenvalues(*problem.train, overview, {0, 1, 2}, 2);
  const auto all = restricted_eigenvalues(*problem.train, overview, {}, 10);
  EXPECT_EQ(few.columns, 4u);
  EXPECT_EQ(few.sets, 11u);
  EXPECT_EQ(all.sets, 10u);
  EXPECT_GE(few.least.plain(), all.least.plain());
  EXPECT_LE(few.largest.plain(), all.largest.plain());
  EXPECT_LT(few.delta(), all.delta());
  EXPECT_NE(restricted_finding(all, 10).text.find("does not hold"), std::string::npos);
}

// One bad set is enough: two equal columns, which only the last support has together.
TEST(Restricted, TheWorstSetCounts) {
  DenseProblem data = random_problem(60, 40, 0.7, 6);
  for (auto& row : data.x) row[1] = row[0];
  const Problem problem = to_problem(data);
  const Overview overview = overview_of(*problem.train);
  EXPECT_LT(restricted_eigenvalues(*problem.train, overview, {}, 1).delta(), 0.9);
  const auto found = restricted_eigenvalues(*problem.train, overview, {0, 1}, 1);
  EXPECT_NEAR(found.least.plain(), 0, 1e-9);
  EXPECT_NEAR(found.delta(), 1, 1e-12);
}

// Orthogonal columns of one length: an isometry, which no set can refute, nor prove.
TEST(Restricted, ClaimsNothingOfAnIsometry) {
  DenseProblem data = random_problem(8, 8, 0, 1);
  for (std::size_t i = 0; i < 8; ++i) data.x[i][i] = 2;
  const Problem problem = to_problem(data);
  const auto found = restricted_eigenvalues(*problem.train, overview_of(*problem.train), {}, 2);
  EXPECT_NEAR(found.delta(), 0, 1e-15);
  EXPECT_NE(restricted_finding(found, 2).text.find("not refuted, and not proved"),
            std::string::npos);
}

nlohmann::json exponents(const Problem& problem, const Model& model) {
  DiagnoseOptions options;
  options.only = {"exponents"};
  options.model = &model;
  return nlohmann::json::parse(diagnose(problem, options).back().json);
}

TEST(Lemma1, GivesTheWeightsBackFromThetaAndA) {
  const DenseProblem data = random_problem(50, 30, 0.5, 12);
  const Problem problem = to_problem(data);
  Options options;
  options.solver = "smidas";
  options.lambda = 1e-3;
  for (const auto& [text, p] : {std::pair{"3", 3.0}, {"2ln", 2 * std::log(30.0)}, {"", 7.0}}) {
    SCOPED_TRACE(text);
    options.solver_options.clear();
    if (*text != 0) options.solver_options["p"] = text;
    const Model model = fit(problem, options).model;
    ASSERT_GT(model.nonzeros(), 3u);
    const nlohmann::json a = exponents(problem, model)["lemma1"]["value"];
    EXPECT_NEAR(a["p"], p, 1e-12);
    // theta = f(w), the link itself.
    const double q = p / (p - 1);
    double norm = 0, largest = 0, smallest = 1e300;
    for (const Coefficient& each : model.coefficients) {
      norm += std::pow(std::fabs(each.weight), q);
      largest = std::max(largest, std::fabs(each.weight));
      smallest = std::min(smallest, std::fabs(each.weight));
    }
    norm = std::pow(norm, 1 / q);
    const auto theta = [&](double w) { return std::pow(w, q - 1) / std::pow(norm, q - 2); };
    double dual = 0;
    for (const Coefficient& each : model.coefficients) {
      dual += std::pow(theta(std::fabs(each.weight)), p);
    }
    dual = std::pow(dual, 1 / p);
    EXPECT_NEAR(a["largest"], dual / theta(largest), 1e-9);
    EXPECT_GT(a["largest"], 1);
    EXPECT_NEAR(a["smallest"].get<double>() / (dual / theta(smallest)), 1, 1e-9);
    EXPECT_NEAR(theta(smallest) * std::pow(a["smallest"].get<double>(), 2 - p) / smallest, 1, 1e-8);
  }
}

TEST(Lemma1, IsAboutSmidasOnRowsAsTheyAre) {
  const Problem problem = to_problem(random_problem(50, 30, 0.5, 12));
  Options options;
  options.solver = "cd";
  EXPECT_FALSE(exponents(problem, fit(problem, options).model).contains("lemma1"));
  options.solver = "smidas";
  Model scaled = fit(problem, options).model;
  scaled.options["scale"] = "max";
  EXPECT_FALSE(exponents(problem, scaled).contains("lemma1"));
}

}  // namespace
}  // namespace thresh::restricted_law
