// Ridge fits of hostile rows and from hostile starts.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "polish/dense_rows.hpp"

namespace thresh::ridge_edge {
namespace {

constexpr Loss kLosses[] = {Loss::logistic, Loss::squared, Loss::squared_hinge};
using Method = RidgeProblem::Method;
constexpr Method kMethods[] = {Method::columns, Method::rows, Method::conjugates};

RidgeModel fit(const DenseProblem& data, Loss loss, const Vector& ridges,
               std::optional<Method> method = Method::columns, const RidgeModel& start = {},
               bool intercept = true) {
  const SupportMatrix rows = matrix_of(data);
  return RidgeProblem(rows, data.y, LossFunction(loss), intercept, method).fit(ridges, start);
}

DenseProblem with_column_times(double factor) {
  DenseProblem data = random_problem(40, 5, 0.5, 3);
  for (Vector& x : data.x) x[1] *= factor;
  return data;
}

// A column f times as large needs a weight 1/f times as large: its ridge is then lost.
TEST(RidgeEdge, HugeValuesAreFitted) {
  for (const double factor : {1e4, 1e20, 1e100, 1e150}) {
    for (const Loss loss : kLosses) {
      for (const Method method : {Method::columns, Method::conjugates}) {
        const RidgeModel got = fit(with_column_times(factor), loss, Vector(5, 0.1), method);
        ASSERT_TRUE(is_finite(got));
        const RidgeModel same =
            fit(with_column_times(1), loss, {0.1, 1e-12, 0.1, 0.1, 0.1}, method);
        EXPECT_NEAR(got.objective / same.objective, 1, 1e-8) << factor;
        EXPECT_NEAR(got.weights[1] * factor, same.weights[1], 1e-3) << factor;
      }
    }
  }
}

// With fewer rows than columns, the equations in terms of the rows would lose digits.
TEST(RidgeEdge, FewRowsMayHaveHugeValues) {
  for (const double factor : {1e3, 1e4, 1e5, 1e6, 1e8, 1e10, 1e150}) {
    for (const Loss loss : kLosses) {
      DenseProblem data = random_problem(40, 80, 0.3, 3);
      for (Vector& x : data.x) x[1] *= factor;
      const RidgeModel got = fit(data, loss, Vector(80, 0.1), std::nullopt);
      const RidgeModel same = fit(data, loss, Vector(80, 0.1), Method::columns);
      EXPECT_NEAR(got.objective / same.objective, 1, 1e-8) << factor;
    }
  }
}

// Their squares are not finite. The fit may stop early, but it is one, and not worse than none.
TEST(RidgeEdge, ValuesWithoutSquaresDoNoHarm) {
  for (const double factor : {1e154, 1e160, 1e200, 1e300}) {
    for (const Loss loss : kLosses) {
      for (const Method method : kMethods) {
        const DenseProblem data = with_column_times(factor);
        const RidgeModel got = fit(data, loss, Vector(5, 0.1), method);
        ASSERT_TRUE(is_finite(got));
        const RidgeModel none{Vector(5), 0, 0};
        EXPECT_LE(got.objective, ridge_objective(data, loss, Vector(5, 0.1), none) * (1 + 1e-12));
        EXPECT_NEAR(got.objective / ridge_objective(data, loss, Vector(5, 0.1), got), 1, 1e-9);
      }
    }
  }
}

TEST(RidgeEdge, SeparableRowsAreFitted) {
  Random random(7);
  DenseProblem data = random_problem(60, 4, 1, 11);
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    data.x[i][2] = 0.1 + random.uniform();
    if (data.y[i] < 0) data.x[i][2] *= -1;
  }
  for (const Loss loss : kLosses) {
    for (const double ridge : {1e-6, 1e-3, 1.0}) {
      for (const Method method : kMethods) {
        const RidgeModel got = fit(data, loss, Vector(4, ridge), method);
        ASSERT_TRUE(is_finite(got));
        EXPECT_LE(distance_to_optimum(data, loss, Vector(4, ridge), true, got),
                  5e-9 * got.objective);
      }
    }
  }
}

// The squared hinge has no curvature where rows are on the right side: the ridge alone remains.
TEST(RidgeEdge, WeakRidgesOfSeparableRowsAreFitted) {
  Random random(1);
  for (int draw = 0; draw < 400; ++draw) {
    DenseProblem data = random_problem(5 + random.below(10), 1 + random.below(8), 0.7, draw);
    for (std::size_t i = 2; i < data.y.size(); ++i) data.y[i] = data.x[i][0] > 0 ? 1 : -1;
    const Vector ridges(data.features, 1e-6);
    const RidgeModel got = fit(data, Loss::squared_hinge, ridges, kMethods[draw % 3]);
    ASSERT_LE(distance_to_optimum(data, Loss::squared_hinge, ridges, true, got),
              1e-5 * got.objective)
        << "draw " << draw;
  }
}

// The optimum is at infinity. A fit stops where the loss is as good as zero.
TEST(RidgeEdge, OneClassMayBeAlone) {
  for (const double label : {-1.0, 1.0}) {
    DenseProblem data = random_problem(50, 3, 0.5, 5);
    data.y.assign(data.y.size(), label);
    for (const Method method : kMethods) {
      const RidgeModel got = fit(data, Loss::logistic, Vector(3, 0.1), method);
      ASSERT_TRUE(is_finite(got));
      EXPECT_LE(got.objective, 1e-9);
      EXPECT_GT(got.intercept * label, 15);
    }
  }
}

TEST(RidgeEdge, ThereMayBeNoRowsAndNoEntries) {
  const DenseProblem none{2, {}, {}, {}};
  const DenseProblem empty{2, {{0, 0}, {0, 0}, {0, 0}}, {1, -1, -1}, {1, 1, 1}};
  for (const Method method : kMethods) {
    const RidgeModel start{{3, -2}, 0.5, 0};
    EXPECT_NEAR(fit(none, Loss::logistic, {0.1, 0.1}, method, start).objective, 0, 1e-12);
    const RidgeModel got = fit(empty, Loss::logistic, {0.1, 0.1}, method, start);
    EXPECT_NEAR(got.intercept, std::log(0.5), 1e-3);
    for (const double w : got.weights) EXPECT_NEAR(w, 0, 1e-3);
  }
}

// Far out the logistic loss is flat: a Newton step of the intercept is then 1e9 and more.
TEST(RidgeEdge, AStartWithoutCurvatureReachesTheOptimum) {
  const DenseProblem constant{0, {{}, {}, {}}, {1, -1, -1}, {1, 1, 1}};
  for (const double intercept : {5.0, 18.0, 20.0, 40.0, 1000.0}) {
    for (const Method method : {Method::columns, Method::conjugates}) {
      const RidgeModel got = fit(constant, Loss::logistic, {}, method, {{}, intercept, 0});
      EXPECT_NEAR(got.intercept, std::log(0.5), 1e-3) << "from " << intercept;
    }
  }
}

// All rows but one are on the right side, each by as much as the weight of the start.
TEST(RidgeEdge, AStartThatIsTooSureReachesTheOptimum) {
  DenseProblem data{1, {}, {}, {}};
  for (int i = 0; i < 100; ++i) {
    const double y = i % 2 == 0 ? 1 : -1;
    data.x.push_back({i == 0 ? -y : y});
    data.y.push_back(y);
    data.s.push_back(1);
  }
  for (const Method method : kMethods) {
    const RidgeModel expected = fit(data, Loss::logistic, {0.1}, method);
    for (const double weight : {10.0, 30.0, 100.0, 600.0}) {
      const RidgeModel got = fit(data, Loss::logistic, {0.1}, method, {{weight}, 0, 0});
      EXPECT_NEAR(got.objective / expected.objective, 1, 1e-8) << "from " << weight;
    }
  }
}

TEST(RidgeEdge, ADistantStartReachesTheOptimum) {
  Random random(2);
  for (int draw = 0; draw < 200; ++draw) {
    const DenseProblem data = random_problem(30, 4, 0.5, random.next());
    const RidgeModel expected = fit(data, Loss::logistic, Vector(4, 0.1));
    RidgeModel start{Vector(4), 100 * random.normal(), 0};
    for (double& w : start.weights) w = 100 * random.normal();
    const RidgeModel got = fit(data, Loss::logistic, Vector(4, 0.1), kMethods[draw % 3], start);
    ASSERT_NEAR(got.objective / expected.objective, 1, 1e-8) << "draw " << draw;
  }
}

}  // namespace
}  // namespace thresh::ridge_edge
