// Common base of solvers that follow the gradient of a loss, by row or by mini-batch.
//
// A derived solver defines how a step changes the weights. It may defer work, e.g. the shrinkage of
// weights that are not in the row. touch() applies it to a row's weights before they are read, and
// do_settle() to all weights. What else it stores per feature can lie beside the weights
// (kNumbers).
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "cluster/slice_sums.hpp"
#include "loss/loss.hpp"
#include "solvers/catalog.hpp"
#include "sparse/row_loops.hpp"

namespace thresh {

// The mean gradient of a batch: coordinate slots[i] is scale * values[i], all others are 0.
struct Gradient {
  const std::uint32_t* slots;
  const double* values;
  std::size_t size;
  double scale;
  double intercept;

  double at(std::size_t i) const { return scale * values[i]; }
};

// Sums the gradients of a batch, in the order in which slots first occur.
class BatchSum {
 public:
  void ensure_slots(std::size_t n) {
    sums_.ensure(n);
    batch_of_.ensure(n);
  }
  void add(const Row& row, double slope) {
    for (std::size_t i = 0; i < row.size; ++i) {
      const std::uint32_t slot = row.slots[i];
      if (batch_of_[slot] != batch_) {
        batch_of_[slot] = batch_;
        slots_.push_back(slot);
        sums_[slot] = 0;
      }
      sums_[slot] += slope * row.weight * row.values[i];
    }
    slope_ += slope * row.weight;
    weight_ += row.weight;
    ++rows_;
  }
  std::uint64_t rows() const { return rows_; }
  // Whether a row of this batch had the slot.
  bool has(std::uint32_t slot) const { return batch_of_[slot] == batch_; }

  // The mean of the sum. Valid until the first add() after clear().
  Gradient mean() {
    values_.clear();
    for (const std::uint32_t slot : slots_) values_.push_back(sums_[slot]);
    return {slots_.data(), values_.data(), slots_.size(), 1 / weight_, slope_ / weight_};
  }
  void clear() {
    slots_.clear();
    slope_ = weight_ = 0;
    rows_ = 0;
    ++batch_;
  }

  void archive(Archive& a) {
    a.by_slot(sums_);
    a.by_slot(batch_of_);
    a(slope_, weight_, rows_, batch_);
    if (!a.by_feature()) {
      a.below(a.reads() ? std::min(sums_.size(), batch_of_.size()) : kUnlimited, slots_);
      return;
    }
    if (!a.reads()) return;
    ensure_slots(a.slot_end());
    slots_.clear();
    for (std::uint32_t slot = 0; slot < batch_of_.size(); ++slot) {
      if (batch_of_[slot] == batch_) slots_.push_back(slot);
    }
  }

 private:
  ZeroedArray<double> sums_;
  ZeroedArray<std::uint64_t> batch_of_;  // the batch in which a sum was begun, counted from 1
  std::vector<std::uint32_t> slots_;
  std::vector<double> values_;
  double slope_ = 0;
  double weight_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t batch_ = 1;
};

// Derived has touch(row), which updates the row's weights, and step(gradient, eta).
template <class Derived>
class GradientSolver : public SlopeSolver {
 public:
  explicit GradientSolver(const SolverSetup& setup, std::uint64_t batch = 1)
      : loss_(setup.loss()),
        step_size_(setup.step_size()),
        learns_intercept_(setup.options.intercept),
        classifies_(setup.options.task == Task::classification),
        compensated_(setup.options.compensated),
        batch_(batch),
        budget_(setup.max_nonzeros),
        largest_margin_(setup.largest_margin()),
        sums_(setup.slice_sums()) {
    average_ = setup.average();
    state_.weights = WeightArray(Derived::kNumbers);
  }
  SliceSums* slice_sums() override { return sums_.get(); }

