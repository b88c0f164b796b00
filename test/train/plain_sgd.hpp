// Plain stochastic gradient descent on squared loss, with steps of any length.
#pragma once

#include <cmath>
#include <vector>

#include "tools/every_solver.hpp"

namespace thresh {

inline Options plain_sgd(double eta) {
  Options options;
  options.solver = "fobos";
  options.loss = Loss::squared;
  options.schedule = Schedule::constant;
  options.lambda = 0;
  options.eta = eta;
  options.intercept = false;
  options.order = Order::sequential;
  return options;
}

inline double margin_of(const DenseProblem& data, const std::vector<double>& w, std::size_t i) {
  double margin = 0;
  for (std::size_t j = 0; j < w.size(); ++j) margin += w[j] * data.x[i][j];
  return margin;
}

inline double mean_loss(const DenseProblem& data, const std::vector<double>& w) {
  double sum = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    sum += 0.5 * std::pow(margin_of(data, w, i) - data.y[i], 2);
  }
  return sum / static_cast<double>(data.x.size());
}

}  // namespace thresh
