// budget: a model of at most K features, without a step size or a penalty to choose; or, in one run
// that records models on its way down, the best ones of several sizes.
//
// Minimises mean L(a, y) subject to at most K non-zeros. The run is cut into stages of the same
// number of rows (plan.hpp), after each of which fewer features are left:
//
// 1. While there are many, all learn by FTRL-Proximal, whose threshold lambda is read off, at the
// end
//    of each stage, so that it leaves as many features as the stage allows (threshold_path.hpp).
//    Dropped ones may come back.
// 2. Once 512 are left, a stage gathers a quadratic model of the loss over them, and the features
//    are chosen in that by pivots: the least useful are dropped, then single ones swapped as long
//    as that helps (curvature.hpp). This is a Newton step with selection in it.
// 3. At a budget that was asked for, the features found are refitted without penalty for five
//    stages (refit.hpp), beside the selection if that goes on. How large a step features take that
//    have been seen little is decided by beta; learn_frontiers() tries 0.1 and 1 on held-out rows.
//
// Rows are measured in units of a typical row's length, targets of regression in those of a typical
// target, so the scale of the data does not matter.
//
// Cost: O(non-zeros of the row) per step while features are many, O(m^2) for m non-zeros among 512
// candidates; once a stage O(features seen). Memory: three doubles a feature, fewer once candidates
// are chosen; six numbers for each feature of a model that is being refitted.

#include <algorithm>
#include <deque>
#include <memory>

#include "loss/loss.hpp"
#include "solvers/budget/curvature.hpp"
#include "solvers/budget/plan.hpp"
#include "solvers/budget/refit.hpp"
#include "solvers/budget/sparse_weights.hpp"
#include "solvers/budget/threshold_path.hpp"
#include "solvers/catalog.hpp"
#include "sparse/kernels.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

