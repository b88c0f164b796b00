// A learner of the solver `budget`, for a whole problem or one class against the rest. It learns by
// FTRL while there are many features, then builds a quadratic model, and refits recorded models.
// The selection, which learners may share, decides which features remain.
//
// With --slices, margins are summed by slices while there are many features. Where the quadratic
// model or the refit begins, the features that are left get places, see common_features.hpp; what
// is by slot otherwise is then by place.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cluster/slice_sums.hpp"
#include "loss/loss.hpp"
#include "solvers/budget/choose.hpp"
#include "solvers/budget/common_features.hpp"
#include "solvers/budget/long_rows.hpp"
#include "solvers/budget/narrowed_rows.hpp"
#include "solvers/budget/refit.hpp"
#include "solvers/budget/required_features.hpp"
#include "solvers/budget/selection.hpp"
#include "solvers/budget/threshold_path.hpp"

namespace thresh {

class BudgetLearner : public SlopeSolver {
 public:
  BudgetLearner(const SolverSetup& setup, std::shared_ptr<Selection> selection);
  BudgetLearner(const BudgetLearner&) = delete;  // the selection holds its address
  BudgetLearner& operator=(const BudgetLearner&) = delete;

  void begin() override;
  void ensure_slots(std::size_t n) override;
  std::size_t visit(std::span<const Row> rows, const Until& until) override;
  double margin(const Row& row) override;
  void learn(const Row& row, double slope) override;
  double loss(std::span<const double> margins, std::span<const Row> rows) const override;
  bool counts_mistakes() const override { return classifies_; }
  SliceSums* slice_sums() override { return sums_.get(); }

  // The selection enforces the budget, so no state has to be saved on the way.
  bool counts_freely() const override { return true; }
  void save_within(std::uint64_t /*budget*/) override {}
  void go_back_within(std::uint64_t budget) override { selection_->go_back_within(budget); }

  // The recorded models, the largest first, then the final one. For each size, the models of the
  // other betas come before that of the requested beta.
  std::size_t results() const override;
  void show(std::size_t result) override;
  void note_options(Options& options) const override;
  void archive(Archive& a) override;
  std::string needs_in_advance() const override { return "the number of rows, to plan its stages"; }
  std::vector<std::string> warnings() const override;

  // See Selection. Weights that are left say only which features are.
  void only_select() { selection_->only_select(); }

  // Called by the selection, between two rows.
  const RequiredFeatures& required() const { return required_; }
  std::vector<double> scores() const { return path_.scores(state_); }
  // With --slices, of all ranks: the score that so many features exceed.
  double cut_for_all(std::uint64_t features) const {
    return cut_anywhere(*features_, features, scores());
  }
  bool is_sliced() const { return sums_ != nullptr; }
  // The weights that learn, by place once there are places.
  LinearState& working() { return common_ ? common_->state() : state_; }
  const LinearState& working() const { return common_ ? common_->state() : state_; }
  void publish() {
    if (common_) common_->publish(state_);
  }
  bool is_thresholded() const { return mode_ == Mode::threshold; }
  void cut_at(double lambda) { path_.cut_at(lambda, state_); }
  // With groups: whole ones with the best scores, or the largest weights, of at most this many
  // features, required ones included.
  void allow_groups(std::uint64_t features);
  void keep_largest_groups(std::uint64_t features);
  bool has_groups() const { return groups_ != nullptr; }
  void begin_curvature();                  // restarts the quadratic model at the current weights
  Choice choice() const;                   // in the current model
  void take(const SparseWeights& chosen);  // sets the selected weights
  void begin_refit();                      // refits the current weights, a model to record
  void age_refits();                       // at the end of a stage
  void end_selection();                    // only the newest refit remains to be done

 protected:
  void do_settle() override;

 private:
  enum class Mode { threshold, curvature, refit, shown };
  struct AgingRefit {
    Refit refit;
    std::uint64_t age = 0;  // in stages
  };

  void give_places();
  void weigh(std::span<const Row> rows);
  double sliced_dot(const Row& row);
  void archive_common(Archive& a);
  void archive_curvature(Archive& a);
  void archive_refits(Archive& a);
  // `near` are the rows as candidates and refits look at them.
  std::span<const Row> narrowed(std::span<const Row> rows);
  std::size_t visit_all(std::span<const Row> rows, std::span<const Row> near);
  void visit_row(const Row& row, const Row& near);
  void learn_weighted(const Row& row, double slope);
  static void share_out_work(std::span<const Row> rows, std::size_t shares,
                             const std::function<void(std::size_t)>& work);
  std::size_t learn_beside(Refit& refit, std::span<const Row> rows) const;
  bool step(Refit& refit, const Row& row, double weight,
            std::optional<double> known = std::nullopt) const;
  double slope_at(double margin, double label) const {
    return loss_.slope(std::min(margin, ceiling_), label);
  }
  double bend(double slope, double label) const;
  double dot_of_all(const Row& row) const;
  std::vector<std::uint32_t> support() const;
  std::vector<double> signs_at(const std::vector<std::uint32_t>& slots) const;
  std::size_t refits_beside() const { return refits_.size() - (mode_ == Mode::refit ? 1 : 0); }
  std::size_t asked() const { return betas_.size() - 1; }  // index of the requested beta

  LossFunction loss_;
  bool classifies_;
  bool learns_intercept_;
  Units units_;                // the length of a typical row, the size of a target
  double ceiling_;             // of margins, where slopes are taken
  double least_residual_;      // that curvatures are taken of
  std::vector<double> betas_;  // of the refits; the requested one is last
  double largest_margin_;
  const FeatureMap* features_;
  std::unique_ptr<SliceSums> sums_;         // with --slices; else null
  std::unique_ptr<CommonFeatures> common_;  // with --slices, after the thresholds; else null
  bool compensated_;
  bool few_rows_;      // which are shown repeatedly
  double first_rate_;  // of counts: their mean
  std::shared_ptr<Selection> selection_;
  Mode mode_ = Mode::threshold;
  double margin_ = 0;                // of the last margin() call
  double weight_ = 0;                // of the row of the last learn() call
  std::vector<double> row_weights_;  // of the rows shown together

  Signs signs_;
  std::shared_ptr<const FeatureGroups> groups_;  // null: each feature for itself
  RequiredFeatures required_;
  LongRows long_rows_;
  ThresholdPath path_;
  std::unique_ptr<Curvature> curvature_;
  NarrowedRows narrowed_;
  bool is_narrow_ = false;         // whether narrowed_ is for the current candidates and refits
  std::deque<AgingRefit> refits_;  // oldest first
  std::vector<SparseWeights> finished_;
  std::size_t shown_ = 0;  // index in finished_
};

}  // namespace thresh
