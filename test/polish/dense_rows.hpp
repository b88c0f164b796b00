// Small dense rows for the tests of src/polish, and the definition of a ridge fit.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "polish/ridge.hpp"
#include "tools/twins.hpp"

namespace thresh {

inline SupportMatrix matrix_of(const DenseProblem& data) {
  SupportMatrix rows;
  rows.columns = data.features;
  rows.labels = data.y;
  rows.weights = data.s;
  for (const Vector& x : data.x) {
    for (std::uint32_t j = 0; j < data.features; ++j) {
      if (x[j] == 0) continue;
      rows.at.push_back(j);
      rows.values.push_back(x[j]);
    }
    rows.starts.push_back(rows.at.size());
  }
  return rows;
}

// Row weights between 1/2 and 2.
inline void weigh_rows(DenseProblem& data, Random& random) {
  for (double& s : data.s) s = 0.5 + 1.5 * random.uniform();
}

inline bool is_finite(const RidgeModel& model) {
  return std::isfinite(model.intercept) && std::isfinite(model.objective) &&
         std::all_of(model.weights.begin(), model.weights.end(),
                     [](double w) { return std::isfinite(w); });
}

inline double ridge_objective(const DenseProblem& data, Loss loss, const Vector& ridges,
                              const RidgeModel& model) {
  const Dense at{model.weights, model.intercept};
  double sum = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    sum += data.s[i] * loss_value(loss, margin(data, at, i), data.y[i]);
  }
  for (std::size_t j = 0; j < ridges.size(); ++j) sum += ridges[j] / 2 * at.w[j] * at.w[j];
  return sum;
}

// The sum of g_j^2 / H_jj over all weights, and the intercept if there is one, for the gradient g
// and the Hessian H of the objective: 0 at the optimum.
inline double distance_to_optimum(const DenseProblem& data, Loss loss, const Vector& ridges,
                                  bool intercept, const RidgeModel& model) {
  const Dense at{model.weights, model.intercept};
  const Dense g = gradient(data, loss, at, all_rows(data), 1);
  Vector bend = ridges;
  double intercept_bend = 1e-9;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const double slope = loss_slope(loss, margin(data, at, i), data.y[i]);
    const double c = data.s[i] * LossFunction(loss).curvature(slope, data.y[i]);
    for (std::size_t j = 0; j < bend.size(); ++j) bend[j] += c * data.x[i][j] * data.x[i][j];
    intercept_bend += c;
  }
  double sum = intercept ? g.b * g.b / intercept_bend : 0;
  for (std::size_t j = 0; j < bend.size(); ++j) {
    const double slope = g.w[j] + ridges[j] * at.w[j];
    sum += slope * slope / bend[j];
  }
  return sum;
}

}  // namespace thresh
