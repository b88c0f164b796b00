// Bounds how much better than a model any other could be, from the data and the weights alone.
//
// For the convex problems of the solvers, with c_i the share of row i in the total weight,
//
//     P(w, b) = sum_i c_i L(a_i, y_i) + lambda |w|_1 + (l2/2) |w|^2      a = X w + b
//     P(w, b) = sum_i c_i L(a_i, y_i)   where |w|_1 <= z
//
// optionally with w >= 0, every v with sum_i c_i v_i = 0 (if there is an intercept) gives a lower
// bound, with g = sum_i c_i v_i x_i:
//
//     D(v) = -sum_i c_i L*(v_i)         where |g_j| <= lambda
//     D(v) = -sum_i c_i L*(v_i) - sum_j max(0, |g_j| - lambda)^2 / (2 l2)
//     D(v) = -sum_i c_i L*(v_i) - z max_j |g_j|
//
// v is made of the slopes at the model, shifted by their mean for squared loss, else scaled by
// sign, so that they sum to zero; for the first form then scaled until |g_j| <= lambda for all j.
//
// Cost: two passes over the rows in long double; two numbers per feature.
#pragma once

#include <optional>

#include "certify/training_rows.hpp"

namespace thresh {

struct ConvexProblem {
  Loss loss = Loss::logistic;
  double lambda = 0, l2 = 0;
  std::optional<double> radius;  // z; then there is no penalty
  bool non_negative = false;
  bool intercept = true;
  double limit = 1;  // of the slopes of Loss::huber
};

struct DualityGap {
  long double objective = 0;  // P of the model
  long double bound = 0;      // D: a lower bound for all models
  long double at_zero = 0;    // P without features and intercept: the scale of the numbers
  long double rounding = 0;   // the possible error of a bound computed in doubles
  long double gap() const { return objective - bound; }
};

DualityGap duality_gap(const ConvexProblem& problem, const TrainingRows& rows,
                       const SlotWeights& at);

}  // namespace thresh
