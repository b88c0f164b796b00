#include "select/sharpness.hpp"

#include <cmath>

#include "math/elementary.hpp"

namespace thresh {
namespace {

// The label times the margin that has this loss: log(1 + exp(-a)) = loss.
double agreement_of(double loss) {
  constexpr double kLargest = 80;  // smaller losses are zero as floats
  if (loss < 1e-5) return loss > 0 ? std::fmin(-portable::log(loss), kLargest) : kLargest;
  return -loss - portable::log1p(-portable::exp(-loss));
}

// The derivative of the loss in the factor, and its own derivative.
struct Slope {
  double value = 0;
  double bend = 0;
};

Slope slope_at(double factor, const RowScores& rows, const std::vector<double>& agreements) {
  Slope slope;
  for (std::size_t i = 0; i < agreements.size(); ++i) {
    const double a = agreements[i];
    const double e = portable::exp(-std::fabs(factor * a));
    const double wrong = factor * a > 0 ? e / (1 + e) : 1 / (1 + e);
    const double weight = static_cast<double>(rows.weights[i]);
    slope.value -= weight * a * wrong;
    slope.bend += weight * a * a * e / ((1 + e) * (1 + e));
  }
  return slope;
}

}  // namespace

double calibrating_factor(const RowScores& held_out) {
  std::vector<double> agreements;
  agreements.reserve(held_out.losses.size());
  for (const float loss : held_out.losses) {
    agreements.push_back(agreement_of(static_cast<double>(loss)));
  }
  // The slope rises with the factor. Newton's method, or halves of the range if it leaves that.
  double low = 0.05;
  double high = 1;
  double factor = 1;
  for (int step = 0; step < 100 && high - low > 1e-9; ++step) {
    const Slope slope = slope_at(factor, held_out, agreements);
    if (factor == 1 && !(slope.value > 0)) break;
    (slope.value > 0 ? high : low) = factor;
    const double next = factor - slope.value / slope.bend;
    if (std::fabs(next - factor) <= 1e-12) break;
    factor = next > low && next < high ? next : 0.5 * (low + high);
  }
  return factor;
}

}  // namespace thresh
