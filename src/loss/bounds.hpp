// The bounds that Shalev-Shwartz & Tewari prove, as numbers.
//
// They depend on the unknown optimum w*. Training uses |w*|_1 <= P(0) / lambda, which holds because
// the penalty at w* cannot exceed the objective at 0.
#pragma once

#include <cmath>
#include <numbers>
#include <optional>

#include "thresh/options.hpp"

namespace thresh {

// The mean loss at w = 0 for targets of +-1.
inline double loss_at_zero(Loss loss) {
  switch (loss) {
    case Loss::logistic:
      return std::numbers::ln2;
    case Loss::squared:
      return 0.5;
    case Loss::hinge:
    case Loss::squared_hinge:
    case Loss::poisson:  // these three have no such targets
    case Loss::huber:
    case Loss::quantile:
      return 1;
  }
  return 1;
}

// rho of condition (14), |L'|^2 <= rho L. For the squared loss, which we halve, half the paper's.
inline std::optional<double> self_bound(Loss loss) {
  switch (loss) {
    case Loss::logistic:
      return 0.5;
    case Loss::squared:
      return 2;
    case Loss::squared_hinge:
      return 4;
    case Loss::hinge:
    case Loss::poisson:
    case Loss::huber:
    case Loss::quantile:
      return std::nullopt;
  }
  return std::nullopt;
}

// The steps after which Theorem 1 promises epsilon: T + 1 >= d Psi(0) / epsilon.
inline double scd_steps(double d, double beta, double at_zero, double norm2, double epsilon) {
  return std::ceil(d * (beta / 2 * norm2 * norm2 + at_zero) / epsilon) - 1;
}

// Theorem 1: E[P(w_T)] - P(w*) <= d Psi(0) / (T + 1), Psi(0) = beta/2 |w*|_2^2 + P(0).
inline double scd_bound(double d, double steps, double beta, double at_zero, double lambda) {
  const double norm = at_zero / lambda;
  return d * (beta / 2 * norm * norm + at_zero) / (steps + 1);
}

// Theorem 3 bounds the expected objective at a random one of T iterates. The paper draws from w_0
// to w_{T-1}, we draw from w_1 to w_T. So all T + 1 are summed, and w_0, which cannot be better
// than the optimum, is left out. `factor` is d^(2/p), the paper's e for p = 2 ln d.
//
// For losses with (14). Needs eta (p-1) rho factor / 2 < 1.
inline std::optional<double> smidas_bound(double p, double rho, double factor, double eta,
                                          double steps, double at_zero, double lambda) {
  const double a = eta * (p - 1) * rho * factor / 2;
  if (a >= 1) return std::nullopt;
  const double norm = at_zero / lambda;
  return (steps + 1) / steps * (1 / (1 - a) - 1) * at_zero + norm * norm / (eta * steps * (1 - a));
}

// For losses with (13), |L'| <= rho = 1: logistic and hinge.
inline double smidas_bound_lipschitz(double p, double factor, double eta, double steps,
                                     double at_zero, double lambda) {
  const double norm = at_zero / lambda;
  return (steps + 1) / steps * eta * (p - 1) * factor / 2 + norm * norm / (eta * steps);
}

// A number of steps, and the step size with which a bound of Theorem 3 is then at most epsilon.
struct StepsAndSize {
  double steps = 0, eta = 0;
};

// The fewest steps for which smidas_bound(), minimised over eta (Lemma 7), is at most epsilon. With
// a = (p-1) rho factor / 2 and b = |w*|_1^2 the minimum is 2 b / (eta T) at
// 1/eta = a + sqrt(a^2 + a (T+1) P(0) / b), and equal to epsilon at the root of a quadratic in T.
inline StepsAndSize smidas_steps(double p, double rho, double factor, double at_zero, double norm1,
                                 double epsilon) {
  const double a = (p - 1) * rho * factor / 2, b = norm1 * norm1;
  const double q = 4 * a * b / epsilon;
  const double half = q * (1 + at_zero / epsilon) / 2;
  const double steps = std::ceil(half + std::sqrt(half * half + q * at_zero / epsilon));
  return {steps, 1 / (a + std::sqrt(a * a + a * (steps + 1) * at_zero / b))};
}

// The same for smidas_bound_lipschitz(): 2 sqrt(a b (T+1)) / T, a = (p-1) factor / 2.
inline StepsAndSize smidas_steps_lipschitz(double p, double factor, double norm1, double epsilon) {
  const double a = (p - 1) * factor / 2, b = norm1 * norm1;
  const double q = 4 * a * b / (epsilon * epsilon);
  const double steps = std::ceil(q / 2 + std::sqrt(q * q / 4 + q));
  return {steps, std::sqrt(b / (a * (steps + 1)))};
}

// Proposition 4: the step, and what it promises, E[P(w)] <= share P(w*) + rest.
inline double smidas_step(double p, double rho, double factor, double k) {
  return 2 / ((p - 1) * rho * factor) * k / (1 + k);
}
struct RelativeBound {
  double share = 0, rest = 0;
};
inline RelativeBound smidas_relative_bound(double p, double rho, double factor, double k,
                                           double steps, double at_zero, double lambda) {
  const double a = (p - 1) * rho * factor / 2, norm = at_zero / lambda;
  return {1 + k * (steps + 1) / steps, (1 + k) * (1 + k) / k * a * norm * norm / steps};
}

}  // namespace thresh
