#include "solvers/budget/learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "math/elementary.hpp"
#include "sparse/dense_loops.hpp"
#include "sparse/parallel.hpp"
#include "sparse/row_loops.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

// Slopes of the squared loss are as large as targets; others have a size of their own.
Units units_of(const SolverSetup& setup) {
  Units units{setup.row_length > 0 ? 1 / setup.row_length : 1,
              target_unit(setup.options, setup.target_size)};
  const LossFunction loss = setup.loss();
  if (loss.kind() == Loss::huber) units.slope_unit = std::min(units.target, loss.highest());
  if (loss.kind() == Loss::quantile || loss.kind() == Loss::poisson) units.slope_unit = 1;
  return units;
}

// Of the rate e^a: far above all counts. Beyond it the loss goes on as a line, so that a step too
// far, as any first steps may be, has no slope that later ones cannot make up for.
double ceiling_of(const SolverSetup& setup) {
  constexpr double kFarAbove = 20;
  if (setup.loss().kind() != Loss::poisson) return std::numeric_limits<double>::infinity();
  return portable::log(kFarAbove * std::max(1.0, setup.target_size));
}

}  // namespace

BudgetLearner::BudgetLearner(const SolverSetup& setup, std::shared_ptr<Selection> selection)
    : loss_(setup.loss()),
      classifies_(setup.options.task == Task::classification),
      learns_intercept_(setup.options.intercept),
      units_(units_of(setup)),
      ceiling_(ceiling_of(setup)),
      least_residual_(0.05 * setup.target_spread),
      betas_(setup.options.betas),
      largest_margin_(setup.largest_margin()),
      features_(setup.features),
      sums_(setup.slice_sums()),
      compensated_(setup.options.compensated),
      few_rows_(setup.rows > 0 && setup.rows < kLeastStage),
      first_rate_(setup.target_mean),
      selection_(std::move(selection)),
      signs_(setup.signs()),
      groups_(setup.groups),
      required_(setup.kept, setup.rows),
      long_rows_(units_.value, setup.rows),
      path_(units_, learns_intercept_, required_, signs_) {
  betas_.push_back(setup.number("beta"));
  if (!std::all_of(betas_.begin(), betas_.end(), [](double beta) { return beta > 0; })) {
    throw UsageError("--beta must be above 0");
  }
  const auto& given = setup.options.solver_options;
  if (given.contains("ridge")) {
    if (!(setup.number("ridge") > 0)) throw UsageError("--ridge must be above 0");
    if (given.contains("beta")) throw UsageError("--beta does not apply with --ridge");
  }
  for (const char* kind : {"fewest-errors", "contrast"}) {
    if (given.contains(kind) && !given.contains("ridge")) {
      throw UsageError(fmt::format("--{} requires --ridge", kind));
    }
  }
  if (given.contains("prune")) {
    if (!given.contains("ridge")) throw UsageError("--prune requires --ridge");
    if (!(setup.number("prune") > 0)) throw UsageError("--prune must be above 0");
  }
  state_.weights = WeightArray(ThresholdPath::kNumbers);
  selection_->join(*this);
}

void BudgetLearner::begin() {
  // Required features may occur in no row.
  if (!required_.slots().empty()) ensure_slots(std::size_t{required_.slots().back()} + 1);
  const bool counts = loss_.kind() == Loss::poisson && learns_intercept_;
  if (counts && state_.nonzeros == 0 && state_.intercept == 0 && first_rate_ > 0) {
    state_.intercept = portable::log(first_rate_);
  }
  path_.begin(state_);
}

void BudgetLearner::ensure_slots(std::size_t n) {
  state_.weights.ensure(n);
  if (sums_) sums_->ensure_slots(n);
}

// Ends with the stage: other learners may have to finish it before the selection. The refits of
// larger budgets do not depend on the rest, so cores share them.
std::size_t BudgetLearner::visit(std::span<const Row> rows, const Until& until) {
  const std::uint64_t last = std::min(until.steps, selection_->stage_end());
  rows = rows.first(std::min<std::uint64_t>(rows.size(), last > state_.t ? last - state_.t : 1));
  if (until.nonzeros != kUnlimited) rows = rows.first(1);
  const std::span<const Row> near = narrowed(rows);
  weigh(rows);
  const std::size_t beside = refits_beside();
  std::vector<std::size_t> learned(1 + beside);
  const auto learn_share = [&](std::size_t i) {
    learned[i] = i == 0 ? visit_all(rows, near) : learn_beside(refits_[i - 1].refit, near);
  };
  share_out_work(near, learned.size(), learn_share);
  const std::size_t visited = *std::min_element(learned.begin(), learned.end());
  if (visited < learned.front()) {
    state_.t -= learned.front() - visited;
    state_.examples -= learned.front() - visited;
    diverge(rows[visited - 1]);
  }
  // After arriving, other threads may change this learner.
  if (!ended_ && state_.t >= selection_->stage_end()) selection_->arrive();
  return visited;
}

