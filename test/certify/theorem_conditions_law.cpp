// Each condition of the theorems of Xie et al. by itself: if it fails, no number is printed, but
// which condition it was.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "thresh/diagnose.hpp"
#include "tools/problems.hpp"

namespace thresh::theorem_conditions_law {
namespace {

// Rows on both sides of a plane with room to spare.
DenseProblem separable(std::size_t rows) {
  DenseProblem data = random_problem(rows, 6, 0.8, 7);
  for (std::size_t i = 0; i < rows; ++i) {
    data.x[i][0] = data.y[i];
    for (double& value : data.x[i]) value = std::clamp(value, -1.0, 1.0);
  }
  return data;
}

// All theorems apply to separable(300).
Options perceptron() {
  Options options;
  options.solver_options["tau"] = "0";
  options.eta = 1;
  options.lambda = 0.001;
  options.passes = 50;
  return options;
}

nlohmann::json findings(const Model& model, const Problem& problem) {
  return nlohmann::json::parse(diagnose_theorems(model, problem, {"", 0.05, {}}).json);
}
nlohmann::json findings(const Options& options, const DenseProblem& data) {
  const Problem problem = to_problem(data);
  return findings(fit(problem, options).model, problem);
}

// Why the theorem of this name does not apply.
std::string why(const nlohmann::json& findings, const char* name) {
  EXPECT_TRUE(findings.at(name).at("value").is_null()) << findings.at(name);
  return findings.at(name).at("text");
}
void expect_why(const nlohmann::json& findings, std::initializer_list<const char*> names,
                const std::string& words) {
  for (const char* name : names) {
    EXPECT_NE(why(findings, name).find(words), std::string::npos) << findings.at(name);
  }
}

TEST(TheoremConditions, AllHoldWhereNoneIsDropped) {
  const auto all = findings(perceptron(), separable(300));
  for (const char* name : {"epsilon", "theorem1", "theorem2", "theorem3"}) {
    EXPECT_FALSE(all.at(name).at("value").is_null()) << all.at(name);
  }
}

TEST(TheoremConditions, TheRunMustBeRepeatable) {
  const Model model = fit(to_problem(separable(300)), perceptron()).model;
  DenseProblem other = separable(300);
  for (auto& x : other.x) {
    for (std::size_t j = 1; j < x.size(); ++j) x[j] = -x[j];
  }
  const auto found = findings(model, to_problem(other));
  expect_why(found, {"epsilon", "theorem1", "theorem2", "theorem3"}, "the training cannot be");
}

TEST(TheoremConditions, StepsMustBeOfOneLength) {
  Options options = perceptron();
  options.schedule = Schedule::sqrt;
  expect_why(findings(options, separable(300)), {"epsilon", "theorem1", "theorem2"},
             "the step size changes with time");
  options = perceptron();
  options.balanced_classes = true;
  const auto weighted = findings(options, separable(300));
  expect_why(weighted, {"epsilon", "theorem1", "theorem2"}, "rows have weights, so that");
  expect_why(weighted, {"theorem3"}, "rows have weights");
}

TEST(TheoremConditions, TauMustBeBelowHalfOfEpsilon) {
  Options options = perceptron();
  options.solver_options["tau"] = "0.5";
  expect_why(findings(options, separable(300)), {"theorem1", "theorem2"}, "was above epsilon/2");
}

TEST(TheoremConditions, RoundingNeedsRoom) {
  Options options = perceptron();
  options.lambda = 0;
  const auto none = findings(options, separable(300));
  expect_why(none, {"theorem1"}, "leaves no room for rounding");
  expect_why(none, {"theorem2"}, "is beyond what Theorem 1 covers");
}

TEST(TheoremConditions, ThresholdsMustLeaveAMargin) {
  Options options = perceptron();
  options.lambda = 0.3;
  const auto found = findings(options, separable(300));
  ASSERT_FALSE(found.at("margin").at("value").is_null()) << found.at("margin");
  expect_why(found, {"theorem2"}, "use up gamma");
}

TEST(TheoremConditions, RowsMustBeSeparated) {
  const auto noise = findings(perceptron(), random_problem(100, 3, 1, 3));
  expect_why(noise, {"margin"}, "are misclassified or on the decision boundary");
  expect_why(noise, {"theorem2"}, "the model separates no margin");
  expect_why(noise, {"theorem3"}, "misclassified, and it asks for none");
}

// The first update would exceed the budget and is undone.
TEST(TheoremConditions, ThereMustBeAnUpdate) {
  DenseProblem data;
  data.features = 2;
  data.x = {{1, 1}, {-1, -1}};
  data.y = {1, -1};
  data.s = {1, 1};
  Options options = perceptron();
  options.lambda = 0;
  options.features = 1;
  expect_why(findings(options, data), {"epsilon", "theorem1", "theorem2"}, "there was no update");
}

TEST(TheoremConditions, OfTheorem3) {
  // The last row is right, but its margin is below tau, and the update would exceed the budget.
  DenseProblem late;
  late.features = 3;
  late.x = {{1, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0.5, 1, 1}};
  late.y = {1, -1, 1, 1};
  late.s = {1, 1, 1, 1};
  Options few = perceptron();
  few.intercept = false;
  few.order = Order::sequential;
  few.features = 1;
  few.lambda = 0;
  few.solver_options["tau"] = "0.9";
  expect_why(findings(few, late), {"theorem3"}, "a row that is not in the kernel ended the");
  DenseProblem two;
  two.features = 2;
  two.x = {{1, 0}, {0, 1}};
  two.y = {1, -1};
  two.s = {1, 1};
  Options no_intercept = perceptron();
  no_intercept.intercept = false;
  expect_why(findings(no_intercept, two), {"theorem3"}, "every row caused an update");
}

TEST(TheoremConditions, OfRowsThatNothingSeparates) {
  Options options = perceptron();
  options.lambda = 100;  // removes every weight
  options.intercept = false;
  expect_why(findings(options, random_problem(100, 3, 1, 3)), {"inseparable"}, "all weights are 0");
}

TEST(TheoremConditions, ModelsTheyAreNotAbout) {
  Options options = perceptron();
  DenseProblem three = separable(300);
  for (std::size_t i = 0; i < three.y.size(); ++i) three.y[i] = static_cast<double>(i % 3);
  expect_why(findings(options, three), {"theorems"}, "margin-perceptron and two classes");
  options.solver = "cd";
  options.solver_options.clear();
  expect_why(findings(options, separable(300)), {"theorems"}, "margin-perceptron and two classes");
}

}  // namespace
}  // namespace thresh::theorem_conditions_law
