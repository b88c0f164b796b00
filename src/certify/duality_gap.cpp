#include "certify/duality_gap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/real_loss.hpp"

namespace thresh {
namespace {

// Sums of c v and c v x over two parts: the slopes above zero, which are those of negative rows,
// and those below; for squared loss, the slopes and ones.
struct Parts {
  ExactSum sums[2];
  ZeroedArray<Real> gradients[2];
};

// How v follows from the slopes: v = keep[class] slope - shift.
struct Correction {
  Real keep[2] = {1, 1};
  Real shift = 0;
};

class Gap {
 public:
  Gap(const ConvexProblem& problem, const TrainingRows& rows, const SlotWeights& at)
      : problem_(problem), loss_{problem.loss, problem.limit}, rows_(rows), at_(at) {}

  DualityGap find() {
    look();
    correct();
    limit();
    return {primal(), best_dual(), at_zero_.value() / weight_.value(), rounding()};
  }

 private:
  bool squared() const { return problem_.loss == Loss::squared; }

  Real margin(const Row& row) const {
    Real a = at_.intercept;
    for (std::size_t i = 0; i < row.size; ++i) a += Real(at_.at(row.slots[i])) * row.values[i];
    return a;
  }

  void look() {
    for_each_window(rows_.source, rows_.view, [&](const Window& window) {
      for (auto& gradient : parts_.gradients) gradient.ensure(window.slot_end);
      for (const Row& row : window.rows) {
        const Real a = margin(row);
        const double y = rows_.target(row);
        const Real slope = loss_.slope(a, y);
        weight_.add(row.weight);
        losses_.add(row.weight * loss_.value(a, y));
        at_zero_.add(row.weight * loss_.value(0, y));
        terms_.add(row.weight * std::fabs(slope) * largest_value(row));
        if (squared()) {
          add(0, row, slope);
          add(1, row, 1);
        } else {
          add(slope < 0 ? 1 : 0, row, slope);
        }
      }
    });
  }
  static Real largest_value(const Row& row) {
    double largest = 0;
    for (std::size_t i = 0; i < row.size; ++i)
      largest = std::max(largest, std::fabs(row.values[i]));
    return largest;
  }
  void add(int part, const Row& row, Real v) {
    parts_.sums[part].add(row.weight * v);
    for (std::size_t i = 0; i < row.size; ++i) {
      parts_.gradients[part][row.slots[i]] += row.weight * v * row.values[i];
    }
  }

  // Makes sum c v = 0.
  void correct() {
    if (!problem_.intercept) return;
    const Real first = parts_.sums[0].value(), second = parts_.sums[1].value();
    if (squared()) {
      correction_.shift = first / second;
      return;
    }
    // A slope nearer to zero is a slope, too.
    const Real negative = std::fabs(first), positive = std::fabs(second);
    if (negative > positive) correction_.keep[0] = positive / negative;
    if (positive > negative) correction_.keep[1] = negative / positive;
  }

  // Computes the constraints of the features on v.
  void limit() {
    for (std::size_t slot = 0; slot < parts_.gradients[0].size(); ++slot) {
      const Real first = parts_.gradients[0][slot], second = parts_.gradients[1][slot];
      const Real gradient =
          (squared() ? first - correction_.shift * second
                     : correction_.keep[0] * first + correction_.keep[1] * second) /
          weight_.value();
      const Real pull = problem_.non_negative ? -gradient : std::fabs(gradient);
      largest_ = std::max(largest_, pull);
      const Real lack = pull - problem_.lambda;
      if (lack > 0 && problem_.l2 > 0) paid_ += lack * lack / (2 * problem_.l2);
    }
  }

  Real primal() const {
    Real penalty = 0;
    if (!problem_.radius) {
      for (const double w : at_.weights.span()) {
        penalty += problem_.lambda * std::fabs(Real(w)) + Real(problem_.l2) / 2 * w * w;
      }
    }
    return losses_.value() / weight_.value() + penalty;
  }

  Real best_dual() const {
    if (problem_.radius) return dual(1) - *problem_.radius * largest_;
    const Real scale = largest_ > problem_.lambda ? problem_.lambda / largest_ : 1;
    const Real scaled = dual(scale);
    return problem_.l2 > 0 && scale < 1 ? std::max(scaled, dual(1) - paid_) : scaled;
  }

  // The g_j are sums of large terms that cancel to about lambda; so is the scale of v.
  Real rounding() const {
    constexpr Real kLost = 8 * std::numeric_limits<double>::epsilon();
    const Real terms = terms_.value() / weight_.value();
    if (problem_.radius) return kLost * *problem_.radius * terms;
    return problem_.lambda > 0 ? kLost * primal() * terms / problem_.lambda : 0;
  }

  // -sum c L*(scale v)
  Real dual(Real scale) const {
    ExactSum sum;
    for_each_window(rows_.source, rows_.view, [&](const Window& window) {
      for (const Row& row : window.rows) {
        const double y = rows_.target(row);
        const Real slope = loss_.slope(margin(row), y);
        const Real v = correction_.keep[slope < 0 ? 1 : 0] * slope - correction_.shift;
        sum.add(-row.weight * loss_.conjugate(scale * v, y));
      }
    });
    return sum.value() / weight_.value();
  }

  const ConvexProblem& problem_;
  RealLoss loss_;
  const TrainingRows& rows_;
  const SlotWeights& at_;
  ExactSum weight_, losses_, at_zero_;
  ExactSum terms_;  // a bound on the terms of any g_j
  Parts parts_;
  Correction correction_;
  Real largest_ = 0;  // of |g_j|
  Real paid_ = 0;     // for violations, with l2
};

}  // namespace

DualityGap duality_gap(const ConvexProblem& problem, const TrainingRows& rows,
                       const SlotWeights& at) {
  return Gap(problem, rows, at).find();
}

}  // namespace thresh
