// The minimum of the model on a small working set: feature-sign search (Lee et al. 2007), with
// several weights added at once. It solves on a face, moves there while the piecewise quadratic
// falls, removes weights that reach zero and adds those that are pulled away from zero. Unlike
// coordinate descent it is not slowed down by almost equal columns, as in dense data with few rows.

#include <algorithm>
#include <limits>
#include <numeric>

#include "solvers/l1/newton_model.hpp"

namespace thresh {
namespace {

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

class FaceSearch {
 public:
  FaceSearch(const SquareMatrix& h, std::span<const double> g, std::span<const Price> prices,
             std::span<const double> weights)
      : h_(h), prices_(prices), x_(weights.begin(), weights.end()), gradient_(g.begin(), g.end()) {}

  // Until the largest violation is `enough` of the first one.
  template <class Stopped>
  const std::vector<double>& run(double enough, int most_steps, const Stopped& stopped) {
    double first = 0;
    for (int step = 0; step < most_steps && !stopped(); ++step) {
      const double worst = choose_face();
      if (step == 0) first = worst;
      if (worst <= enough * first) break;
      const std::vector<double> by = solve();
      const double t = all_finite(by) ? how_far(by) : 0;
      if (t > 0) {
        go(by, t);
        alone_ = false;
      } else if (alone_) {
        break;  // rounding prevents further progress
      } else {
        alone_ = true;
      }
    }
    return x_;
  }

 private:
  // Fills face_. Returns the largest violation.
  double choose_face() {
    double inside = 0, outside = 0;
    std::uint32_t worst = 0;
    for (std::uint32_t k = 0; k < x_.size(); ++k) {
      const double v = on(k) ? prices_[k].violation(x_[k], gradient_[k]) : drawn(k);
      if (on(k)) {
        inside = std::max(inside, v);
      } else if (v > outside) {
        outside = v;
        worst = k;
      }
    }
    // Weights are added when the face is nearly at its minimum: all with at least half the worst
    // violation, or only the worst if these together found no descent.
    const bool open = alone_ || inside <= 0.1 * outside;
    face_.clear();
    for (std::uint32_t k = 0; k < x_.size(); ++k) {
      const double v = on(k) ? 0 : drawn(k);
      const bool comes = open && (alone_ ? k == worst && v > 0 : v > 0.5 * outside);
      if (on(k) || comes) face_.push_back(k);
    }
    return std::max(inside, outside);
  }
  double drawn(std::uint32_t k) const {
    return prices_[k].draws(gradient_[k]) ? prices_[k].violation(0, gradient_[k]) : 0;
  }
  bool on(std::uint32_t k) const { return x_[k] != 0 || prices_[k].up == 0; }

  // The slope of the price for the sign that a weight of the face has or will get.
  double price_slope(std::uint32_t k) const {
    const double sign = x_[k] != 0 ? x_[k] : -gradient_[k];
    return prices_[k].slope(sign);
  }

  std::vector<double> solve() const {
    SquareMatrix h(face_.size());
    std::vector<double> right(face_.size());
    for (std::size_t i = 0; i < face_.size(); ++i) {
      const std::uint32_t k = face_[i];
      right[i] = -(gradient_[k] + price_slope(k));
      for (std::size_t j = i; j < face_.size(); ++j) h(j, i) = h_(face_[j], k);
      h(i, i) *= 1 + 1e-10;
    }
    return solve_definite(h, right);
  }

