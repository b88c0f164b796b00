// A gradient solver that shrinks all weights equally at times. The shrinkage is deferred until a
// weight's feature occurs in a row. Settling applies it on trial and training then restores the
// weights: shrinking in two parts rounds differently, and a support check must not change what is
// learned. Only weights that shrink to zero are set for good: they are zero now or later.
//
// Cost of a support check: O(weights left at the previous one + entries of the rows since).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/online/gradient_solver.hpp"
#include "sparse/shrinkage.hpp"
#include "sparse/slot_list.hpp"
#include "sparse/two.hpp"

namespace thresh {

template <class Derived>
class ShrinkingSolver : public GradientSolver<Derived> {
 public:
  ShrinkingSolver(const SolverSetup& setup, std::uint64_t batch, Shrinkage shrinkage)
      : GradientSolver<Derived>(setup, batch),
        lambda_(setup.options.lambda),
        shrinkage_(std::move(shrinkage)) {}

  void ensure_slots(std::size_t n) override {
    GradientSolver<Derived>::ensure_slots(n);
    weighted_.ensure_slots(n);
  }

  static constexpr std::size_t kNumbers = 2;  // the weight, and the shrinkage applied to it so far

  // Settles a row's weights and adds up their products with its values.
  double dot_of(const Row& row) {
    double sum = 0;
    for (std::size_t i = 0; i < row.size; i += kStretch) {
      const std::size_t n = std::min(kStretch, row.size - i);
      this->fetch_ahead(n);
      sum = shrinkage_.settle(row.slots + i, row.values + i, n, this->state_.weights.at(0), sum,
                              this->state_.nonzeros);
    }
    return this->compensated() ? dot(this->state_.weights, row, true) : sum;
  }

  std::size_t visit(std::span<const Row> rows, const Until& until) override {
    take_back();
    return GradientSolver<Derived>::visit(rows, until);
  }

  double margin(const Row& row) override {
    take_back();
    return GradientSolver<Derived>::margin(row);
  }

  void end_pass() override {
    take_back();
    GradientSolver<Derived>::end_pass();
  }

  // Weights are here as they were before this step's shrinkage.
  void average_step(const Gradient& gradient) {
    this->for_each_changed(gradient, [&](std::uint32_t slot) {
      const double weight = std::as_const(this->state_.weights)[slot];
      if (shrinkage_.shrinks(weight)) {
        this->average_->fall_from(slot, Shrinkage::raw(weight, paid(slot)));
      } else {
        this->average_->stay_at(slot, weight);
      }
    });
    const double total = shrinkage_.total();
    this->average_->step(this->state_.intercept, 1, total, total);
  }

  double penalty() const override { return lambda_ * this->l1_norm(); }

  std::optional<std::uint64_t> settled_nonzeros() override {
    if (!on_trial_.empty()) return this->state_.nonzeros;
    if (!lists_) begin_list();
    drop_the_dead();
    return weighted_.slots().size();
  }
  bool grows_by_entries() const override { return this->steps_every_row(); }

  void archive(Archive& a) override {
    a(shrinkage_);
    GradientSolver<Derived>::archive(a);
    if (!a.by_feature()) a(lists_, weighted_);  // else the list is made again
    a.by_slot(on_trial_, this->state_.weights.size());
    if (a.reads() && a.by_feature()) ensure_slots(a.slot_end());
  }

 protected:
  // w <- w - eta g, for weights that are up to date. Pairs are written as wholes: a processor that
  // loads a pair waits for a store of its half.
  void descend(const Gradient& gradient, double eta) {
    double* const numbers = this->state_.weights.at(0);
    TwoMasks fewer{};
    for (std::size_t i = 0; i < gradient.size; ++i) {
      double* const pair = numbers + gradient.slots[i] * kNumbers;
      const Two before = load_two(pair);
      const Two moved = before - Two{eta * gradient.at(i), 0};
      fewer += (moved != Two{}) - (before != Two{});
      store_two(pair, moved);
    }
    this->state_.nonzeros -= static_cast<std::uint64_t>(fewer[0]);
    for (std::size_t i = 0; lists_ && i < gradient.size; ++i) weighted_.add(gradient.slots[i]);
  }
  // |w_j| <- max(0, |w_j| - amount) for all j.
  void shrink(double amount) { shrinkage_.add(amount); }

  double lambda_;

 private:
  using GradientSolver<Derived>::kStretch;

  double paid(std::size_t slot) const { return this->state_.weights.at(slot)[1]; }

  void do_settle() override {
    take_back();
    if (lists_) {
      drop_the_dead();
      for (const std::uint32_t slot : weighted_.slots()) pay_on_trial(slot);
    } else {
      for (std::size_t slot = 0; slot < this->state_.weights.size(); ++slot) pay_on_trial(slot);
    }
  }

  void pay_on_trial(std::size_t slot) {
    const double before = std::as_const(this->state_.weights)[slot];
    if (before == 0) return;
    const double after = shrinkage_.settled(before, paid(slot));
    if (after == before) return;
    on_trial_.emplace_back(static_cast<std::uint32_t>(slot), before);
    this->set_weight(static_cast<std::uint32_t>(slot), after);
  }

  void take_back() {
    for (const auto& [slot, weight] : on_trial_) this->set_weight(slot, weight);
    on_trial_.clear();
  }

  // From the first support check on, lists the weighted slots to make the next ones cheap.
  void begin_list() {
    lists_ = true;
    this->state_.for_each_weight([&](std::uint32_t slot, double) { weighted_.add(slot); });
  }

  void drop_the_dead() {
    weighted_.drop_if([&](std::uint32_t slot) {
      if (!shrinkage_.is_gone(std::as_const(this->state_.weights)[slot], paid(slot))) return false;
      this->set_weight(slot, 0);
      return true;
    });
  }

  const std::vector<std::uint32_t>* weighted_slots() const override {
    return lists_ ? &weighted_.slots() : nullptr;
  }

  Shrinkage shrinkage_;
  bool lists_ = false;
  SlotList weighted_;  // all slots that may have a weight, if lists_
  std::vector<std::pair<std::uint32_t, double>> on_trial_;  // the weights before settling
};

}  // namespace thresh
