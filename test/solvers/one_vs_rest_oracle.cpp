// More than two classes side by side must be the same as one after the other.

#include <gtest/gtest.h>

#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/problems.hpp"
#include "tools/scratch.hpp"

namespace thresh::one_vs_rest_oracle {
namespace {

DenseProblem four_classes(std::uint64_t seed) {
  DenseProblem data = random_problem(400, 12, 0.5, seed);
  Random random(seed + 1);
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    data.y[i] = static_cast<double>(i < 4 ? i : random.below(4));
    data.x[i][static_cast<std::size_t>(data.y[i])] += 2;
  }
  return data;
}

DenseProblem against_rest(DenseProblem data, double label) {
  for (double& y : data.y) y = y == label ? 1 : -1;
  return data;
}

Options ovr_options(const SolverInfo& info) {
  Options options;
  options.solver = info.name;
  options.passes = 3;
  if (info.budget == BudgetUse::required) options.features = 5;
  for (const OptionInfo& option : info.options) {
    if (option.name == "radius") options.solver_options["radius"] = "3";
  }
  return options;
}

TEST(OneVsRest, IsOneSolverAClass) {
  for (const SolverInfo& info : solvers()) {
    const Options options = ovr_options(info);
    const DenseProblem data = four_classes(3);
    const FitResult all = fit(to_problem(data), options);
    ASSERT_EQ(all.model.classes.size(), 4u) << info.name;
    EXPECT_EQ(all.model.nonzeros(), all.last.at.nonzeros) << info.name;
    for (const ClassPart& part : all.model.classes) {
      const FitResult one = fit(to_problem(against_rest(data, part.label)), options);
      ASSERT_EQ(part.coefficients.size(), one.model.coefficients.size()) << info.name;
      EXPECT_EQ(part.intercept, one.model.intercept) << info.name;
      for (std::size_t j = 0; j < part.coefficients.size(); ++j) {
        EXPECT_EQ(part.coefficients[j].index, one.model.coefficients[j].index) << info.name;
        EXPECT_EQ(part.coefficients[j].weight, one.model.coefficients[j].weight) << info.name;
      }
    }
  }
}

TEST(OneVsRest, AModelHasNoSingleMargin) {
  Model model;
  model.classes.resize(3);
  const std::vector<double> two(2);
  EXPECT_NE(refusal_of([&] { model.margin({}, {}); }), "");
  EXPECT_NE(refusal_of([&] { model.prediction(two); }), "");
  model.class_link = ClassLink::softmax;
  EXPECT_NE(refusal_of([&] { model.probabilities(two); }), "");
  EXPECT_NE(refusal_of([&] { Predictor(model).margin(Row{}); }), "");
}

TEST(OneVsRest, AClassThatHasItsFeaturesWaitsForTheOthers) {
  const DenseProblem data = four_classes(5);
  Options options;
  options.features = 4;
  const FitResult result = fit(to_problem(data), options);
  for (const ClassPart& part : result.model.classes) EXPECT_LE(part.coefficients.size(), 4u);
  for (const ClassPart& part : result.model.classes) {
    const FitResult one = fit(to_problem(against_rest(data, part.label)), options);
    EXPECT_EQ(part.coefficients.size(), one.model.coefficients.size());
  }
}

TEST(OneVsRest, TheTracedErrorIsThatOfTheModel) {
  const DenseProblem data = four_classes(7);
  const Problem problem = to_problem(data);
  Options options;
  options.solver = "fobos";
  options.trace = TraceAt{};
  const FitResult result = fit(problem, options);
  const Predictor predictor(result.model);
  const auto metrics =
      std::get<MulticlassMetrics>(evaluate(result.model, predictor, to_problem(data).train));
  EXPECT_EQ(*result.last.train_error, metrics.error);
  EXPECT_LT(metrics.error, 0.3);
  double rows = 0;
  for (const auto& line : metrics.confusion) {
    for (const double weight : line) rows += weight;
  }
  EXPECT_EQ(rows, 400);
  ASSERT_TRUE(metrics.log_loss);
  EXPECT_GT(*metrics.log_loss, 0);
}

TEST(OneVsRest, AModelStartsFromItselfAndComesBackFromItsFile) {
  const DenseProblem data = four_classes(9);
  Options options;
  options.solver = "cd";
  options.lambda = 0.01;
  const FitResult first = fit(to_problem(data), options);
  ScratchDir scratch;
  const std::string path = scratch.file("m.thresh");
  first.model.save(path);
  const Model loaded = Model::load(path);
  ASSERT_EQ(loaded.classes.size(), 4u);
  for (std::size_t c = 0; c < 4; ++c) {
    const ClassPart& a = first.model.classes[c];
    const ClassPart& b = loaded.classes[c];
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.intercept, b.intercept);
    ASSERT_EQ(a.coefficients.size(), b.coefficients.size());
    for (std::size_t j = 0; j < a.coefficients.size(); ++j) {
      EXPECT_EQ(a.coefficients[j].weight, b.coefficients[j].weight);
    }
  }
  options.passes = 1;
  const FitResult more = fit(to_problem(data), options, &loaded);
  EXPECT_EQ(more.model.classes.size(), 4u);
  options.trace = TraceAt{};
  EXPECT_LE(*fit(to_problem(data), options, &loaded).last.objective,
            *fit(to_problem(data), options).last.objective);
}

}  // namespace
}  // namespace thresh::one_vs_rest_oracle
