// A learner of the solver `budget`: of the one problem, or of one class against the rest. It learns
// by FTRL while features are many, gathers a quadratic model once they are few, and refits what was
// recorded; which features are left is up to the selection, which it may share with others.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "loss/loss.hpp"
#include "solvers/budget/choose.hpp"
#include "solvers/budget/long_rows.hpp"
#include "solvers/budget/refit.hpp"
#include "solvers/budget/required_features.hpp"
#include "solvers/budget/selection.hpp"
#include "solvers/budget/threshold_path.hpp"

namespace thresh {

class BudgetLearner : public SlopeSolver {
 public:
  BudgetLearner(const SolverSetup& setup, std::shared_ptr<Selection> selection);
  BudgetLearner(const BudgetLearner&) = delete;  // the selection knows where it is
  BudgetLearner& operator=(const BudgetLearner&) = delete;

  void begin() override;
  void ensure_slots(std::size_t n) override;
  std::size_t visit(std::span<const Row> rows, const Until& until) override;
  double margin(const Row& row) override;
  void learn(const Row& row, double slope) override;
  double loss(std::span<const double> margins, std::span<const Row> rows) const override;
  bool counts_mistakes() const override { return classifies_; }

  // The selection keeps to the budget by itself: nothing need be remembered on the way.
  bool counts_freely() const override { return true; }
  void keep_within(std::uint64_t /*budget*/) override {}
  void go_back_within(std::uint64_t budget) override { selection_->go_back_within(budget); }

  // The models recorded on the way, the largest first, and then the last one; of each size those of
  // the other betas before the one that was asked for.
  std::size_t results() const override;
  void show(std::size_t result) override;
  void note_options(Options& options) const override;
  std::vector<std::string> warnings() const override;

  // What the selection asks for, between two rows.
  const RequiredFeatures& required() const { return required_; }
  const ThresholdPath& path() const { return path_; }
  bool is_thresholded() const { return mode_ == Mode::threshold; }
  void cut_at(double lambda) { path_.cut_at(lambda, state_); }
  void begin_curvature();  // gathers the quadratic model anew, at the weights as they are
  Choice choice() const;   // in the model gathered
  void take(const SparseWeights& chosen);  // and weighted there
  void begin_refit();    // of the weights as they are, which are a model to record
  void age_refits();     // a stage is over
  void end_selection();  // the refit that began last is what is left to do

 protected:
  void do_settle() override;

 private:
  enum class Mode { threshold, curvature, refit, shown };
  struct AgingRefit {
    Refit refit;
    std::uint64_t age = 0;  // in stages
  };

  void visit_row(const Row& row);
  void step(Refit& refit, const Row& row, std::optional<double> known = std::nullopt);
  void learn_beside(const Row& row);
  double bend(double slope) const;
  double dot_of_all(const Row& row) const;
  std::vector<std::uint32_t> support() const;
  std::size_t refits_beside() const { return refits_.size() - (mode_ == Mode::refit ? 1 : 0); }
  std::size_t asked() const { return betas_.size() - 1; }  // the place of the beta asked for

  LossFunction loss_;
  bool classifies_;
  bool learns_intercept_;
  Units units_;                // the length of a typical row, the size of a target
  std::vector<double> betas_;  // of the refits, the one that was asked for last
  double largest_margin_;
  const FeatureMap* features_;
  bool compensated_;
  bool few_rows_;  // which come again and again
  std::shared_ptr<Selection> selection_;
  Mode mode_ = Mode::threshold;
  double margin_ = 0;     // of the row last asked for
  double weight_ = 0;     // of the row last learned from
  bool arrived_ = false;  // at the end of a stage, with the row last learned from

  RequiredFeatures required_;
  LongRows long_rows_;
  ThresholdPath path_;
  std::unique_ptr<Curvature> curvature_;
  std::deque<AgingRefit> refits_;  // the oldest first
  std::vector<double> slopes_;     // of a row, by beta
  std::vector<SparseWeights> finished_;
  std::size_t shown_ = 0;  // of the finished ones
};

}  // namespace thresh
