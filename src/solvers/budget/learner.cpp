#include "solvers/budget/learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sparse/kernels.hpp"
#include "sparse/sum_in_four.hpp"
#include "thresh/error.hpp"

namespace thresh {

BudgetLearner::BudgetLearner(const SolverSetup& setup, std::shared_ptr<Selection> selection)
    : loss_(setup.loss()),
      classifies_(setup.options.task == Task::classification),
      learns_intercept_(setup.options.intercept),
      units_{setup.row_length > 0 ? 1 / setup.row_length : 1,
             setup.target_size > 0 ? setup.target_size : 1},
      betas_(setup.options.betas),
      largest_margin_(setup.largest_margin()),
      features_(setup.features),
      compensated_(setup.options.compensated),
      rows_(setup.rows),
      few_rows_(setup.rows > 0 && setup.rows < kLeastStage),
      selection_(std::move(selection)),
      path_(units_, learns_intercept_, setup.kept) {
  betas_.push_back(setup.number("beta"));
  if (!std::all_of(betas_.begin(), betas_.end(), [](double beta) { return beta > 0; })) {
    throw UsageError("--beta must be above 0");
  }
  slopes_.resize(betas_.size());
  selection_->join(*this);
}

void BudgetLearner::begin() {
  // No row may have a feature that must stay.
  if (!path_.kept().empty()) ensure_slots(std::size_t{path_.kept().back()} + 1);
  path_.begin(state_);
}

void BudgetLearner::ensure_slots(std::size_t n) {
  state_.weights.ensure(n);
  if (mode_ == Mode::threshold) path_.ensure_slots(n);
}

// Comes back at the end of a stage: others may have to come there too before features are selected.
std::size_t BudgetLearner::visit(std::span<const Row> rows, const Until& until) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 2 < rows.size()) prefetch(rows[i + 2]);
    visit_row(rows[i]);
    // Once it has arrived, others may be at work on this learner.
    if (arrived_) return i + 1;
    if (ended_ || state_.t >= until.steps || state_.nonzeros >= until.nonzeros) return i + 1;
  }
  return rows.size();
}

void BudgetLearner::visit_row(const Row& row) {
  const double margin = BudgetLearner::margin(row);
  const double slope = loss_.slope(margin, row.label);
  if (!(std::fabs(margin) <= largest_margin_) || !std::isfinite(slope)) {
    diverge(row);
    return;
  }
  if (classifies_) state_.mistakes += (margin > 0) != (row.label > 0);
  BudgetLearner::learn(row, slope);
}

double BudgetLearner::margin(const Row& row) {
  switch (mode_) {
    case Mode::refit:
      refits_.back().meet(row);
      margin_ = refits_.back().margin(asked());
      break;
    case Mode::curvature:
      curvature_->meet(row);
      margin_ = state_.intercept +  // values in units have been rounded
                (compensated_ ? dot_of_all(row) : curvature_->margin(state_.weights.data()));
      break;
    case Mode::threshold:
    case Mode::shown:
      margin_ = dot_of_all(row) + state_.intercept;
      break;
  }
  return margin_;
}

double BudgetLearner::dot_of_all(const Row& row) const {
  const double* const weights = state_.weights.data();
  if (compensated_) return dot(weights, row, true);
  return sum_in_four(row.size,
                     [&](std::size_t i) { return weights[row.slots[i]] * row.values[i]; });
}

void BudgetLearner::learn(const Row& row, double slope) {
  ++state_.t;
  ++state_.examples;
  state_.updates += slope != 0;
  state_.accesses += slope != 0 ? 2 * row.size : row.size;
  weight_ = weight_of(row);
  const double weighted = slope * weight_;
  switch (mode_) {
    case Mode::threshold:
      if (slope != 0) path_.follow(row, weighted, state_);
      break;
    case Mode::curvature:
      if (selection_->gathers(state_.t)) {
        curvature_->add(margin_, weighted, weight_ * bend(slope));
      }
      break;
    case Mode::refit:
      step(refits_.back(), row, weighted);
      break;
    case Mode::shown:
      break;
  }
  learn_beside(row);
  arrived_ = state_.t >= selection_->stage_end();
  if (arrived_) selection_->arrive();
}

// What a row counts for: its weight, and of a row beyond all others so much less that its square is
// that of one kLongest long. Else it alone would decide: roots of sums of squares would stand
// still, and beside its products those of all other rows vanish in rounding, until no pivot is
// left.
double BudgetLearner::weight_of(const Row& row) {
  const bool all_met = rows_ > 0 && state_.t > rows_;
  if (all_met && longest_squares_ == 0) return row.weight;
  const double squares = sum_in_four(row.size, [&](std::size_t i) {
    const double value = row.values[i] * units_.value;
    return value * value;
  });
  if (squares <= kLongest * kLongest) return row.weight;
  if (!all_met) ++long_rows_;
  if (squares > longest_squares_) {
    longest_squares_ = squares;
    longest_row_ = row.id;
  }
  return row.weight * (kLongest * kLongest / squares);
}

