// Steps that suffice for an accuracy: the bounds reach it there and not before, for the best step
// size and no other; and they are withheld where the theorems do not apply.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "loss/bounds.hpp"
#include "thresh/diagnose.hpp"
#include "tools/problems.hpp"

namespace thresh::runtimes_law {
namespace {

TEST(Runtimes, StepsOfScdAreTheoremOneSolvedForT) {
  const double norm = std::log(2.0) / 0.05;
  for (const double epsilon : {1.0, 0.3, 1e-4}) {
    const double steps = scd_steps(8, 0.25, std::log(2.0), norm, epsilon);
    EXPECT_LE(scd_bound(8, steps, 0.25, std::log(2.0), 0.05), epsilon);
    EXPECT_GT(scd_bound(8, steps - 1, 0.25, std::log(2.0), 0.05), epsilon);
  }
}

// The bound as a function of step size and steps, its root found by closed forms.
template <class Bound>
void expect_fewest(const Bound& bound, const StepsAndSize& best, double epsilon) {
  EXPECT_LE(bound(best.eta, best.steps), epsilon * (1 + 1e-12));
  for (const double factor : {0.9, 0.99, 1.01, 1.1}) {
    EXPECT_GT(bound(best.eta * factor, best.steps), bound(best.eta, best.steps));
    EXPECT_GT(bound(best.eta * factor, best.steps - 1), epsilon);
  }
  EXPECT_GT(bound(best.eta, best.steps - 1), epsilon);
}

TEST(Runtimes, StepsOfSmidasAreTheoremThreeAtItsBestStep) {
  const double lambda = 0.05, at_zero = std::log(2.0), norm = at_zero / lambda, p = 5;
  const double factor = std::pow(8, 2 / p);
  for (const double epsilon : {1.0, 0.1, 1e-3}) {
    SCOPED_TRACE(epsilon);
    expect_fewest(
        [&](double eta, double steps) {
          return smidas_bound_lipschitz(p, factor, eta, steps, at_zero, lambda);
        },
        smidas_steps_lipschitz(p, factor, norm, epsilon), epsilon);
    expect_fewest(
        [&](double eta, double steps) {
          return smidas_bound(p, 0.5, factor, eta, steps, at_zero, lambda).value_or(1e300);
        },
        smidas_steps(p, 0.5, factor, at_zero, norm, epsilon), epsilon);
  }
}

DenseProblem small_values() {
  DenseProblem data = random_problem(60, 8, 0.5, 12);
  for (auto& x : data.x) {
    for (double& value : x) value = std::clamp(value / 4, -1.0, 1.0);
  }
  return data;
}

nlohmann::json runtimes(const DenseProblem& data, DiagnoseOptions options) {
  options.only = {"runtimes"};
  const auto parts = diagnose(to_problem(data), options);
  EXPECT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts.back().name, "runtimes");
  return nlohmann::json::parse(parts.back().json);
}

DiagnoseOptions to_a_tenth() {
  DiagnoseOptions options;
  options.epsilon = 0.1;
  options.lambda = 0.05;
  return options;
}

TEST(Runtimes, AreThoseOfTheFormulas) {
  const nlohmann::json found = runtimes(small_values(), to_a_tenth());
  const double norm = std::log(2.0) / 0.05;
  EXPECT_DOUBLE_EQ(found["optimum"]["value"]["norm1"], norm);
  EXPECT_EQ(found["scd"]["value"]["steps"], scd_steps(8, 0.25, std::log(2.0), norm, 0.1));
  EXPECT_EQ(found["scd"]["value"]["runs"], 5);
  EXPECT_EQ(found["smidas_13"]["value"]["p"], 5);
  EXPECT_EQ(found["smidas_14"]["value"]["steps"],
            smidas_steps(5, 0.5, std::pow(8, 0.4), std::log(2.0), norm, 0.1).steps);
  double entries = 0, squares = 0;
  for (const auto& x : small_values().x) {
    for (const double value : x) {
      entries += value != 0 ? 1 : 0;
      squares += value * value;
    }
  }
  const nlohmann::json& bounds = found["bounds"]["value"];
  EXPECT_DOUBLE_EQ(bounds["scd"], entries * 0.25 * norm * norm / 0.1);
  EXPECT_DOUBLE_EQ(bounds["smidas"], 8 * std::log(8.0) * norm * norm / 0.01);
  EXPECT_NEAR(bounds["truncated_gradient"], 8 * norm * norm * squares / 60 / 0.01, 1e-6);
}

// As train prints it: the norms of the model of l1, which are far below P(0)/lambda.
TEST(Runtimes, TakeTheNormsOfTheOptimumOnRequest) {
  DiagnoseOptions options = to_a_tenth();
  options.exact_optimum = true;
  const nlohmann::json found = runtimes(small_values(), options);
  Options l1;
  l1.solver = "l1";
  l1.lambda = 0.05;
  l1.intercept = false;
  const Model model = fit(to_problem(small_values()), l1).model;
  double norm1 = 0, norm2 = 0;
  for (const Coefficient& each : model.coefficients) {
    norm1 += std::fabs(each.weight);
    norm2 += each.weight * each.weight;
  }
  const nlohmann::json& used = found["optimum"]["value"];
  EXPECT_NEAR(used["norm1"], norm1, 1e-5 + 1e-5 * norm1);
  EXPECT_NEAR(used["norm2"], std::sqrt(norm2), 1e-5 + 1e-5 * norm2);
  EXPECT_LT(used.at("duality_gap"), 1e-4);
  EXPECT_LT(found["scd"]["value"]["steps"],
            runtimes(small_values(), to_a_tenth())["scd"]["value"]["steps"]);
}

TEST(Runtimes, AreWithheldWhereTheTheoremsDoNotApply) {
  const auto why = [](const DenseProblem& data, const DiagnoseOptions& options) -> std::string {
    const nlohmann::json found = runtimes(data, options);
    EXPECT_EQ(found.size(), 1u);
    return found.at("runtimes").at("text");
  };
  DenseProblem large = small_values();
  large.x[3][1] = -2;
  EXPECT_TRUE(why(large, to_a_tenth()).find("features go beyond [-1, 1]") != std::string::npos);
  DenseProblem three = small_values();
  three.y[5] = 2;
  EXPECT_TRUE(why(three, to_a_tenth()).ends_with("two classes"));
  DenseProblem empty = small_values();
  for (auto& x : empty.x) x.assign(x.size(), 0);
  EXPECT_TRUE(why(empty, to_a_tenth()).ends_with("no row has a feature"));
  DiagnoseOptions options = to_a_tenth();
  options.lambda = 0;
  EXPECT_TRUE(why(small_values(), options).ends_with("|w*| has no bound"));
  options = to_a_tenth();
  options.loss = Loss::hinge;
  const nlohmann::json hinge = runtimes(small_values(), options);
  EXPECT_TRUE(hinge["scd"]["value"].is_null());
  EXPECT_TRUE(hinge["bounds"]["value"]["scd"].is_null());
  EXPECT_FALSE(hinge.contains("smidas_14"));
  options.loss = Loss::squared;
  EXPECT_FALSE(runtimes(small_values(), options).contains("smidas_13"));
}

}  // namespace
}  // namespace thresh::runtimes_law
