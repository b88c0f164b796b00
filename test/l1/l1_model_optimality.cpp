// The model of a Newton step in l1, and the ways to its minimum.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "l1/l1_twin.hpp"
#include "solvers/l1/descent.hpp"

namespace thresh::l1_model_optimality {
namespace {

constexpr double kFlat = 3e-3;

// The objective at zero weights, to make models of.
struct Modelled {
  explicit Modelled(const Twin& twin, double l2)
      : objective(matrix_of(twin), LossFunction(twin.loss), twin.intercept, l2, {}, Signs()),
        set(objective.columns()) {
    point.margins.assign(objective.rows(), 0);
    objective.evaluate(point);
    for (std::uint32_t j = 0; j < set.size(); ++j) {
      set[j] = j;
      gradients.push_back(objective.gradient(j, point));
    }
  }

  static std::shared_ptr<const Matrix> matrix_of(const Twin& twin) {
    const Problem problem = to_problem(twin.data);
    RowView view;
    view.labels = LabelMap::of_classes(-1, 1);
    return std::make_shared<const Matrix>(problem.train, view, *problem.features);
  }

  L1Objective objective;
  L1Objective::Point point;
  std::vector<std::uint32_t> set;
  std::vector<double> gradients;
};

// A column's model is minimised exactly by faces; many sweeps come to the same place.
RC_GTEST_PROP(L1, SmallModelsAreMinimisedAsSweepsWould, ()) {
  const Twin twin = any_twin();
  RC_PRE(has_features(twin.data));
  const Modelled at(twin, 0.01);
  const std::vector<double> zeros(at.set.size()), ones(at.set.size(), 1);
  NewtonModel exact, swept;
  // What a model was used for before leaves no trace.
  exact.start(at.objective, at.point, at.set, ones, at.gradients, 2 * twin.lambda, 0.1, kFlat);
  exact.sweep(2);
  for (NewtonModel* model : {&exact, &swept}) {
    model->start(at.objective, at.point, at.set, zeros, at.gradients, twin.lambda, 1e9, kFlat);
  }
  RC_ASSERT(exact.first_violation() == swept.first_violation());
  RC_ASSERT(exact.entries() == swept.entries());
  exact.minimise_exactly();
  for (int i = 0; i < 300; ++i) swept.sweep(3);
  RC_ASSERT(exact.decrease() <= swept.decrease() + 1e-9);
  RC_ASSERT(exact.violation() <= 1e-6 * (1 + exact.first_violation()));
}

// The exact minimum over the weights that move. Sweeps find those; the others stay zero.
RC_GTEST_PROP(L1, MovingWeightsAreMinimisedAsSweepsWould, ()) {
  const Twin twin = any_twin();
  RC_PRE(has_features(twin.data));
  const Modelled at(twin, 0.01);
  const std::vector<double> zeros(at.set.size());
  NewtonModel exact, swept;
  for (NewtonModel* model : {&exact, &swept}) {
    model->start(at.objective, at.point, at.set, zeros, at.gradients, twin.lambda, 1e9, 0);
  }
  for (int i = 0; i < 20; ++i) {
    exact.sweep(1);
    if (!exact.minimise_on_moving()) break;
  }
  for (int i = 0; i < 300; ++i) swept.sweep(3);
  RC_ASSERT(exact.decrease() <= swept.decrease() + 1e-9);
  RC_ASSERT(exact.violation() <= 1e-6 * (1 + exact.first_violation()));
}

// Sparse rows and many columns, where conjugate gradients are cheaper than a dense matrix; weights
// so large that none comes near zero.
TEST(L1, StepsOnAFaceSolveItsEquations) {
  Twin twin;
  twin.data = random_problem(150, 200, 0.02, 7);
  twin.intercept = false;
  const Modelled at(twin, 0.001);
  NewtonModel model;
  model.start(at.objective, at.point, at.set, std::vector<double>(at.set.size(), 1e4), at.gradients,
              twin.lambda, 1e9, kFlat);
  for (int i = 0; i < 8; ++i) model.step_on_face();
  EXPECT_LT(model.violation(), 1e-4 * model.first_violation());
}

// A round may take seconds on large data. One that is stopped makes no further steps.
TEST(L1, ARoundEndsWhenItIsStopped) {
  Twin twin;
  twin.data = random_problem(150, 200, 0.1, 7);
  const Modelled at(twin, 0);
  for (const bool stop : {false, true}) {
    const std::atomic<bool> flag{stop};
    L1Descent descent(at.objective, std::vector<double>(at.set.size()), &flag);
    descent.aim(0.01 * descent.largest_lambda());
    for (int i = 0; i < 3; ++i) descent.round(1e-9);
    EXPECT_EQ(descent.accesses() > 3 * at.objective.matrix().entries(), !stop);
  }
}

}  // namespace
}  // namespace thresh::l1_model_optimality
