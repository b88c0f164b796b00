#include "polish/strength.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace thresh {
namespace {

// With many rows no fit closer to its optimum changes which strength is best.
constexpr FitEnd kRough{.converged = 1e-6};

StrengthFit fit_at(int k, std::span<const HeldOutFit> classes, std::vector<RidgeModel> start) {
  StrengthFit found{ridge_at(k), std::move(start), 0};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    found.models[c] = classes[c].train.fit(found.ridge, std::move(found.models[c]),
                                           classes[c].train.is_large() ? kRough : FitEnd{});
    found.held_out += classes[c].score(found.models[c]);
  }
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

StrengthFit best_strength(std::span<const HeldOutFit> classes, std::vector<RidgeModel> start,
                          int first) {
  StrengthFit best = fit_at(first, classes, std::move(start));
  for (const int direction : {1, -1}) {
    const double before = best.held_out;
    StrengthFit next = best;
    for (int k = first + direction; k >= kWeakest && k <= kStrongest; k += direction) {
      next = fit_at(k, classes, std::move(next.models));
      if (!(next.held_out < best.held_out)) break;
      best = next;
    }
    if (best.held_out < before) break;  // the other direction rises
  }
  return best;
}

}  // namespace thresh
