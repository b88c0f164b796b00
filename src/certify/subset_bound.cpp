#include "certify/subset_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "certify/real_loss.hpp"

namespace thresh {
namespace {

constexpr Real kUnit = std::numeric_limits<Real>::epsilon();
// The least variance of a feature around its centre, as a share of its mean square.
constexpr Real kLeastShare = 0x1p-40L;

// What one pass finds out about a feature.
struct Column {
  Real squares, values;  // sums of c x^2 and c x
  Real pulls[2];         // sums of c v x; by class, or the first for squared loss
};

// t_j, with bounds for its rounding error.
struct Gain {
  Real least, most;
};

class Bound {
 public:
  Bound(const SubsetProblem& problem, const TrainingRows& rows, const SlotWeights& model,
        const SlotWeights& dual)
      : problem_(problem), loss_{problem.loss}, rows_(rows), model_(model), dual_(dual) {}

  SubsetBound find() {
    read();
    balance();
    measure();
    SubsetBound found;
    found.objective = objective();
    found.bound = bound();
    found.constant = constant();
    screen(found);
    found.bound = std::max<Real>(0, found.bound);  // no loss is below zero
    return found;
  }

 private:
  bool squared() const { return problem_.loss == Loss::squared; }
  bool is_kept(std::uint32_t slot) const {
    return std::binary_search(problem_.kept.begin(), problem_.kept.end(), slot);
  }
  // The relative rounding error of a sum over all rows, with room for its terms.
  Real rounding() const { return (static_cast<Real>(count_) + 32) * kUnit; }

  struct Margin {
    Real value, terms;  // and the sum of the absolute values
  };
  static Margin margin_of(const Row& row, const SlotWeights& at) {
    Margin margin{at.intercept, std::fabs(Real(at.intercept))};
    for (std::size_t i = 0; i < row.size; ++i) {
      const Real term = Real(at.at(row.slots[i])) * row.values[i];
      margin.value += term;
      margin.terms += std::fabs(term);
    }
    return margin;
  }

  void read() {
    for_each_window(rows_.source, rows_.view, [&](const Window& window) {
      columns_.ensure(window.slot_end);
      for (const Row& row : window.rows) {
        const double y = rows_.target(row);
        add_to_objective(row, y);
        add_to_dual(row, y);
        weight_.add(row.weight);
        targets_.add(row.weight * Real(y));
        target_squares_.add(row.weight * Real(y) * y);
        ++count_;
      }
    });
  }
  void add_to_objective(const Row& row, double y) {
    const Margin margin = margin_of(row, model_);
    const auto size = static_cast<Real>(row.size + 4);
    const Real lost = size * kUnit * margin.terms;
    losses_.add(row.weight * loss_.value(margin.value, y));
    lost_.add(row.weight * lost * (std::fabs(loss_.slope(margin.value, y)) + 2 * lost));
  }
  void add_to_dual(const Row& row, double y) {
    const Real v = loss_.slope(margin_of(row, dual_).value, y);
    const int part = !squared() && y > 0 ? 1 : 0;
    const Real c = row.weight;
    slopes_[part].add(c * v);
    slope_squares_.add(c * v * v);
    conjugates_[part].add(-c * loss_.conjugate(v, y));
    conjugate_terms_.add(
        c * (squared() ? v * v / 2 + std::fabs(v * y) : std::fabs(v) * (1 + v * v) + 1));
    for (std::size_t i = 0; i < row.size; ++i) {
      Column& column = columns_[row.slots[i]];
      const Real x = row.values[i];
      column.squares += c * x * x;
      column.values += c * x;
      column.pulls[part] += c * v * x;
    }
  }

  // Makes the slopes sum to zero: sum of c (v - shift), or of keep v.
  void balance() {
    if (!problem_.intercept) return;
    if (squared()) {
      shift_ = slopes_[0].value() / weight_.value();
      return;
    }
    const Real negative = std::fabs(slopes_[0].value()), positive = std::fabs(slopes_[1].value());
    if (negative > positive) keep_[0] = positive / negative;
    if (positive > negative) keep_[1] = negative / positive;
  }

  // The t_j of all features, and sizes for the objective.
  void measure() {
    const Real total = weight_.value();
    gains_.ensure(columns_.size());
    for (std::uint32_t slot = 0; slot < gains_.size(); ++slot) {
      const Column& column = std::as_const(columns_)[slot];
      if (column.squares == 0) continue;  // its pages stay untouched
      const Real pull = squared() ? column.pulls[0] - shift_ * column.values
                                  : keep_[0] * column.pulls[0] + keep_[1] * column.pulls[1];
      const Real terms = std::sqrt(column.squares) *
                         (std::sqrt(slope_squares_.value()) + std::fabs(shift_) * std::sqrt(total));
      const Real lost = rounding() * terms;
      const Size size = size_of(slot);
      const Real unit = Real(problem_.ridge) * size.value * total * total;
      const Real low = std::max<Real>(0, std::fabs(pull) - lost), high = std::fabs(pull) + lost;
      gains_[slot] = {low * low / unit * (1 - size.lost), high * high / unit * (1 + 2 * size.lost)};
    }
  }

