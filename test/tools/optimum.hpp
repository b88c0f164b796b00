// The l1 problem P(w) = mean L + lambda |w|_1, and how far from its optimum a model is.
#pragma once

#include "tools/twins.hpp"

namespace thresh {

// Labels that follow from a few of the features, with noise: some weights belong at 0.
inline DenseProblem learnable_problem(std::size_t rows, std::size_t features, std::uint64_t seed) {
  DenseProblem data = random_problem(rows, features, 0.5, seed);
  Random random(seed + 1);
  for (std::size_t i = 2; i < rows; ++i) {
    const double a = data.x[i][0] - 2 * data.x[i][1] + data.x[i][2] + 0.3;
    data.y[i] = a + random.normal() > 0 ? 1 : -1;
  }
  return data;
}

inline Dense dense(const Model& model, std::size_t features) {
  Dense point{Vector(features), model.intercept};
  for (const Coefficient& each : model.coefficients) point.w.at(each.index - 1) = each.weight;
  return point;
}

inline double objective(const DenseProblem& data, const Options& options, const Dense& at) {
  return mean_loss(data, *options.loss, at) + options.lambda * l1_norm(at.w);
}

// The largest distance from 0 to the subdifferential of P along a coordinate: 0 at the optimum.
inline double kkt_residual(const DenseProblem& data, const Options& options, const Dense& at) {
  const Dense g = full_gradient(data, *options.loss, at);
  double worst = options.intercept ? std::fabs(g.b) : 0;
  for (std::size_t j = 0; j < at.w.size(); ++j) {
    worst = std::max(worst, at.w[j] != 0 ? std::fabs(g.w[j] + options.lambda * sign(at.w[j]))
                                         : std::fabs(g.w[j]) - options.lambda);
  }
  return worst;
}

}  // namespace thresh
