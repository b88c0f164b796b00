// The solver `budget` for one budget, dense and slow: every threshold sorts all |z|, every trial
// subset of the quadratic model solves its normal equations anew, every mean stores its terms.
#pragma once

#include <numeric>
#include <optional>
#include <utility>

#include "budget/budget_ridges.hpp"
#include "tools/twins.hpp"

namespace thresh {

class BudgetTwin {
 public:
  explicit BudgetTwin(const Case& c)
      : c_(c),
        features_(c.data.features),
        k_(*c.options.features),
        now_{Vector(features_), 0},
        z_(features_ + 1),
        n_(features_ + 1) {
    const double length = typical_length();
    unit_ = length > 0 ? 1 / length : 1;
    steps_ = c.options.steps.value_or(c.options.passes * c.data.x.size());
  }

  // Returns nothing if two choices were so close that rounding may decide.
  std::optional<Dense> run() {
    for (std::uint64_t pass = 1; t_ < steps_; ++pass) {
      for (const std::size_t i :
           visiting_order(c_.options.order, c_.options.seed, pass, c_.data.x.size())) {
        learn(i);
        ++t_;
        // A stage ends with the first row that makes t / steps >= stage / 20.
        while (stage_ < 20 && 20 * t_ >= (stage_ + 1) * steps_) end_stage();
        if (t_ == steps_) break;
      }
    }
    if (near_tie_) return std::nullopt;
    return seen_.empty() ? now_ : mean();
  }

 private:
  // The root mean square, or the median if the former is more than ten times as large.
  double typical_length() const {
    double squares = 0;
    Vector lengths;
    for (const Vector& x : c_.data.x) {
      const double own = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
      squares += own;
      lengths.push_back(std::sqrt(own));
    }
    std::sort(lengths.begin(), lengths.end());
    const double mean = std::sqrt(squares / static_cast<double>(lengths.size()));
    const double median = lengths[lengths.size() / 2];
    return median > 0 && mean > 10 * median ? median : mean;
  }

  enum class Mode { threshold, curvature, refit };
  struct Step {
    std::size_t size;
    bool curved;
  };
  using Set = std::vector<bool>;

  // Less for a row that is over 1,000 times as long as typical ones.
  double row_weight(std::size_t i) const {
    double squares = 0;
    for (std::size_t j = 0; j < features_; ++j) squares += value(i, j) * value(i, j);
    return c_.data.s[i] * std::min(1.0, 1e6 / squares);
  }
  double value(std::size_t i, std::size_t j) const {
    return j == features_ ? 1 : c_.data.x[i][j] * unit_;
  }
  // The weights for rows times unit_; the intercept comes last.
  double weight(std::size_t j) const { return j == features_ ? now_.b : now_.w[j] / unit_; }
  void set_weight(std::size_t j, double weight) {
    (j == features_ ? now_.b : now_.w[j]) = j == features_ ? weight : weight * unit_;
  }
  bool learns(std::size_t j) const { return j < features_ || c_.options.intercept; }
  std::size_t nonzeros() const {
    return features_ - static_cast<std::size_t>(std::count(now_.w.begin(), now_.w.end(), 0.0));
  }

  void learn(std::size_t i) {
    const double a = margin(c_.data, now_, i);
    const double slope = loss_slope(*c_.options.loss, a, c_.data.y[i]);
    const double weighted = slope * row_weight(i);
    if (mode_ == Mode::curvature) {
      // One whole pass is enough.
      if (from_pass_start_ && gathered_.size() == c_.data.x.size()) return;
      gathered_.push_back({i, a, weighted, row_weight(i) * bend(slope)});
      return;
    }
    const double alpha = mode_ == Mode::refit ? 3 : 1;
    for (std::size_t j = 0; j <= features_; ++j) {
      const double g = weighted * value(i, j);
      if (g == 0 || !learns(j) || (mode_ == Mode::refit && j < features_ && !model_[j])) continue;
      const double sigma = (std::sqrt(n_[j] + g * g) - std::sqrt(n_[j])) / alpha;
      z_[j] += g - sigma * weight(j);
      n_[j] += g * g;
      work_out(j, alpha);
    }
    if (averages_) seen_.push_back(now_);
  }