  struct Size {
    Real value, lost;  // s_j and its relative error
  };
  Size size_of(std::uint32_t slot) const {
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
  Real centre_of(std::uint32_t slot) const {
    const auto& centres = problem_.scales->centres();
    const auto at = std::lower_bound(
        centres.begin(), centres.end(), slot,
        [](const FeatureScales::Centre& each, std::uint32_t s) { return each.slot < s; });
    return at != centres.end() && at->slot == slot ? at->value : 0;
  }

  Real objective() const {
    Real penalty = 0;
    for (std::uint32_t slot = 0; slot < model_.weights.size(); ++slot) {
      const Real w = model_.weights[slot];
      if (w == 0) continue;
      const Size size = size_of(slot);
      penalty += Real(problem_.ridge) / 2 * size.value * w * w * (1 + size.lost + rounding());
    }
    const Real loss = (losses_.value() + lost_.value()) / weight_.value();
    return (loss + penalty) * (1 + 16 * kUnit);
  }

  // The sum of the t_j that the best choice of features could have.
  Real bound() {
    std::vector<Real> others;
    std::uint64_t taken = 0;  // places, by kept features that occur
    for (const std::uint32_t slot : problem_.kept) {
      if (slot < columns_.size() && std::as_const(columns_)[slot].squares != 0) ++taken;
    }
    Real sum = 0;
    for (std::uint32_t slot = 0; slot < gains_.size(); ++slot) {
      const Real most = std::as_const(gains_)[slot].most;
      if (most == 0) continue;
      if (is_kept(slot)) {
        sum += most;
      } else {
        others.push_back(most);
      }
    }
    const std::size_t free = problem_.features - std::min(problem_.features, taken);
    std::sort(others.begin(), others.end(), std::greater<>());
    for (std::size_t i = 0; i < std::min(free, others.size()); ++i) sum += others[i];
    if (free < others.size()) next_ = others[free];
    if (free > 0 && free <= others.size()) last_ = others[free - 1];
    const auto terms = static_cast<Real>(problem_.features);
    const Real paid = sum * (1 + (terms + 16) * kUnit);
    const Real shifted =
        std::fabs(shift_) * (std::fabs(shift_) + std::fabs(targets_.value() / weight_.value()));
    const Real lost = 32 * kUnit * (conjugate_terms_.value() / weight_.value() + shifted);
    return conjugate() - paid / 2 - lost;
  }
  Real conjugate() const {
    // Of v - shift: the sum of c v is shift times the sum of c, and that of c y remains.
    const Real total = weight_.value();
    if (squared()) {
      return (conjugates_[0].value() + shift_ * slopes_[0].value() - shift_ * shift_ / 2 * total +
              shift_ * targets_.value()) /
             total;
    }
    return (keep_[0] * conjugates_[0].value() + keep_[1] * conjugates_[1].value()) / total;
  }

  // The minimum over the intercept alone.
  Real constant() const {
    const Real total = weight_.value();
    const Real mean = problem_.intercept ? targets_.value() / total : 0;
    if (squared()) return (target_squares_.value() / total - mean * mean) / 2;
    const Real share = (1 + mean) / 2;  // of the positive class
    if (problem_.loss == Loss::squared_hinge) return 4 * share * (1 - share);
    const auto x_log_x = [](Real x) { return x > 0 ? x * std::log(x) : 0; };
    return -x_log_x(share) - x_log_x(1 - share);
  }

  // With a feature forced in, it takes the place of the last one of the K largest; forced out, the
  // next one takes its place. If that lifts the bound above the model, no best model does it.
  void screen(SubsetBound& found) const {
    const Real slack = 64 * kUnit * (std::fabs(found.objective) + std::fabs(found.bound));
    const Real gap = 2 * (found.objective - found.bound + slack);
    for (std::uint32_t slot = 0; slot < gains_.size(); ++slot) {
      if (columns_[slot].squares == 0) continue;
      ++found.occurring;
      if (is_kept(slot)) continue;
      if (last_ && *last_ - gains_[slot].most > gap) ++found.proved_out;
      if (gains_[slot].least - next_ > gap) found.proved_in.push_back(slot);
    }
  }

  const SubsetProblem& problem_;
  RealLoss loss_;
  const TrainingRows& rows_;
  const SlotWeights& model_;
  const SlotWeights& dual_;

  std::uint64_t count_ = 0;  // rows
  ExactSum weight_, targets_, target_squares_;
  ExactSum losses_, lost_;  // of the model: its losses, and what margins may be off by
  ExactSum slopes_[2], conjugates_[2];
  ExactSum slope_squares_, conjugate_terms_;
  ZeroedArray<Column> columns_;
  ZeroedArray<Gain> gains_;  // by slot
  Real keep_[2] = {1, 1};
  Real shift_ = 0;
  std::optional<Real> last_;  // the smallest of the K largest; none if no feature must leave
  Real next_ = 0;             // the largest of the others
};

}  // namespace

SubsetBound subset_bound(const SubsetProblem& problem, const TrainingRows& rows,
                         const SlotWeights& model, const SlotWeights& dual) {
  return Bound(problem, rows, model, dual).find();
}

}  // namespace thresh
