#include "certify/point_facts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thresh {
namespace {

// The least variance of a feature around its centre, as a share of its mean square.
constexpr Real kLeastShare = 0x1p-40L;

}  // namespace

void FeatureFacts::add(const Row& row, double y) {
  const Real c = row.weight;
  weight_.add(c);
  targets_.add(c * y);
  target_squares_.add(c * y * y);
  ++count_;
  for (std::size_t i = 0; i < row.size; ++i) {
    Column& column = columns_[row.slots[i]];
    const Real x = row.values[i];
    column.squares += c * x * x;
    column.values += c * x;
  }
}

void FeatureFacts::finish() {
  for (std::uint32_t slot = 0; slot < columns_.size(); ++slot) {
    if (std::as_const(columns_)[slot].squares != 0) slots_.push_back(slot);
  }
}

FeatureFacts::Size FeatureFacts::size_of(std::uint32_t slot) const {
  const Column column = slot < columns_.size() ? columns_[slot] : Column{};
  const Real total = weight_.value();
  const Real square = column.squares / total;
  Real divisor = 1, centre = 0;
  if (problem_.scales) {
    divisor = problem_.scales->at(slot);
    centre = centre_of(slot);
  }
  const Real around = square - 2 * centre * (column.values / total) + centre * centre;
  const Real all = square + centre * centre;
  const Real least = std::max(around, kLeastShare * all);
  return {divisor * std::sqrt(least), least > 0 ? 4 * rounding() * all / least : 0};
}

Real FeatureFacts::centre_of(std::uint32_t slot) const {
  const auto& centres = problem_.scales->centres();
  const auto at = std::lower_bound(
      centres.begin(), centres.end(), slot,
      [](const FeatureScales::Centre& each, std::uint32_t s) { return each.slot < s; });
  return at != centres.end() && at->slot == slot ? at->value : 0;
}

PointSums::PointSums(const FeatureFacts& features, std::span<const SlotPoint* const> points)
    : features_(features),
      loss_{features.problem().loss},
      size_(points.size()),
      starts_(1),
      sums_(points.size()),
      slopes_(points.size()) {
  std::size_t end = 0;
  for (const SlotPoint* point : points) {
    intercepts_.push_back(point->intercept);
    for (const auto& [slot, weight] : point->weights) end = std::max<std::size_t>(end, slot + 1);
  }
  starts_.resize(end + 1);
  for (const SlotPoint* point : points) {
    for (const auto& [slot, weight] : point->weights) ++starts_[slot + std::size_t{1}];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  weights_.resize(starts_.back());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t p = 0; p < size_; ++p) {
    for (const auto& [slot, weight] : points[p]->weights) weights_[next[slot]++] = {p, weight};
  }
}

void PointSums::add(const Row& row, double y) {
  for (std::size_t p = 0; p < size_; ++p) slopes_[p] = intercepts_[p];
  for (std::size_t i = 0; i < row.size; ++i) {
    const std::uint32_t slot = row.slots[i];
    if (slot + std::size_t{1} >= starts_.size()) continue;
    for (std::size_t k = starts_[slot]; k < starts_[slot + std::size_t{1}]; ++k) {
      slopes_[weights_[k].first] += Real(weights_[k].second) * row.values[i];
    }
  }
  const std::size_t part = !squared() && y > 0 ? 1 : 0;
  const Real c = row.weight;
  for (std::size_t p = 0; p < size_; ++p) {
    const Real v = loss_.slope(slopes_[p], y);
    Sums& sums = sums_[p];
    sums.slopes[part].add(c * v);
    sums.slope_squares.add(c * v * v);
    sums.conjugates[part].add(-c * loss_.conjugate(v, y));
    sums.conjugate_terms.add(
        c * (squared() ? v * v / 2 + std::fabs(v * y) : std::fabs(v) * (1 + v * v) + 1));
    slopes_[p] = c * v;
  }
  for (std::size_t i = 0; i < row.size; ++i) {
    Real* const pulls = &pulls_[(row.slots[i] * kParts + part) * size_];
    const Real x = row.values[i];
    for (std::size_t p = 0; p < size_; ++p) pulls[p] += slopes_[p] * x;
  }
}

// Makes the slopes sum to zero: sum of c (v - shift), or of keep v.
PointSums::Balance PointSums::balance_of(const Sums& sums) const {
  Balance balance;
  if (!features_.problem().intercept) return balance;
  if (squared()) {
    balance.shift = sums.slopes[0].value() / features_.weight();
    return balance;
  }
  const Real negative = std::fabs(sums.slopes[0].value());
  const Real positive = std::fabs(sums.slopes[1].value());
  if (negative > positive) balance.keep[0] = positive / negative;
  if (positive > negative) balance.keep[1] = negative / positive;
  return balance;
}

PointFacts PointSums::facts(std::size_t point) const {
  const Sums& sums = sums_[point];
  const Balance balance = balance_of(sums);
  const Real total = features_.weight(), shift = balance.shift;
  PointFacts found;
  found.gains.reserve(features_.slots().size());
  const Real all_slopes =
      std::sqrt(sums.slope_squares.value()) + std::fabs(shift) * std::sqrt(total);
  for (const std::uint32_t slot : features_.slots()) {
    const Real* const pulls = &pulls_[slot * kParts * size_ + point];
    const Real pull = squared() ? pulls[0] - shift * features_.values(slot)
                                : balance.keep[0] * pulls[0] + balance.keep[1] * pulls[size_];
    const Real lost = features_.rounding() * std::sqrt(features_.squares(slot)) * all_slopes;
    const FeatureFacts::Size size = features_.size_of(slot);
    const Real unit = Real(features_.problem().ridge) * size.value * total * total;
    const Real low = std::max<Real>(0, std::fabs(pull) - lost), high = std::fabs(pull) + lost;
    found.gains.push_back(
        {low * low / unit * (1 - size.lost), high * high / unit * (1 + 2 * size.lost)});
  }
  // Of v - shift: the sum of c v is shift times the sum of c, and that of c y remains.
  const Real conjugate = squared() ? (sums.conjugates[0].value() + shift * sums.slopes[0].value() -
                                      shift * shift / 2 * total + shift * features_.targets()) /
                                         total
                                   : (balance.keep[0] * sums.conjugates[0].value() +
                                      balance.keep[1] * sums.conjugates[1].value()) /
                                         total;
  const Real shifted =
      std::fabs(shift) * (std::fabs(shift) + std::fabs(features_.targets() / total));
  found.conjugate = conjugate - 32 * kRealUnit * (sums.conjugate_terms.value() / total + shifted);
  return found;
}

}  // namespace thresh
