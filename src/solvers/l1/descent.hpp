// Minimises an L1Objective and certifies the result.
//
// A round reads all columns once. It computes the gradient and the duality gap, drops for good the
// features that a safe rule shows to be zero at the optimum (Ndiaye et al. 2017), and picks a
// working set: the non-zero weights and the zero weights with the strongest pull. Newton steps on
// the set follow until its own gap has fallen to a third. A start from zero lowers lambda in stages
// of one step each, so that working sets grow from few features instead of shrinking from all.
#pragma once

#include <optional>
#include <vector>

#include "solvers/l1/newton_model.hpp"
#include "solvers/l1/objective.hpp"
#include "sparse/archive.hpp"

namespace thresh {

// The minimum lies between `objective - gap` and `objective`.
struct Certificate {
  double lambda = 0;
  double objective = 0;
  double gap = 0;
  double relative() const { return objective > 0 ? gap / objective : 0; }

  void archive(Archive& a) { a(lambda, objective, gap); }
};

class L1Descent {
 public:
  // Starts from these weights, by column, with the intercept last.
  L1Descent(const L1Objective& objective, std::vector<double> weights,
            const std::atomic<bool>* stop = nullptr);

  // The smallest lambda at which all weights are zero.
  double largest_lambda();

  // Sets a new target lambda and starts from the current weights.
  void aim(double lambda);
  // One round. False once the relative gap is `enough` or rounding prevents further progress. Ends
  // early once `stop` is true, with a point that is not worse than before.
  bool round(double enough);

  const std::vector<double>& weights() const { return weights_; }
  // For the weights before the last round's steps; exact once round() has returned false.
  const Certificate& certificate() const { return certificate_; }
  // The same of the true loss, if the objective has a softened one.
  const Certificate& proof() const { return proof_; }
  // The loss of the objective has been softened or sharpened: the next rounds look at all again.
  void change_of_loss();
  std::uint64_t accesses() const { return accesses_; }

  void archive(Archive& a) {
    a.in_place(weights_, point_.margins, point_.slopes, point_.curvatures, gradient_);
    a(point_.loss, seen_slopes_);
    a.below(objective_.features(), live_);
    a.below(objective_.columns(), set_);
    a(set_weights_, set_gradient_);
    a.require(set_weights_.size() == set_.size() && set_gradient_.size() == set_.size());
    a(set_entries_, largest_, aim_, lambda_, trust_, flat_, thorough_, stage_rounds_, idle_rounds_,
      least_gap_);
    a(certificate_, proof_, accesses_);
  }

 private:
  bool no_features() const;
  void keep_all();
  void look_at_all();
  double certify();
  void screen(double scale, double enough);
  void choose_set();
  bool descend(double enough);
  bool refine();
  bool newton_step();
  void choose_movers();
  std::vector<double> margins_of_move();
  bool line_search();
  void look_at_set();
  double violation_of_set() const;
  double set_gap() const;
  double objective_of_set() const;

  static constexpr double kFlat = 3e-3;  // omits far less than 1% of the sum of curvatures

  const L1Objective& objective_;
  const std::atomic<bool>* stop_;
  std::vector<double> weights_;
  L1Objective::Point point_;
  std::vector<double> gradient_;     // by column, of loss and l2
  std::vector<double> seen_slopes_;  // the slopes at zero weights, if gradient_ belongs to them
  std::vector<std::uint32_t> live_;  // features not yet known to be zero
  std::vector<std::uint32_t> set_;   // columns
  std::vector<double> set_weights_, set_gradient_;
  std::size_t set_entries_ = 0;
  std::vector<std::uint32_t> movers_, places_;  // columns of the next step; their index in set_
  std::vector<double> mover_weights_, mover_gradients_;
  NewtonModel model_;
  std::optional<double> largest_;
  double aim_ = 0;     // the final lambda
  double lambda_ = 0;  // lambda of the current stage
  double trust_;
  double flat_ = kFlat;    // share of the largest curvature below which a model omits a row
  bool thorough_ = false;  // models are minimised exactly
  int stage_rounds_ = 0;
  int idle_rounds_ = 0;
  double least_gap_ = 0;
  Certificate certificate_, proof_;
  std::uint64_t accesses_ = 0;
};

}  // namespace thresh