  // The step length that minimises the piecewise quadratic along `by`.
  double how_far(const std::vector<double>& by) {
    double slope = 0, bend = 0;
    std::vector<std::pair<double, std::size_t>> zeros;  // where weights cross zero
    for (std::size_t i = 0; i < face_.size(); ++i) {
      const std::uint32_t k = face_[i];
      const double b = by[i];
      if (b == 0) continue;
      slope += gradient_[k] * b + prices_[k].slope(x_[k] != 0 ? x_[k] : b) * b;
      for (std::size_t j = 0; j < face_.size(); ++j) {
        bend += b * h_(k, face_[j]) * by[j];
      }
      if (x_[k] * b < 0 && prices_[k].up > 0) zeros.emplace_back(-x_[k] / b, i);
    }
    std::sort(zeros.begin(), zeros.end());
    stops_ = kNobody;
    double t = 0;
    for (std::size_t z = 0;; ++z) {
      const double next = z < zeros.size() ? zeros[z].first : kEndless;
      const double bottom = bend > 0 ? -slope / bend : kEndless;
      if (bottom <= t) return t;
      if (bottom <= next) return bottom;
      if (next == kEndless) return 0;
      t = next;
      const std::size_t i = zeros[z].second;
      const Price& price = prices_[face_[i]];
      slope += (price.up + price.down) * std::fabs(by[i]);
      if (slope + bend * t >= 0) {
        stops_ = i;
        return t;
      }
    }
  }

  void go(const std::vector<double>& by, double t) {
    for (std::size_t i = 0; i < face_.size(); ++i) {
      const std::uint32_t k = face_[i];
      const double now = i == stops_ ? 0 : x_[k] + t * by[i];
      const double moved = now - x_[k];
      x_[k] = now;
      if (moved == 0) continue;
      for (std::size_t j = 0; j < x_.size(); ++j) {
        gradient_[j] += moved * h_(j, k);
      }
    }
  }

  static constexpr double kEndless = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

  const SquareMatrix& h_;
  std::span<const Price> prices_;
  std::vector<double> x_, gradient_;
  std::vector<std::uint32_t> face_;
  std::size_t stops_ = kNobody;  // the weight that ends exactly at zero
  bool alone_ = false;
};

}  // namespace

bool NewtonModel::is_small() const {
  // Few columns, or so few rows that some columns must be similar.
  constexpr std::size_t kColumns = 150, kMoreColumns = 400;
  constexpr double kPairs = 4e6;  // of entries in the same row: the cost of building H
  const bool few_rows = shift_.size() <= weights_.size();
  if (weights_.size() > (few_rows ? kMoreColumns : kColumns)) return false;
  std::vector<std::uint32_t> counts(shift_.size());
  for (std::size_t k = 0; k < ends_.size(); ++k) {
    for (std::size_t e = starts_[k]; e < ends_[k]; ++e) ++counts[at_[e]];
  }
  double pairs = 0;
  for (const std::uint32_t count : counts) pairs += 0.5 * count * count;
  return pairs <= kPairs;
}

void NewtonModel::minimise_exactly() {
  std::vector<std::uint32_t> all(weights_.size());
  std::iota(all.begin(), all.end(), 0U);
  by_row(all);
  minimise_exactly(all, 1e-9, 500);
}

bool NewtonModel::minimise_on_moving() {
  constexpr std::size_t kMost = 2000;  // 32 MB, and about a second for each step
  constexpr double kPairs = 2e9;
  std::vector<std::uint32_t> places;
  for (std::uint32_t k = 0; k < weights_.size(); ++k) {
    if (weight(k) != 0 || prices_[k].up == 0 || prices_[k].draws(gradient(k))) places.push_back(k);
  }
  if (places.empty() || places.size() > kMost) return false;
  by_row(places);
  if (pairs() > kPairs) return false;
  minimise_exactly(places, 1e-3, 30);
  return true;
}

// rows_ has these columns.
void NewtonModel::minimise_exactly(std::span<const std::uint32_t> places, double enough,
                                   int most_steps) {
  SquareMatrix h = dense(places);
  std::vector<double> gradients, weights;
  std::vector<Price> prices;
  for (std::size_t j = 0; j < h.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) h(i, j) = h(j, i);
    gradients.push_back(gradient(places[j]));
    weights.push_back(weight(places[j]));
    prices.push_back(prices_[places[j]]);
  }
  const std::vector<double> found =
      FaceSearch(h, gradients, prices, weights).run(enough, most_steps, [&] { return stopped(); });
  for (std::size_t k = 0; k < found.size(); ++k) set_weight(places[k], found[k]);
}

}  // namespace thresh
