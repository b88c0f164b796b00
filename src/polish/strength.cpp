#include "polish/strength.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace thresh {
namespace {

// Few features fit many rows with any weak ridge: the score falls on and on, by next to nothing.
constexpr std::size_t kManyRows = 5000;
constexpr double kFlat = 1e-4;  // of the score

// With many rows no fit closer to its optimum changes which strength is best. It must notice the
// next strength, though, which changes the objective of few features by a small share only.
constexpr FitEnd kRough{.converged = 1e-6};

StrengthFit fit_at(int k, std::span<const HeldOutFit> classes, std::vector<RidgeModel> start) {
  StrengthFit found{ridge_at(k), std::move(start), 0};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    found.models[c] = classes[c].fit(found.ridge, std::move(found.models[c]),
                                     classes[c].has_many_rows() ? kRough : FitEnd{});
  }
  for (const double score : row_scores(classes, found.models)) found.held_out += score;
  return found;
}

}  // namespace

// A table rather than products, which would be off by a last digit.
double ridge_at(int k) {
  constexpr std::array kTens = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 1e4};
  static_assert(kTens.size() == (kStrongest - kWeakest) / 2 + 1);
  const auto place = static_cast<std::size_t>(k - kWeakest);
  constexpr double kRootOfTen = 3.1622776601683795;
  return place % 2 == 0 ? kTens.at(place / 2) : kTens.at(place / 2) * kRootOfTen;
}

int strength_of(double ridge) {
  int k = kWeakest;
  while (k < kStrongest && ridge * ridge > ridge_at(k) * ridge_at(k + 1)) ++k;
  return k;
}

RidgeModel HeldOutFit::fit(double ridge, RidgeModel start, const FitEnd& end) const {
  if (shares.empty()) return train.fit(ridge, std::move(start), end);
  std::vector<double> ridges = shares;
  for (double& each : ridges) each = ridge / each;
  return train.fit(ridges, std::move(start), end);
}

bool HeldOutFit::has_many_rows() const {
  return train.is_large() || rows() >= kManyRows;
}

std::vector<double> row_scores(std::span<const HeldOutFit> classes,
                               std::span<const RidgeModel> models) {
  std::vector<double> sums(classes.front().held_out.rows());
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::vector<double> scores = classes[c].row_scores(models[c]);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += scores[i];
  }
  return sums;
}

StrengthFit best_strength(std::span<const HeldOutFit> classes, std::vector<RidgeModel> start,
                          int first) {
  StrengthFit best = fit_at(first, classes, std::move(start));
  const bool many_rows = classes.front().rows() >= kManyRows;
  for (const int direction : {1, -1}) {
    const double before = best.held_out;
    StrengthFit next = best;
    double last_gain = 0;
    for (int k = first + direction; k >= kWeakest && k <= kStrongest; k += direction) {
      next = fit_at(k, classes, std::move(next.models));
      const double gain = best.held_out - next.held_out;
      if (!(gain > 0)) break;
      best = next;
      if (many_rows && gain < last_gain && gain < kFlat * best.held_out) break;
      last_gain = gain;
    }
    if (best.held_out < before) break;  // the other direction rises
  }
  return best;
}

}  // namespace thresh
