#include "diagnose/grades_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thresh/error.hpp"

namespace thresh {
namespace {

// Half a sum of squares, as a logarithm: squares of large residuals overflow long before the
// residuals.
class Potential {
 public:
  void add(double residual) {
    const double size = std::fabs(residual);
    if (!(size > 0)) {
      finite_ = finite_ && size == 0;  // NaN
      return;
    }
    if (size > unit_) {
      sum_ = sum_ * (unit_ / size) * (unit_ / size) + 1;
      unit_ = size;
    } else {
      sum_ += (size / unit_) * (size / unit_);
    }
  }
  bool finite() const { return finite_ && std::isfinite(unit_); }
  double log10() const { return 2 * std::log10(unit_) + std::log10(sum_ / 2); }

 private:
  double unit_ = 0;
  double sum_ = 0;  // in units of unit_^2
  bool finite_ = true;
};

// The columns of the k largest magnitudes, ascending. On ties the lower columns.
std::vector<std::uint32_t> k_largest(const std::vector<double>& v, std::uint64_t k) {
  std::vector<std::uint32_t> columns(v.size());
  std::iota(columns.begin(), columns.end(), 0U);
  if (k < v.size()) {
    const auto larger = [&](std::uint32_t a, std::uint32_t b) {
      const double x = std::fabs(v[a]);
      const double y = std::fabs(v[b]);
      return x != y ? x > y : a < b;
    };
    const auto end = columns.begin() + static_cast<std::ptrdiff_t>(k);
    std::nth_element(columns.begin(), end, columns.end(), larger);
    columns.erase(end, columns.end());
    std::sort(columns.begin(), columns.end());
  }
  return columns;
}

// Values are scaled by a power of two near the largest, which is exact. So weights, gradients and
// gamma fit in a double even if X'X does not.
class GradesWalk {
 public:
  GradesWalk(RowSource& source, const Overview& overview, LabelMap labels,
             const GradesOptions& options, const Watch& watch)
      : source_(source),
        overview_(overview),
        labels_(std::move(labels)),
        watch_(watch),
        all_(overview.slots, overview.columns.size()),
        k_(options.features),
        w_(all_.size()),
        gradient_(all_.size()) {
    const Eigenvalue largest = largest_eigenvalue(source_, all_, {overview_.largest}, watch_);
    gamma_ = options.gamma ? Eigenvalue{*options.gamma, 0} : largest;
    per_unit_ = std::ldexp(1.0, -largest.exponent);
    scaled_gamma_ = std::ldexp(gamma_.value, 2 * (gamma_.exponent - largest.exponent));
    radius_ = iteration_radius(source_, all_, largest, gamma_, {overview_.largest}, watch_);
  }

  GradesRun run(std::uint64_t steps) {
    GradesRun found = walk(steps);
    found.support = support_;
    return found;
  }

 private:
  GradesRun walk(std::uint64_t steps) {
    GradesRun run{gamma_, {}, false};
    for (std::uint64_t t = 0;; ++t) {
      const Potential potential = stats();
      if (!potential.finite() || !std::isfinite(radius_.value)) {
        run.overflowed = true;
        return run;
      }
      const auto zeros = std::count(w_.begin(), w_.end(), 0.0);
      run.steps.push_back(
          {w_.size() - static_cast<std::size_t>(zeros), radius_, potential.log10()});
      if (t == steps) return run;
      if (!step()) {
        run.overflowed = true;
        return run;
      }
    }
  }

  // Returns the potential at w and puts X'(y - Xw) into gradient_.
  Potential stats() {
    Potential potential;
    std::vector<double> w = w_;
    for (double& each : w) each *= per_unit_;
    const auto residual = [&](std::size_t, double margin, const Row& row) {
      const double r = labels_.target(row.label) - margin;
      potential.add(r);
      return r * per_unit_;
    };
    sum_rows(source_, all_, w.data(), residual, gradient_.data(), watch_);
    return potential;
  }

  // False if a number is not finite.
  bool step() {
    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] += gradient_[j] / scaled_gamma_;
    if (!std::all_of(w_.begin(), w_.end(), [](double w) { return std::isfinite(w); })) return false;
    std::vector<std::uint32_t> slots;
    std::vector<double> kept(w_.size());
    for (const std::uint32_t j : k_largest(w_, k_)) {
      kept[j] = w_[j];
      slots.push_back(overview_.slots[j]);
    }
    w_ = std::move(kept);
    support_ = slots;
    const ColumnSet chosen(slots, overview_.columns.size());
    const GramOptions gram{overview_.largest};
    const Eigenvalue largest = largest_eigenvalue(source_, chosen, gram, watch_);
    radius_ = iteration_radius(source_, chosen, largest, gamma_, gram, watch_);
    return true;
  }

  RowSource& source_;
  const Overview& overview_;
  LabelMap labels_;
  const Watch& watch_;
  ColumnSet all_;
  std::uint64_t k_;
  Eigenvalue gamma_;
  double per_unit_ = 1, scaled_gamma_ = 1;
  std::vector<double> w_, gradient_;  // for scaled values
  std::vector<std::uint32_t> support_;
  Radius radius_;
};

}  // namespace

GradesRun run_grades(RowSource& source, const Overview& overview, LabelMap labels,
                     const GradesOptions& options, const Watch& watch) {
  return GradesWalk(source, overview, std::move(labels), options, watch).run(options.steps);
}

}  // namespace thresh