std::vector<std::string> BudgetLearner::warnings() const {
  if (longest_squares_ == 0) return {};
  return {fmt::format(
      "{}row {} is {:.3g} times as long as typical ones: from {:g} times on rows count for less "
      "(--normalize l2 makes all rows alike)",
      long_rows_ > 1 ? fmt::format("{} rows are far too long; ", long_rows_) : "", longest_row_ + 1,
      std::sqrt(longest_squares_), kLongest)};
}

// A step of the refit, which has met the row, for all betas; the slope of the last one may be
// known.
void BudgetLearner::step(Refit& refit, const Row& row, std::optional<double> known) {
  for (std::size_t b = 0; b < betas_.size(); ++b) {
    const bool is_known = known && b == asked();
    slopes_[b] = is_known ? *known : loss_.slope(refit.margin(b), row.label) * weight_;
    if (!std::isfinite(slopes_[b])) {
      diverge(row);
      return;
    }
  }
  refit.learn(slopes_);
}

// The models of larger budgets, which are refitted meanwhile.
void BudgetLearner::learn_beside(const Row& row) {
  for (std::size_t i = 0; i < refits_beside() && !ended_; ++i) {
    refits_[i].meet(row);
    step(refits_[i], row);
  }
}

// The curvature of the loss, but never less than a small share of the largest: rows far on the
// right side would count for nothing until the features that put them there are gone.
double BudgetLearner::bend(double slope) const {
  constexpr double kLeastShare = 0.04;
  return std::max(loss_.curvature(slope), kLeastShare * *loss_.curvature());
}

double BudgetLearner::loss(std::span<const double> margins, std::span<const Row> rows) const {
  return loss_.sum(margins, rows);
}

void BudgetLearner::begin_curvature() {
  if (mode_ == Mode::threshold) {
    std::vector<std::uint32_t> candidates = nonzero_slots(state_);
    for (const std::uint32_t slot : path_.kept()) {
      const auto at = std::lower_bound(candidates.begin(), candidates.end(), slot);
      if (at == candidates.end() || *at != slot) candidates.insert(at, slot);
    }
    sort_by_feature(candidates, features_);
    curvature_ = std::make_unique<Curvature>(std::move(candidates), units_.value, learns_intercept_,
                                             few_rows_);
    mode_ = Mode::curvature;
    path_.forget_sums();
  }
  curvature_->clear();
}

Choice BudgetLearner::choice() const {
  Choice choice{curvature_.get(), {}, {}};
  for (const std::uint32_t slot : curvature_->candidates()) {
    choice.current.push_back(state_.weights[slot] != 0 ? 1 : 0);
    choice.kept.push_back(path_.is_kept(slot) ? 1 : 0);
  }
  return choice;
}

void BudgetLearner::begin_refit() {
  refits_.emplace_back(weights_of(state_, features_), units_, betas_, learns_intercept_,
                       compensated_, few_rows_);
  ages_.push_back(0);
}

void BudgetLearner::age_refits() {
  for (std::uint64_t& age : ages_) ++age;
  while (refits_beside() > 0 && ages_.front() == kRefitStages) {
    for (std::size_t b = 0; b < betas_.size(); ++b) {
      finished_.push_back(refits_.front().weights(b));
    }
    refits_.pop_front();
    ages_.pop_front();
  }
  for (std::size_t i = 0; i < refits_.size(); ++i) {
    if (ages_[i] == kRefitStages - 1) refits_[i].begin_mean();
  }
}

void BudgetLearner::end_selection() {
  mode_ = Mode::refit;
  curvature_.reset();
  path_.forget_sums();
}

void BudgetLearner::do_settle() {
  if (mode_ != Mode::refit) return;
  // Of the features that are there already.
  const SparseWeights now = refits_.back().weights(asked());
  for (std::size_t i = 0; i < now.slots.size(); ++i) state_.set(now.slots[i], now.weights[i]);
  state_.intercept = now.intercept;
}

std::size_t BudgetLearner::results() const {
  if (mode_ == Mode::shown) return finished_.size();
  return finished_.size() + (mode_ == Mode::refit ? betas_.size() : 1);
}

void BudgetLearner::show(std::size_t result) {
  if (mode_ != Mode::shown) {
    settle();
    for (std::size_t b = 0; mode_ == Mode::refit && b < asked(); ++b) {
      finished_.push_back(refits_.back().weights(b));
    }
    finished_.push_back(weights_of(state_, features_));
    mode_ = Mode::shown;
  }
  set_weights(state_, finished_[result]);
  shown_ = result;
}

void BudgetLearner::note_options(Options& options) const {
  const bool last = mode_ != Mode::shown || shown_ + 1 == finished_.size();
  if (!last) options.own["beta"] = fmt::format("{}", betas_[shown_ % betas_.size()]);
}

}  // namespace thresh
