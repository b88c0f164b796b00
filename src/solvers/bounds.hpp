// The bounds that Shalev-Shwartz & Tewari prove, as numbers.
//
// Both depend on the unknown optimum w*. We use |w*|_1 <= P(0) / lambda, which holds because the
// penalty at w* cannot exceed the objective at 0.
#pragma once

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
      return std::nullopt;
  }
  return std::nullopt;
}

// Theorem 1: E[P(w_T)] - P(w*) <= d Psi(0) / (T + 1), Psi(0) = beta/2 |w*|_2^2 + P(0).
inline double scd_bound(double d, double steps, double beta, double at_zero, double lambda) {
  const double norm = at_zero / lambda;
  return d * (beta / 2 * norm * norm + at_zero) / (steps + 1);
}

// Theorem 3 bounds the expected objective at a random one of T iterates. The paper draws from w_0
// to w_{T-1}, we draw from w_1 to w_T; so all T + 1 are summed and w_0, which is no better than the
// optimum, is left out. `factor` is d^(2/p), the paper's e for p = 2 ln d.
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

// Proposition 4.
inline double smidas_step(double p, double rho, double factor, double k) {
  return 2 / ((p - 1) * rho * factor) * k / (1 + k);
}

}  // namespace thresh