  std::size_t visit(std::span<const Row> rows, const Until& until) override {
    std::size_t summed = 0;  // rows whose margins are in sums_
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + 2 < rows.size()) prefetch(rows[i + 2]);
      ahead_.begin(i + 1 < rows.size() ? &rows[i + 1] : nullptr);
      if (sums_ && i == summed) summed += sum_margins(rows.subspan(i));
      visit_row(rows[i]);
      if (ended_ || state_.t >= until.steps || reaches(until.nonzeros)) return i + 1;
    }
    return rows.size();
  }

  double margin(const Row& row) override {
    if (sums_) sum_margins({&row, 1});
    return known_margin(row);
  }

  void learn(const Row& row, double slope) override {
    ++state_.examples;
    state_.accesses += slope != 0 ? 2 * row.size : row.size;
    if (batch_ == 1) {
      // The mean of a single gradient would cancel the row's weight, so it scales the step instead.
      const double scale = slope * row.weight;
      take_step({row.slots, row.values, row.size, scale, scale});
    } else {
      sum_.add(row, slope);
      if (sums_) batch_entries_ += sums_->entries(next_sum_ - 1);
      if (sum_.rows() == batch_) finish_batch();
    }
  }

  void end_pass() override {
    if (sum_.rows() > 0) finish_batch();
  }

  void ensure_slots(std::size_t n) override {
    SlopeSolver::ensure_slots(n);
    if (batch_ != 1) sum_.ensure_slots(n);
    if (sums_) sums_->ensure_slots(n);
  }

  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    return loss_.sum(margins, rows);
  }

  bool counts_mistakes() const override { return classifies_; }

  void archive(Archive& a) override {
    if (batch_ != 1) a(sum_);
    if (sums_) a(batch_entries_);
    SlopeSolver::archive(a);
    a.require(state_.weights.numbers() == Derived::kNumbers);
  }

  // Derived may override these.
  static constexpr bool kCountsFreely = false;
  static constexpr bool kStaysWithin = false;  // a step never ends above the budget
  bool counts_freely() const override { return Derived::kCountsFreely; }
  static constexpr std::size_t kNumbers = 1;  // per feature, in state_.weights: 1, 2 or 4
  void touch(const Row&) {}
  double dot_of(const Row& row) {
    self().touch(row);
    if (compensated_) return dot(state_.weights, row, true);
    return plain_dot(WeightView<Derived::kNumbers>{state_.weights.at(0)}, row);
  }

  // Adds the weights after a step to the average. Here only those of the gradient have changed.
  void average_step(const Gradient& gradient) {
    for_each_changed(gradient, [&](std::uint32_t slot) {
      average_->stay_at(slot, std::as_const(state_.weights)[slot]);
    });
    average_->step(state_.intercept);
  }

 protected:
  // Calls work(slot) for the slots of a step's gradient; in the first step, or if `all`, for all.
  template <class Work>
  void for_each_changed(const Gradient& gradient, const Work& work, bool all = false) {
    if (all || average_->steps() == 0) {
      for (std::uint32_t slot = 0; slot < state_.weights.size(); ++slot) work(slot);
    } else {
      for (std::size_t i = 0; i < gradient.size; ++i) work(gradient.slots[i]);
    }
  }

  double l1_norm() const {
    if (!sums_) return thresh::l1_norm(state_.weights);
    return sums_->sum([&](const auto& add) {
      state_.for_each_weight(
          [&](std::uint32_t slot, double weight) { add(slot, std::fabs(weight)); });
    });
  }

  void set_weight(std::uint32_t slot, double weight) { state_.set(slot, weight); }

  // Loops over a row's features that compute for long should do so in stretches of this length:
  // copy the numbers of a stretch, compute with SIMD, copy them back.
  static constexpr std::size_t kStretch = 64;
  // Prefetches the numbers of n features of the next row. To be called once per stretch.
  void fetch_ahead(std::size_t n) { ahead_.fetch(state_.weights, n); }

  LossFunction loss_;
  StepSize step_size_;

  bool compensated() const { return compensated_; }
  // Whether an earlier row of the batch had the slot: then it was touched since the last step.
  bool is_fresh(std::uint32_t slot) const { return batch_ != 1 && sum_.has(slot); }
  // Otherwise entries of an incomplete batch have been visited without a step.
  bool steps_every_row() const { return batch_ == 1; }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  bool is_shared() const { return sums_ && sums_->shared(); }

  // Whether there are so many non-zeros.
  bool reaches(std::uint64_t nonzeros) {
    if (nonzeros == kUnlimited) return false;
    return (is_shared() ? all_nonzeros() : state_.nonzeros) >= nonzeros;
  }
  // Before the step, on all ranks. Each step follows an exchange.
  std::uint64_t support_before() const {
    return state_.nonzeros + (is_shared() ? sums_->others().nonzeros : 0);
  }
  // The most that the step can add to it.
  std::uint64_t entries_of(const Gradient& gradient) const {
    if (!is_shared()) return gradient.size;
    return batch_ == 1 ? sums_->entries(next_sum_ - 1) : batch_entries_;
  }

  // Sums the products of the next rows that see the same weights: those left of a batch, as far as
  // they are known. Returns their number.
  std::size_t sum_margins(std::span<const Row> rows) {
    const std::uint64_t left = batch_ == 0 ? rows.size() : batch_ - sum_.rows();
    const std::size_t size = std::min<std::uint64_t>(rows.size(), left);
    sums_->clear();
    for (const Row& row : rows.first(size)) {
      self().dot_of(row);  // brings the row's weights up to date
      sums_->add(WeightView<Derived::kNumbers>{state_.weights.at(0)}, row);
    }
    sums_->total({state_.nonzeros, state_.accesses});
    next_sum_ = 0;
    return size;
  }
  // Of a row that is next in the sums, if there are any.
  double known_margin(const Row& row) {
    return (sums_ ? (*sums_)[next_sum_++] : self().dot_of(row)) + state_.intercept;
  }

  void visit_row(const Row& row) {
    const double margin = known_margin(row);
    const double slope = loss_.slope(margin, row.label);
    if (!(std::fabs(margin) <= largest_margin_) || !std::isfinite(slope)) {
      diverge(row);
      return;
    }
    if (classifies_) state_.mistakes += (margin > 0) != (row.label > 0);
    GradientSolver::learn(row, slope);
  }

  void finish_batch() {
    take_step(sum_.mean());
    sum_.clear();
  }

  void take_step(Gradient gradient) {
    ++state_.t;
    if (gradient.scale == 0) gradient.size = 0;
    const double eta = step_size_.at(state_.t);
    const bool counts = Derived::kCountsFreely && !Derived::kStaysWithin && budget_ != kUnlimited;
    const std::uint64_t support = counts ? support_before() : 0;
    if (counts && support <= budget_ && support + entries_of(gradient) > budget_) {
      step_near_budget(gradient, eta);
    } else {
      self().step(gradient, eta);
    }
    if (learns_intercept_) state_.intercept -= eta * gradient.intercept;
    // Of a batch, this rank may have no entries.
    const bool has_entries = std::exchange(batch_entries_, 0) > 0 || gradient.size > 0;
    state_.updates += has_entries || gradient.intercept != 0;
    if (average_ && !ended_) self().average_step(gradient);
  }

  // Saves the state before a step that exceeds the budget: the last one within it.
  void step_near_budget(const Gradient& gradient, double eta) {
    before_.resize(gradient.size);
    for (std::size_t i = 0; i < gradient.size; ++i) {
      before_[i] = state_.weights[gradient.slots[i]];
    }
    self().step(gradient, eta);
    if (all_nonzeros() <= budget_) return;
    const auto swap = [&] {
      for (std::size_t i = 0; i < gradient.size; ++i) {
        std::swap(before_[i], state_.weights[gradient.slots[i]]);
      }
    };
    swap();
    save();
    swap();
  }

  bool learns_intercept_;
  bool classifies_;
  bool compensated_;
  std::uint64_t batch_;  // 0: all rows of a pass
  std::uint64_t budget_;
  double largest_margin_;
  std::unique_ptr<SliceSums> sums_;  // of the margins, with --slices; else null
  std::size_t next_sum_ = 0;
  std::uint64_t batch_entries_ = 0;
  BatchSum sum_;
  Ahead ahead_;
  std::vector<double> before_;  // weights before a step near the budget; a member to reuse memory
};

}  // namespace thresh