std::vector<std::uint64_t> budgets_of(const SolverSetup& setup) {
  std::vector<std::uint64_t> budgets = setup.options.budgets;
  budgets.push_back(setup.max_nonzeros);
  std::sort(budgets.begin(), budgets.end(), std::greater<>());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

class Budget : public SlopeSolver {
 public:
  explicit Budget(const SolverSetup& setup)
      : loss_(setup.loss()),
        classifies_(setup.options.task == Task::classification),
        learns_intercept_(setup.options.intercept),
        budgets_(budgets_of(setup)),
        steps_(setup.options.steps.value_or(setup.options.passes * setup.rows)),
        rows_(setup.rows),
        stages_(stages_for(budgets_)),
        units_{setup.row_length > 0 ? 1 / setup.row_length : 1,
               setup.target_size > 0 ? setup.target_size : 1},
        beta_(setup.number("beta")),
        path_(units_, learns_intercept_, setup.kept) {
    if (!(beta_ > 0)) throw UsageError("--beta must be above 0");
    if (steps_ == 0) {
      throw UsageError("budget must know the number of rows: give --steps, or rows from a file");
    }
    if (setup.kept.size() > budgets_.back()) {
      throw UsageError("--keep names more features than the budget has");
    }
  }

  void begin() override {
    // No row may have a feature that must stay.
    if (!path_.kept().empty()) ensure_slots(std::size_t{path_.kept().back()} + 1);
    path_.begin(state_);
  }

  void ensure_slots(std::size_t n) override {
    state_.weights.ensure(n);
    if (mode_ == Mode::threshold) path_.ensure_slots(n);
  }

  std::size_t visit(std::span<const Row> rows, const Until& until) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + 2 < rows.size()) prefetch(rows[i + 2]);
      visit_row(rows[i]);
      if (ended_ || state_.t >= until.steps || state_.nonzeros >= until.nonzeros) return i + 1;
    }
    return rows.size();
  }

  double margin(const Row& row) override {
    margin_ = mode_ == Mode::refit ? refits_.back().margin(row)
                                   : dot(state_.weights.data(), row) + state_.intercept;
    return margin_;
  }

  void learn(const Row& row, double slope) override {
    ++state_.t;
    ++state_.examples;
    state_.updates += slope != 0;
    state_.accesses += slope != 0 ? 2 * row.size : row.size;
    const double weighted = slope * row.weight;
    switch (mode_) {
      case Mode::threshold:
        if (slope != 0) path_.follow(row, weighted, state_);
        break;
      case Mode::curvature:
        curvature_->add(row, margin_, weighted, row.weight * bend(slope));
        break;
      case Mode::refit:
        refits_.back().learn(weighted);
        break;
      case Mode::shown:
        break;
    }
    learn_beside(row);
    while (stage_ < stages_ && state_.t >= stage_end()) end_stage();
  }

  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    return loss_.sum(margins, rows);
  }
  bool counts_mistakes() const override { return classifies_; }
  // The solver keeps to K by itself.
  bool counts_freely() const override { return true; }

  // A run that was interrupted early has more features than it may: the best K of them then.
  void go_back_within(std::uint64_t budget) override {
    if (state_.nonzeros <= budget) return;
    if (mode_ == Mode::threshold) {
      path_.narrow_to(budget, state_);
    } else {
      keep_largest(budget, path_.kept(), state_);
    }
  }

  std::size_t results() const override { return finished_.size() + (mode_ == Mode::shown ? 0 : 1); }

  // The models recorded on the way, the largest first, and then the last one.
  void show(std::size_t result) override {
    if (mode_ != Mode::shown) {
      settle();
      finished_.push_back(weights_of(state_));
      mode_ = Mode::shown;
    }
    set_weights(state_, finished_[result]);
  }

 protected:
  void do_settle() override {
    if (mode_ != Mode::refit) return;
    const SparseWeights now = refits_.back().weights();  // of the features that are there already
    for (std::size_t i = 0; i < now.slots.size(); ++i) state_.set(now.slots[i], now.weights[i]);
    state_.intercept = now.intercept;
  }

 private:
  enum class Mode { threshold, curvature, refit, shown };

  void visit_row(const Row& row) {
    const double margin = Budget::margin(row);
    const double slope = loss_.slope(margin, row.label);
    if (!std::isfinite(margin) || !std::isfinite(slope)) {
      ended_ = margin_diverged(row);
      return;
    }
    if (classifies_) state_.mistakes += (margin > 0) != (row.label > 0);
    Budget::learn(row, slope);
  }

  // The curvature of the loss, but never less than a small share of the largest: rows far on the
  // right side would count for nothing until the features that put them there are gone.
  double bend(double slope) const {
    constexpr double kLeastShare = 0.04;
    return std::max(loss_.curvature(slope), kLeastShare * *loss_.curvature());
  }

  // The models of larger budgets, which are refitted meanwhile.
  void learn_beside(const Row& row) {
    const std::size_t beside = refits_.size() - (mode_ == Mode::refit ? 1 : 0);
    for (std::size_t i = 0; i < beside; ++i) {
      Refit& refit = refits_[i];
      const double slope = loss_.slope(refit.margin(row), row.label);
      if (!std::isfinite(slope)) {
        ended_ = margin_diverged(row);
        return;
      }
      refit.learn(slope * row.weight);
    }
  }

  // The step after which the current stage is over.
  std::uint64_t stage_end() const { return ((stage_ + 1) * steps_ + stages_ - 1) / stages_; }

  void end_stage() {
    ++stage_;
    if (stage_ == 1) {
      plan_ = plan_stages(state_.nonzeros, budgets_, loss_.curvature().has_value());
    }
    for (std::uint64_t& age : ages_) ++age;
    while (refits_.size() > (mode_ == Mode::refit ? 1 : 0) && ages_.front() == kRefitStages) {
      finished_.push_back(refits_.front().weights());
      refits_.pop_front();
      ages_.pop_front();
    }
    for (std::size_t i = 0; i < refits_.size(); ++i) {
      if (ages_[i] == kRefitStages - 1) refits_[i].begin_mean();
    }
    if (stage_ <= plan_.size()) select(plan_[stage_ - 1]);
  }

  void select(const Stage& stage) {
    if (stage.curved) {
      choose(stage.features);
    } else {
      path_.narrow_to(stage.features, state_);
    }
    if (stage.records) {
      refits_.emplace_back(weights_of(state_), units_, beta_, learns_intercept_);
      ages_.push_back(0);
    }
    if (stage_ == plan_.size()) {
      mode_ = Mode::refit;
      curvature_.reset();
      path_.forget_sums();
    } else if (plan_[stage_].curved) {
      gather();
    }
  }

  // The next stage gathers the quadratic model at the weights as they are.
  void gather() {
    if (mode_ == Mode::threshold) {
      SparseWeights now = weights_of(state_);
      for (const std::uint32_t slot : path_.kept()) {
        const auto at = std::lower_bound(now.slots.begin(), now.slots.end(), slot);
        if (at == now.slots.end() || *at != slot) now.slots.insert(at, slot);
      }
      curvature_ =
          std::make_unique<Curvature>(std::move(now.slots), units_.value, learns_intercept_);
      mode_ = Mode::curvature;
      path_.forget_sums();
    }
    curvature_->clear();
    gathered_from_ = state_.t;
  }

  void choose(std::uint64_t k) {
    if (state_.t == gathered_from_)
      return keep_largest(k, path_.kept(), state_);  // a stage without a row
    const std::vector<std::uint32_t>& slots = curvature_->candidates();
    std::vector<char> current(slots.size());
    std::vector<char> kept(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      current[i] = std::as_const(state_.weights)[slots[i]] != 0 ? 1 : 0;
      kept[i] = path_.is_kept(slots[i]) ? 1 : 0;
    }
    // Rows that were shown several times count once.
    const auto shown = static_cast<double>(state_.t - gathered_from_);
    const double scale = rows_ > 0 ? std::min(1.0, static_cast<double>(rows_) / shown) : 1;
    set_weights(state_, curvature_->choose(k, current, kept, scale));
  }

  LossFunction loss_;
  bool classifies_;
  bool learns_intercept_;
  std::vector<std::uint64_t> budgets_;  // descending
  std::uint64_t steps_;                 // of the whole run
  std::uint64_t rows_;
  std::uint64_t stages_;
  Units units_;  // the length of a typical row, the size of a target
  double beta_;  // of the refits
  Mode mode_ = Mode::threshold;
  std::uint64_t stage_ = 0;  // that are over
  std::vector<Stage> plan_;
  double margin_ = 0;  // of the row last asked for

  ThresholdPath path_;
  std::unique_ptr<Curvature> curvature_;
  std::uint64_t gathered_from_ = 0;
  std::deque<Refit> refits_;
  std::deque<std::uint64_t> ages_;  // of the refits, in stages
  std::vector<SparseWeights> finished_;
};

}  // namespace

