#include "solvers/l1/descent.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "solvers/batch/pieces.hpp"

namespace thresh {
namespace {

constexpr double kStage = 0.1;  // factor of lambda from stage to stage
constexpr std::size_t kLeastSet = 100;
constexpr int kPatience = 10;  // rounds that do not lower the gap
constexpr double kEndless = std::numeric_limits<double>::infinity();

// How far the slopes are from dual feasible. They are scaled down until all features are feasible;
// with l2 no scaling is needed, and each violation lowers the dual value instead.
struct Lack {
  double worst = 0, paid = 0;

  void add(const Price& price, double gradient_of_loss, double l2) {
    worst = std::max(worst, price.pull(gradient_of_loss));
    const double lack = price.violation(0, gradient_of_loss);
    if (l2 > 0) paid += lack * lack / (2 * l2);
  }
  double scale() const { return paid == 0 && worst > 1 ? 1 / worst : 1; }
};

}  // namespace

L1Descent::L1Descent(const L1Objective& objective, std::vector<double> weights,
                     const std::atomic<bool>* stop)
    : objective_(objective),
      stop_(stop),
      weights_(std::move(weights)),
      gradient_(objective.columns()),
      model_(stop),
      trust_(objective.first_trust()) {
  point_.margins.assign(objective.rows(), 0);
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    if (weights_[j] == 0) continue;
    const SparseVector x = objective.column(j);
    for (std::size_t k = 0; k < x.size; ++k) point_.margins[x.at[k]] += weights_[j] * x.values[k];
  }
  objective_.evaluate(point_);
  for (std::uint32_t j = 0; j < objective.features(); ++j) live_.push_back(j);
}

double L1Descent::largest_lambda() {
  if (largest_) return *largest_;
  L1Objective::Point zero;
  zero.margins.assign(objective_.rows(), 0);
  objective_.evaluate(zero);
  objective_.settle_intercept(zero);
  in_pieces(objective_.features(), objective_.matrix().entries(),
            [&](std::size_t begin, std::size_t end) {
              for (std::size_t j = begin; j < end; ++j) {
                gradient_[j] = objective_.gradient(j, zero);
              }
            });
  largest_ = 0;
  for (std::size_t j = 0; j < objective_.features(); ++j) {
    largest_ = std::max(*largest_, objective_.price(j, 1).pull(gradient_[j]));
  }
  if (no_features()) seen_slopes_ = std::move(zero.slopes);
  return *largest_;
}

bool L1Descent::no_features() const {
  return std::all_of(weights_.begin(),
                     weights_.begin() + static_cast<std::ptrdiff_t>(objective_.features()),
                     [](double w) { return w == 0; });
}

void L1Descent::aim(double lambda) {
  aim_ = lambda;
  lambda_ = no_features() ? std::max(lambda, largest_lambda()) : lambda;
  keep_all();
  stage_rounds_ = idle_rounds_ = 0;
  least_gap_ = kEndless;
  flat_ = kFlat;
  thorough_ = false;
}

void L1Descent::change_of_loss() {
  objective_.evaluate(point_);
  seen_slopes_.clear();
  set_.clear();
  trust_ = objective_.first_trust();
  aim(aim_);
}

void L1Descent::keep_all() {
  live_.resize(objective_.features());
  std::iota(live_.begin(), live_.end(), 0U);
}

