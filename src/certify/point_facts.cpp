#include "certify/point_facts.hpp"

#include <algorithm>
#include <cmath>

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

FeatureFacts::Scale FeatureFacts::scale_of(std::uint32_t slot) const {
  const Size size = size_of(slot);
  const Real total = weight();
  return {Real(problem_.ridge) * size.value * total * total, size.lost,
          rounding() * std::sqrt(squares(slot))};
}

Real SlopeSums::add(Real margin, double y, Real c) {
  const std::size_t part = part_of(y);
  const Real v = loss_.slope(margin, y);
  slopes_[part].add(c * v);
  slope_squares_.add(c * v * v);
  conjugates_[part].add(-c * loss_.conjugate(v, y));
  conjugate_terms_.add(c *
                       (squared() ? v * v / 2 + std::fabs(v * y) : std::fabs(v) * (1 + v * v) + 1));
  return c * v;
}

SlopeSums::Balance SlopeSums::balance_of(const FeatureFacts& features) const {
  Balance balance;
  if (!features.problem().intercept) return balance;
  if (squared()) {
    balance.shift = slopes_[0].value() / features.weight();
    return balance;
  }
  const Real negative = std::fabs(slopes_[0].value());
  const Real positive = std::fabs(slopes_[1].value());
  if (negative > positive) balance.keep[0] = positive / negative;
  if (positive > negative) balance.keep[1] = negative / positive;
  return balance;
}

Real SlopeSums::conjugate_of(const FeatureFacts& features, const Balance& balance) const {
  const Real total = features.weight(), shift = balance.shift;
  // Of v - shift: the sum of c v is shift times the sum of c, and that of c y remains.
  const Real conjugate =
      squared()
          ? (conjugates_[0].value() + shift * slopes_[0].value() - shift * shift / 2 * total +
             shift * features.targets()) /
                total
          : (balance.keep[0] * conjugates_[0].value() + balance.keep[1] * conjugates_[1].value()) /
                total;
  const Real shifted =
      std::fabs(shift) * (std::fabs(shift) + std::fabs(features.targets() / total));
  return conjugate - 32 * kRealUnit * (conjugate_terms_.value() / total + shifted);
}

Real SlopeSums::size_of_all(const FeatureFacts& features, const Balance& balance) const {
  return std::sqrt(slope_squares_.value()) +
         std::fabs(balance.shift) * std::sqrt(features.weight());
}

FeatureGain SlopeSums::gain_of(const FeatureFacts::Scale& scale, Real pull, Real all_slopes) {
  const Real lost = scale.pulled * all_slopes;
  const Real low = std::max<Real>(0, std::fabs(pull) - lost), high = std::fabs(pull) + lost;
  return {low * low / scale.unit * (1 - scale.lost),
          high * high / scale.unit * (1 + 2 * scale.lost)};
}

PointSums::PointSums(const FeatureFacts& features, const SlotPoint& point)
    : features_(features), intercept_(point.intercept), sums_(features.problem().loss) {
  for (const auto& [slot, weight] : point.weights) {
    if (slot >= weights_.size()) weights_.resize(slot + std::size_t{1});
    weights_[slot] = weight;
  }
}

void PointSums::add(const Row& row, double y) {
  Real margin = intercept_;
  for (std::size_t i = 0; i < row.size; ++i) {
    const std::uint32_t slot = row.slots[i];
    if (slot < weights_.size()) margin += Real(weights_[slot]) * row.values[i];
  }
  const Real slope = sums_.add(margin, y, row.weight);
  const std::size_t part = sums_.part_of(y);
  for (std::size_t i = 0; i < row.size; ++i) {
    pulls_[row.slots[i] * SlopeSums::kParts + part] += slope * row.values[i];
  }
}

PointFacts PointSums::facts() const {
  const std::vector<std::uint32_t>& slots = features_.slots();
  return sums_.facts(
      features_, slots, [&](std::size_t k) { return features_.scale_of(slots[k]); },
      [&](std::size_t k, std::size_t part) { return pulls_[slots[k] * SlopeSums::kParts + part]; });
}

}  // namespace thresh