CatalogEntry budget() {
  CatalogEntry entry;
  entry.info.name = "budget";
  entry.info.paper = "thresh; the learner is McMahan et al. 2013, Algorithm 1";
  entry.info.objective = "mean L(a, y) with at most K non-zeros";
  entry.info.update =
      "w_j = -S(z_j, lambda) / (1 + sqrt(n_j)), lambda read off the |z_j|; from 512 features on "
      "Newton steps that select; then a refit";
  entry.info.cost =
      "O(non-zeros of the row), squared among 512; 15 times in a run O(features seen)";
  entry.info.needs = "rows, one at a time; their number";
  entry.info.unused = {"eta", "lambda", "schedule"};
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.softmax = true;
  entry.info.budget = BudgetUse::required;
  entry.info.passes = kStages;
  entry.info.least_pass = kLeastStage;
  entry.info.measures_rows = true;
  entry.info.frontier = true;
  entry.info.steps = "its own: --eta, --lambda and --schedule are not used";
  entry.info.example = "thresh train DATA --features 500";
  entry.info.options = {{OptionInfo::Kind::number,
                         "beta",
                         "0.3",
                         "Of the refit: smaller, and rare features take larger steps",
                         {}}};
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    return std::make_unique<Budget>(setup);
  };
  return entry;
}

}  // namespace thresh