bool L1Descent::round(double enough) {
  look_at_all();
  const double scale = certify();
  if (lambda_ == aim_ && certificate_.relative() <= enough) return false;
  // A stage ends when its gap is small enough or its rounds are used up.
  constexpr double kGoOn = 0.3;
  constexpr int kStageRounds = 3;
  if (lambda_ > aim_ && (certificate_.relative() <= kGoOn || ++stage_rounds_ >= kStageRounds)) {
    lambda_ = std::max(aim_, kStage * lambda_);
    stage_rounds_ = 0;
  }
  if (certificate_.lambda == aim_) {
    idle_rounds_ = certificate_.gap < 0.9 * least_gap_ ? 0 : idle_rounds_ + 1;
    least_gap_ = std::min(least_gap_, certificate_.gap);
    if (idle_rounds_ >= kPatience) {
      // Without convergence the gap may ignore violations of dropped features: include them again.
      keep_all();
      look_at_all();
      certify();
      return false;
    }
    screen(scale, enough);
  }
  choose_set();
  // If nothing moved, the next rounds would all be like this one.
  if (!descend(enough) && certificate_.lambda == aim_) idle_rounds_ = kPatience - 1;
  return true;
}

void L1Descent::look_at_all() {
  const double moved = objective_.settle_intercept(point_);
  if (objective_.has_intercept()) {
    weights_.back() += moved;
    gradient_.back() = objective_.gradient(objective_.features(), point_);
  }
  if (point_.slopes == seen_slopes_) return;
  seen_slopes_.clear();
  // The last step has already updated the gradients of the set.
  std::vector<std::uint32_t> others;
  std::set_difference(live_.begin(), live_.end(), set_.begin(),
                      moved == 0 ? set_.end() : set_.begin(), std::back_inserter(others));
  std::vector<std::uint64_t> read((others.size() + kPiece - 1) / kPiece);
  in_pieces(others.size(), objective_.matrix().entries(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t l = begin; l < end; ++l) {
      const std::uint32_t j = others[l];
      gradient_[j] = objective_.gradient(j, point_) + objective_.l2(j) * weights_[j];
      read[begin / kPiece] += objective_.column(j).size;
    }
  });
  accesses_ += std::accumulate(read.begin(), read.end(), std::uint64_t{0});
}

// Returns the scale of the slopes. Skips dropped features: they are dual feasible.
double L1Descent::certify() {
  double primal = point_.loss;
  Lack lack;
  for (const std::uint32_t j : live_) {
    const Price price = objective_.price(j, lambda_);
    const double w = weights_[j], l2 = objective_.l2(j);
    primal += price.of(w) + 0.5 * l2 * w * w;
    lack.add(price, gradient_[j] - l2 * w, l2);
  }
  certificate_ = {lambda_, primal, primal - (objective_.dual(point_, lack.scale()) - lack.paid)};
  proof_ = certificate_;
  if (objective_.is_clipped()) {
    proof_.objective += objective_.true_loss(point_) - point_.loss;
    proof_.gap = proof_.objective - (objective_.true_dual(point_, lack.scale()) - lack.paid);
  }
  return lack.scale();
}

// The gap bounds the distance of the dual point from the optimal one. A feature that is feasible in
// that whole ball is zero at the optimum. With the radius of the final gap added, it is also
// feasible at the last dual point and need not be checked again.
void L1Descent::screen(double scale, double enough) {
  if (!objective_.curvature_bound()) return;  // the ball has no radius
  const auto radius = [&](double gap) {
    return std::sqrt(2 * *objective_.curvature_bound() * std::max(0.0, gap));
  };
  const double both = radius(certificate_.gap) + radius(enough * certificate_.objective);
  std::erase_if(live_, [&](std::uint32_t j) {
    if (weights_[j] != 0) return false;
    const Price price = objective_.price(j, lambda_);
    const double reach = both * objective_.norm(j);
    return -scale * gradient_[j] + reach < price.up && scale * gradient_[j] + reach < price.down;
  });
}

