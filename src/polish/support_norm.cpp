#include "polish/support_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thresh {

// The sum of shares rises with nu, by the sizes of the columns whose share is between 0 and 1. So
// Newton's method within a shrinking interval finds the exact piece in a few steps.
double SupportNorm::level(std::span<const double> p, double tau) const {
  constexpr int kMostNewtonSteps = 200;
  const auto wanted = static_cast<double>(features_);
  std::size_t nonzeros = 0;
  double largest = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (is_kept(j) || p[j] == 0) continue;
    ++nonzeros;
    largest = std::max(largest, std::fabs(p[j]));
  }
  if (nonzeros <= features_ || features_ == 0) return std::numeric_limits<double>::infinity();
  double low = tau / largest, high = std::numeric_limits<double>::infinity();
  double nu = (1 + tau) / largest;
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    double sum = 0, slope = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (is_kept(j)) continue;
      const double size = std::fabs(p[j]);
      const double share = nu * size - tau;
      sum += std::clamp(share, 0.0, 1.0);
      if (share > 0 && share < 1) slope += size;
    }
    if (std::fabs(sum - wanted) <= 1e-13 * wanted) break;
    (sum < wanted ? low : high) = nu;
    const double next = slope > 0 ? nu + (wanted - sum) / slope : 0;
    const bool inside = next > low && next < high;
    nu = inside ? next : std::isfinite(high) ? (low + high) / 2 : 2 * low;
    if (!(low < high) || nu == low || nu == high) break;
  }
  return nu;
}

double SupportNorm::value(std::span<const double> w) const {
  const double nu = level(w, 0);
  double sum = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    if (w[j] == 0) continue;
    const double size = std::fabs(w[j]);
    const double share = is_kept(j) ? 1 : std::min(1.0, nu * size);
    if (features_ == 0 && !is_kept(j)) return std::numeric_limits<double>::infinity();
    sum += size * size / share;
  }
  return sum;
}

// With the shares s given, w_j = p_j s_j / (s_j + tau). The minimum is then the sum of
// tau p_j^2 / (2 (s_j + tau)), and the best shares are min(1, max(0, nu |p_j| - tau)).
void SupportNorm::move(std::span<double> p, double tau) const {
  const double nu = level(p, tau);
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (p[j] == 0) continue;
    double share = std::clamp(nu * std::fabs(p[j]) - tau, 0.0, 1.0);
    if (features_ == 0) share = 0;
    if (is_kept(j)) share = 1;
    p[j] *= share / (share + tau);
  }
}

SupportNorm::Pieces SupportNorm::pieces(std::span<const double> w) const {
  const double nu = level(w, 0);
  Pieces found;
  found.places = static_cast<double>(features_);
  for (std::uint32_t j = 0; j < w.size(); ++j) {
    if (is_kept(j)) {
      found.whole.push_back(j);
    } else if (w[j] != 0 && nu * std::fabs(w[j]) >= 1) {
      found.whole.push_back(j);
      --found.places;
    } else if (w[j] != 0) {
      found.shared.push_back(j);
    }
  }
  return found;
}

double SupportNorm::dual(std::span<const double> pulls) const {
  std::vector<double> squares;
  double sum = 0;
  for (std::size_t j = 0; j < pulls.size(); ++j) {
    const double square = pulls[j] * pulls[j];
    if (is_kept(j)) {
      sum += square;
    } else if (square > 0) {
      squares.push_back(square);
    }
  }
  if (squares.size() > features_) {
    std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(features_),
                     squares.end(), std::greater<>());
    squares.resize(features_);
  }
  for (const double square : squares) sum += square;
  return sum;
}

}  // namespace thresh
