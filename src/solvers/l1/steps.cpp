// A Newton step on the working set: an approximate minimum of the model, then a line search.

#include <algorithm>
#include <utility>

#include "solvers/batch/pieces.hpp"
#include "solvers/l1/descent.hpp"
#include "sparse/cores.hpp"

namespace thresh {

// False if rounding prevents any gain.
bool L1Descent::newton_step() {
  constexpr int kSweeps = 6;
  constexpr int kRounds = 3;
  constexpr double kFewChanges = 0.01;  // share of the set
  choose_movers();
  model_.start(objective_, point_, movers_, mover_weights_, mover_gradients_, lambda_, trust_,
               flat_);
  accesses_ += model_.entries();
  if (model_.is_small()) {
    model_.minimise_exactly();
    return line_search();
  }
  for (int i = 0; i < kRounds; ++i) {
    const std::size_t changed = model_.sweep(kSweeps);
    if (thorough_ && model_.minimise_on_moving()) {
      if (model_.violation() <= 0.1 * model_.first_violation()) break;
      continue;
    }
    // Solving on a face pays only once the face is stable.
    if (static_cast<double>(changed) > kFewChanges * static_cast<double>(set_.size())) break;
    model_.step_on_face();
    if (model_.violation() <= 0.1 * model_.first_violation()) break;
  }
  return line_search();
}

// The part of the set that a step may move: non-zero weights and those with a strong pull. The
// other gradients are updated after each step, like all gradients.
void L1Descent::choose_movers() {
  constexpr double kNearly = 0.9;  // share of the pull that moves a weight
  places_.clear();
  movers_.clear();
  mover_weights_.clear();
  mover_gradients_.clear();
  for (std::uint32_t k = 0; k < set_.size(); ++k) {
    if (set_weights_[k] == 0 && !objective_.is_intercept(set_[k]) &&
        objective_.price(set_[k], lambda_).pull(set_gradient_[k]) < kNearly) {
      continue;
    }
    places_.push_back(k);
    movers_.push_back(set_[k]);
    mover_weights_.push_back(set_weights_[k]);
    mover_gradients_.push_back(set_gradient_[k]);
  }
}

// The change of the margins by the model's move. Each core takes a share of the rows.
std::vector<double> L1Descent::margins_of_move() {
  std::vector<double> along(objective_.rows());
  std::size_t entries = 0;
  for (std::size_t k = 0; k < movers_.size(); ++k) {
    if (model_.move()[k] != 0) entries += objective_.column(movers_[k]).size;
  }
  accesses_ += entries;
  const auto add = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < movers_.size(); ++k) {
      const double move = model_.move()[k];
      if (move == 0) continue;
      const SparseVector x = objective_.column(movers_[k]);
      const std::uint32_t* const from = std::lower_bound(x.at, x.at + x.size, begin);
      for (auto e = static_cast<std::size_t>(from - x.at); e < x.size && x.at[e] < end; ++e) {
        along[x.at[e]] += move * x.values[e];
      }
    }
  };
  in_pieces(along.size(), entries, add, 1 + along.size() / cores());
  return along;
}

bool L1Descent::line_search() {
  const double promised = model_.decrease();
  const double before = objective_of_set();
  const std::vector<double> along = margins_of_move();
  const double violation_before = violation_of_set();
  const std::vector<double> old_gradient = set_gradient_;
  const L1Objective::Point old_point = std::exchange(point_, {});
  point_.margins.resize(along.size());
  // Smaller gains are lost in rounding. Then the violations decide whether the step was good.
  const bool blind = -promised < 1e-12 * before;
  for (double t = 1; t > (blind ? 0.9 : 1e-12); t *= 0.4) {
    for (std::size_t i = 0; i < along.size(); ++i) {
      point_.margins[i] = old_point.margins[i] + t * along[i];
    }
    objective_.evaluate(point_);
    for (std::size_t k = 0; k < movers_.size(); ++k) {
      set_weights_[places_[k]] =
          t == 1 ? model_.weight(k) : mover_weights_[k] + t * model_.move()[k];
    }
    if (!blind && !(before - objective_of_set() >= -0.1 * t * promised)) continue;
    trust_ = t == 1 ? std::min(1.5 * trust_, 2 * objective_.first_trust()) : 0.5 * trust_;
    look_at_set();
    if (!blind || violation_of_set() < violation_before) return true;
  }
  point_ = old_point;
  for (std::size_t k = 0; k < movers_.size(); ++k) set_weights_[places_[k]] = mover_weights_[k];
  set_gradient_ = old_gradient;
  return false;
}

void L1Descent::look_at_set() {
  const auto look = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      set_gradient_[k] =
          objective_.gradient(set_[k], point_) + objective_.l2(set_[k]) * set_weights_[k];
    }
  };
  in_pieces(set_.size(), set_entries_, look, fine_piece(set_.size()));
}

double L1Descent::violation_of_set() const {
  double sum = 0;
  for (std::size_t k = 0; k < set_.size(); ++k) {
    sum += objective_.price(set_[k], lambda_).violation(set_weights_[k], set_gradient_[k]);
  }
  return sum;
}

}  // namespace thresh