// The rows without what neither the candidates nor a refit has, if more than one of them looks.
std::span<const Row> BudgetLearner::narrowed(std::span<const Row> rows) {
  if (common_) return common_->narrow(rows);
  const std::size_t lookers = refits_beside() + (mode_ == Mode::threshold ? 0 : 1);
  if (lookers < 2 || few_rows_ || compensated_) return rows;
  if (!is_narrow_) {
    narrowed_.clear();
    if (curvature_) narrowed_.add(curvature_->candidates());
    for (const AgingRefit& each : refits_) narrowed_.add(each.refit.slots());
    is_narrow_ = true;
  }
  return narrowed_.narrow(rows);
}

// Each on the next free core, if there is enough to do.
void BudgetLearner::share_out_work(std::span<const Row> rows, std::size_t shares,
                                   const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kWorthSharing = 1 << 12;  // entries
  std::size_t entries = 0;
  for (const Row& row : rows) entries += row.size;
  if (shares > 1 && entries >= kWorthSharing) return parallel_for(shares, work);
  for (std::size_t i = 0; i < shares; ++i) work(i);
}

// Returns how many rows it learned from, the one where it diverged included.
std::size_t BudgetLearner::visit_all(std::span<const Row> rows, std::span<const Row> near) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (mode_ == Mode::threshold) {
      if (i + 2 < rows.size()) prefetch(rows[i + 2]);
      path_.expect(i + 1 < rows.size() ? &rows[i + 1] : nullptr);
    }
    weight_ = row_weights_[i];
    visit_row(rows[i], mode_ == Mode::threshold ? rows[i] : near[i]);
    if (ended_) return i + 1;
  }
  return rows.size();
}

void BudgetLearner::visit_row(const Row& row, const Row& near) {
  const double margin = BudgetLearner::margin(near);
  const double slope = slope_at(margin, row.label);
  if (!(std::fabs(margin) <= largest_margin_) || !std::isfinite(slope)) {
    diverge(row);
    return;
  }
  if (classifies_) state_.mistakes += (margin > 0) != (row.label > 0);
  learn_weighted(row, slope);
}

double BudgetLearner::margin(const Row& row) {
  switch (mode_) {
    case Mode::refit:
      refits_.back().refit.meet(row);
      margin_ = refits_.back().refit.margin(asked());
      break;
    case Mode::curvature:
      curvature_->meet(row);
      margin_ = state_.intercept +  // values in units are rounded
                (compensated_ ? dot_of_all(row) : curvature_->margin(working().weights));
      break;
    case Mode::threshold:
    case Mode::shown:
      margin_ = (sums_ ? sliced_dot(row) : dot_of_all(row)) + state_.intercept;
      break;
  }
  return margin_;
}

double BudgetLearner::dot_of_all(const Row& row) const {
  if (compensated_) return dot(state_.weights, row, true);
  return state_.weights.viewed([&](const auto& weights) {
    return sum_in_four(row.size,
                       [&](std::size_t i) { return weights[row.slots[i]] * row.values[i]; });
  });
}

void BudgetLearner::learn(const Row& row, double slope) {
  weight_ = long_rows_.weight_of(row, state_.t + 1);
  row_weights_.assign(1, weight_);
  learn_weighted(row, slope);
  for (std::size_t i = 0; i < refits_beside() && !ended_; ++i) {
    if (learn_beside(refits_[i].refit, {&row, 1}) == 0) diverge(row);
  }
  if (state_.t >= selection_->stage_end()) selection_->arrive();
}

// The row of the last margin() call, with the weight that was set.
void BudgetLearner::learn_weighted(const Row& row, double slope) {
  ++state_.t;
  ++state_.examples;
  state_.updates += slope != 0;
  state_.accesses += slope != 0 ? 2 * row.size : row.size;
  required_.meet(row);
  const double weighted = slope * weight_;
  switch (mode_) {
    case Mode::threshold:
      if (slope != 0) path_.follow(row, weighted, state_);
      break;
    case Mode::curvature:
      if (selection_->gathers(state_.t)) {
        // Of the squared loss that is 1.
        const double unit = units_.target / units_.slope();
        curvature_->add(margin_, weighted * unit, weight_ * unit * bend(slope, row.label));
      }
      break;
    case Mode::refit:
      if (!step(refits_.back().refit, row, weight_, weighted)) diverge(row);
      break;
    case Mode::shown:
      break;
  }
}