  void work_out(std::size_t j, double alpha) {
    const double lambda = j < features_ ? lambda_ : 0;
    const double beta = mode_ == Mode::refit ? 0.3 : 1;
    set_weight(j, -soft(z_[j], lambda) * alpha / (beta + std::sqrt(n_[j])));
  }

  // The second derivative of the loss, but at least a 25th of its largest value.
  double bend(double slope) const {
    const Loss loss = *c_.options.loss;
    double second = 1;
    if (loss == Loss::logistic) second = std::fabs(slope) * (1 - std::fabs(slope));
    if (loss == Loss::squared_hinge) second = slope != 0 ? 2 : 0;
    return std::max(second, loss_bound(loss) / 25);
  }

  // Sizes fall by the same factor from stage to stage. From 512 down curvature chooses. A selection
  // of candidates precedes the first such stage, and two more stages follow at the last size.
  void make_plan() {
    const bool curved = *c_.options.loss != Loss::hinge && k_ <= 512;
    const int narrowing = curved ? 12 : 15;
    const auto top = static_cast<double>(std::max(nonzeros(), k_));
    std::size_t before = 0;
    for (int s = 1; s <= narrowing; ++s) {
      const double share = static_cast<double>(s) / narrowing;
      const auto size = static_cast<std::size_t>(std::pow(top, 1 - share) *
                                                 std::pow(static_cast<double>(k_), share));
      if (std::max(k_, size) == before) continue;
      before = std::max(k_, size);
      if (curved && before <= 512 && (plan_.empty() || !plan_.back().curved)) {
        plan_.push_back({std::max(before, std::min<std::size_t>(512, nonzeros())), false});
      }
      plan_.push_back({before, curved && before <= 512});
    }
    if (curved) plan_.insert(plan_.end(), 2, {k_, true});
  }

  void end_stage() {
    if (++stage_ == 1) make_plan();
    // Averages over the last of the five stages of a refit, and over the rest of the run.
    if (stage_ == plan_.size() + 4) averages_ = true;
    if (stage_ > plan_.size()) return;
    const Step& step = plan_[stage_ - 1];
    if (!step.curved) {
      narrow_to(step.size);
    } else if (gathered_.empty()) {
      keep_only(now_.w, step.size);
    } else {
      choose(step.size);
    }
    if (stage_ == plan_.size()) {
      begin_refit();
    } else if (plan_[stage_].curved && mode_ == Mode::threshold) {
      mode_ = Mode::curvature;
      model_ = support();
      candidates_ = model_;
    }
    gathered_.clear();
    from_pass_start_ = t_ % c_.data.x.size() == 0;
  }

  Set support() const {
    Set set;
    for (const double w : now_.w) set.push_back(w != 0);
    return set;
  }

  void narrow_to(std::size_t allowed) {
    Vector magnitudes;
    for (std::size_t j = 0; j < features_; ++j) magnitudes.push_back(std::fabs(z_[j]));
    std::sort(magnitudes.rbegin(), magnitudes.rend());
    lambda_ = allowed < features_ ? magnitudes[allowed] : 0;
    if (lambda_ > 0) mind_tie(magnitudes[allowed - 1], lambda_, lambda_);
    for (std::size_t j = 0; j < features_; ++j) work_out(j, 1);
  }

  void begin_refit() {
    mode_ = Mode::refit;
    model_ = support();
    lambda_ = 0;
    for (std::size_t j = 0; j <= features_; ++j) {
      n_[j] = 0;
      z_[j] = -weight(j) * 0.3 / 3;
    }
  }

  // By feature. Only candidates and the intercept need one.
  Vector ridges() const {
    std::vector<Vector> rows;
    for (const Gathered& g : gathered_) {
      rows.emplace_back();
      for (std::size_t j = 0; j < features_; ++j) {
        if (candidates_[j]) rows.back().push_back(value(g.row, j));
      }
    }
    const auto columns = std::count(candidates_.begin(), candidates_.end(), true);
    const Vector of_candidates = budget_ridges(rows, static_cast<std::size_t>(columns));
    auto next = of_candidates.begin();
    Vector result(features_ + 1, 1e-3);
    for (std::size_t j = 0; j < features_; ++j) {
      if (candidates_[j]) result[j] = *next++;
    }
    return result;
  }