void L1Descent::choose_set() {
  constexpr double kWorthAnEye = 0.6;  // share of the pull that moves a weight
  std::vector<std::pair<double, std::uint32_t>> drawn;
  std::size_t nonzeros = 0;
  for (const std::uint32_t j : live_) {
    const double strength = objective_.price(j, lambda_).pull(gradient_[j]);
    if (weights_[j] != 0) {
      ++nonzeros;
      drawn.emplace_back(kEndless, j);
    } else if (strength >= kWorthAnEye) {
      drawn.emplace_back(strength, j);
    }
  }
  const std::size_t size = std::min(drawn.size(), std::max(2 * nonzeros, kLeastSet));
  std::nth_element(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(size), drawn.end(),
                   std::greater<>());
  std::vector<std::uint32_t> chosen;
  for (std::size_t k = 0; k < size; ++k) chosen.push_back(drawn[k].second);
  std::sort(chosen.begin(), chosen.end());
  // At the final lambda the set only loses dropped features, so that rounds cannot alternate.
  if (lambda_ == aim_ && certificate_.lambda == aim_) {
    if (objective_.has_intercept() && !set_.empty()) set_.pop_back();
    std::vector<std::uint32_t> old, both;
    std::set_intersection(set_.begin(), set_.end(), live_.begin(), live_.end(),
                          std::back_inserter(old));
    std::set_union(old.begin(), old.end(), chosen.begin(), chosen.end(), std::back_inserter(both));
    chosen = std::move(both);
  }
  set_ = std::move(chosen);
  if (objective_.has_intercept()) set_.push_back(static_cast<std::uint32_t>(objective_.features()));
  set_weights_.clear();
  set_gradient_.clear();
  set_entries_ = 0;
  for (const std::uint32_t j : set_) {
    set_entries_ += objective_.column(j).size;
    set_weights_.push_back(weights_[j]);
    set_gradient_.push_back(gradient_[j]);
  }
}

// Steps until the gap of the set is small enough for this round. Returns whether anything moved.
bool L1Descent::descend(double enough) {
  const bool arrived = lambda_ == aim_;
  const int most = arrived ? 30 : 1;
  constexpr int kSlowSteps = 2;
  constexpr double kNear = 0.01;  // further away the face still changes, and rough models do
  int slow = 0;
  bool moved = false;
  double target = 0, before = kEndless;
  for (int step = 0; step < most && !(stop_ != nullptr && *stop_); ++step) {
    if (arrived) {
      const double gap = set_gap();
      const double end = 0.3 * enough * objective_of_set();
      if (step == 0) target = std::max(0.3 * gap, end);
      if (gap <= target && (step > 0 || gap <= end)) break;
      const bool near = gap <= kNear * objective_of_set();
      if (near && gap > 0.5 * before && ++slow >= kSlowSteps && refine()) slow = 0;
      before = gap;
    }
    if (newton_step()) {
      moved = true;
    } else if (!arrived || !refine()) {
      break;
    }
  }
  for (std::size_t k = 0; k < set_.size(); ++k) {
    weights_[set_[k]] = set_weights_[k];
    gradient_[set_[k]] = set_gradient_[k];
  }
  return moved;
}

// Makes the models of the next steps better and more expensive. Two columns that are almost equal
// need it: how much of their common weight each of them gets depends on the few rows in which they
// differ. False if nothing is left to make better.
bool L1Descent::refine() {
  if (!thorough_) {
    thorough_ = true;
  } else if (flat_ > 1e-9) {
    flat_ *= 0.01;
  } else {
    return false;
  }
  return true;
}

double L1Descent::objective_of_set() const {
  double sum = point_.loss;
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const double w = set_weights_[k];
    sum += objective_.price(set_[k], lambda_).of(w) + 0.5 * objective_.l2(set_[k]) * w * w;
  }
  return sum;
}

// The gap of the problem restricted to the columns of the set.
double L1Descent::set_gap() const {
  Lack lack;
  for (std::size_t k = 0; k < set_.size(); ++k) {
    const std::uint32_t j = set_[k];
    if (objective_.is_intercept(j)) continue;
    const double l2 = objective_.l2(j);
    lack.add(objective_.price(j, lambda_), set_gradient_[k] - l2 * set_weights_[k], l2);
  }
  return objective_of_set() - (objective_.dual(point_, lack.scale()) - lack.paid);
}

}  // namespace thresh