// Learners that share a selection all save it, and read the same one.
void BudgetLearner::archive(Archive& a) {
  a.choice(mode_, Mode::refit);
  a(path_);
  SlopeSolver::archive(a);
  a(margin_, weight_, required_, long_rows_, *selection_);
  archive_common(a);
  archive_curvature(a);
  archive_refits(a);
  std::uint64_t finished = finished_.size();
  a(finished);
  a.require(finished <= kUnlimited >> 32);
  if (a.reads()) finished_.clear();
  for (std::uint64_t i = 0; i < finished; ++i) {
    if (a.reads()) finished_.emplace_back();
    finished_[i].archive(a, working().weights.size());
  }
  a.require(mode_ != Mode::threshold || state_.weights.numbers() == ThresholdPath::kNumbers);
  a.require(mode_ != Mode::curvature || curvature_);
  a.require(mode_ != Mode::refit || !refits_.empty());
}

void BudgetLearner::archive_curvature(Archive& a) {
  bool has = curvature_ != nullptr;
  a(has);
  if (a.reads()) curvature_.reset();
  if (!has) return;
  std::vector<std::uint32_t> candidates;
  if (curvature_) candidates = curvature_->candidates();
  a.below(a.reads() ? working().weights.size() : kUnlimited, candidates);
  if (a.reads()) {
    a.require(candidates.size() <= kCandidates + required_.slots().size());
    curvature_ = std::make_unique<Curvature>(std::move(candidates), units_.value, learns_intercept_,
                                             few_rows_);
  }
  a(*curvature_);
}

void BudgetLearner::archive_refits(Archive& a) {
  std::uint64_t refits = refits_.size();
  a(refits);
  if (a.reads()) {
    refits_.clear();
    is_narrow_ = false;
  }
  for (std::uint64_t i = 0; i < refits; ++i) {
    SparseWeights start;
    if (!a.reads()) start.slots = refits_[i].refit.slots();
    start.weights.resize(start.slots.size());
    start.archive(a, working().weights.size());
    std::vector<double> signs = signs_at(start.slots);
    if (a.reads()) {
      refits_.push_back({Refit(std::move(start), units_, betas_, learns_intercept_, compensated_,
                               few_rows_, std::move(signs))});
    }
    a(refits_[i].age, refits_[i].refit);
  }
}

std::vector<std::string> BudgetLearner::warnings() const {
  return long_rows_.warnings();
}

// One refit step for all betas. The refit has met the row; the slope of the last beta may be given.
// False if a slope is not finite.
bool BudgetLearner::step(Refit& refit, const Row& row, double weight,
                         std::optional<double> known) const {
  return refit.learn([&](std::size_t b) {
    return known && b == asked() ? *known : slope_at(refit.margin(b), row.label) * weight;
  });
}

// The refit of a larger budget. Returns how many rows it learned from: all, unless it diverges.
std::size_t BudgetLearner::learn_beside(Refit& refit, std::span<const Row> rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    refit.meet(rows[i]);
    if (!step(refit, rows[i], row_weights_[i])) return i;
  }
  return rows.size();
}

// The curvature of the loss, with a lower limit: otherwise rows with large margins would have no
// influence until the features that cause these margins are dropped.
double BudgetLearner::bend(double slope, double label) const {
  constexpr double kLeastShare = 0.04;
  if (is_for_numbers(loss_.kind())) {
    return loss_.broad_curvature(std::min(margin_, ceiling_), slope, label, least_residual_);
  }
  return std::max(loss_.curvature(slope, label), kLeastShare * *loss_.curvature());
}

double BudgetLearner::loss(std::span<const double> margins, std::span<const Row> rows) const {
  return loss_.sum(margins, rows);
}

void BudgetLearner::do_settle() {
  if (mode_ != Mode::refit) return;
  // Sets weights of existing features only.
  const SparseWeights now = refits_.back().refit.weights(asked());
  LinearState& state = working();
  for (std::size_t i = 0; i < now.slots.size(); ++i) state.set(now.slots[i], now.weights[i]);
  state.intercept = now.intercept;
  publish();
}

std::size_t BudgetLearner::results() const {
  if (mode_ == Mode::shown) return finished_.size();
  return finished_.size() + (mode_ == Mode::refit ? betas_.size() : 1);
}

void BudgetLearner::show(std::size_t result) {
  if (mode_ != Mode::shown) {
    settle();
    for (std::size_t b = 0; mode_ == Mode::refit && b < asked(); ++b) {
      finished_.push_back(refits_.back().refit.weights(b));
    }
    finished_.push_back(weights_of(working(), common_ ? nullptr : features_));
    mode_ = Mode::shown;
  }
  set_weights(working(), finished_[result]);
  publish();
  shown_ = result;
}

void BudgetLearner::note_options(Options& options) const {
  const bool last = mode_ != Mode::shown || shown_ + 1 == finished_.size();
  if (!last) options.solver_options["beta"] = fmt::format("{}", betas_[shown_ % betas_.size()]);
}

}  // namespace thresh