  // The minimum of Q = 1/2 w'Hw - r'w + sum rho_j/2 w_j^2 over the weights of a set and the
  // intercept, by Gaussian elimination.
  double minimum(const Set& set, Vector* at = nullptr) {
    std::vector<std::size_t> in;
    for (std::size_t j = 0; j <= features_; ++j) {
      if (j == features_ ? c_.options.intercept : bool(set[j])) in.push_back(j);
    }
    const std::size_t m = in.size();
    std::vector<Vector> a(m, Vector(m + 1));
    // Rows that were visited several times count once.
    const double scale = std::min(
        1.0, static_cast<double>(c_.data.x.size()) / static_cast<double>(gathered_.size()));
    const Vector ridge = ridges();
    for (std::size_t p = 0; p < m; ++p) {
      a[p][p] = ridge[in[p]];
      for (const Gathered& g : gathered_) {
        const double x = scale * value(g.row, in[p]);
        for (std::size_t q = 0; q < m; ++q) a[p][q] += g.curvature * x * value(g.row, in[q]);
        a[p][m] += (g.curvature * g.margin - g.slope) * x;
      }
    }
    Vector right;
    for (const Vector& line : a) right.push_back(line[m]);
    for (std::size_t p = 0; p < m; ++p) {  // positive definite: no pivoting is needed
      for (std::size_t i = 0; i < m; ++i) {
        if (i == p) continue;
        const double factor = a[i][p] / a[p][p];
        for (std::size_t q = p; q <= m; ++q) a[i][q] -= factor * a[p][q];
      }
    }
    double q = 0;
    for (std::size_t p = 0; p < m; ++p) q -= right[p] * a[p][m] / a[p][p] / 2;
    if (at != nullptr) {
      at->assign(features_ + 1, 0);
      for (std::size_t p = 0; p < m; ++p) (*at)[in[p]] = a[p][m] / a[p][p];
    }
    return q;
  }

  // Removes or adds the feature that makes the minimum of Q lowest.
  std::size_t change(bool in) {
    std::size_t best = features_;
    double lowest = INFINITY;
    double second = INFINITY;
    for (std::size_t j = 0; j < features_; ++j) {
      if (!candidates_[j] || model_[j] == in) continue;
      model_[j] = in;
      const double q = minimum(model_);
      model_[j] = !in;
      second = std::min(second, std::max(q, lowest));
      if (q < lowest) best = j;
      lowest = std::min(lowest, q);
    }
    if (second < INFINITY) mind_tie(lowest, second, lowest);
    model_.at(best) = in;
    return best;
  }

  bool swap(bool add_first) {
    const std::size_t first = change(add_first);
    return change(!add_first) != first;
  }

  void choose(std::size_t k) {
    const auto size = [](const Set& set) {
      return static_cast<std::size_t>(std::count(set.begin(), set.end(), true));
    };
    k = std::min(k, size(candidates_));
    model_ = support();
    while (size(model_) > k) change(false);
    while (size(model_) < k) change(true);
    if (k > 0 && k < size(candidates_)) {
      while (!near_tie_ && (swap(true) || swap(false))) {
      }
    }
    Vector at;
    minimum(model_, &at);
    for (std::size_t j = 0; j <= features_; ++j) set_weight(j, at[j]);
  }

  void mind_tie(double a, double b, double scale) {
    near_tie_ = near_tie_ || std::fabs(a - b) <= 1e-9 * std::fabs(scale);
  }

  Dense mean() const {
    Dense sum{Vector(features_), 0};
    for (const Dense& each : seen_) {
      for (std::size_t j = 0; j < features_; ++j) sum.w[j] += each.w[j];
      sum.b += each.b;
    }
    for (double& w : sum.w) w /= static_cast<double>(seen_.size());
    sum.b /= static_cast<double>(seen_.size());
    return sum;
  }

  struct Gathered {
    std::size_t row;
    double margin, slope, curvature;
  };

  const Case& c_;
  std::size_t features_, k_;
  double unit_;
  std::uint64_t steps_;
  std::uint64_t t_ = 0;
  Mode mode_ = Mode::threshold;
  std::uint64_t stage_ = 0;  // number of stages that ended
  std::vector<Step> plan_;
  Dense now_;
  Vector z_, n_;
  double lambda_ = 0;
  Set candidates_, model_;
  std::vector<Gathered> gathered_;
  bool from_pass_start_ = false;  // `gathered_` starts with a pass
  bool averages_ = false;
  std::vector<Dense> seen_;
  bool near_tie_ = false;
};

}  // namespace thresh
