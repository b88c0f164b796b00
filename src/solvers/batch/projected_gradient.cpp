// projected-gradient: Duchi, Shalev-Shwartz, Singer & Chandra, "Efficient Projections onto the
// l1-Ball for Learning in High Dimensions", section 7.
//
// Minimises mean L(a, y) subject to |w|_1 <= z. With g the gradient over all rows:
//
//     w <- Proj(w - eta_t g)
//
// With --line-search, eta is halved until the step decreases the loss enough (Armijo's condition on
// the projected step). The next step starts from twice that eta.
//
// With --ball-weights the ball is sum a_j |w_j| <= z, and weights with a_j = 0 are free.
//
// Departures: the intercept takes the same step outside the ball.
//
// Cost: O(all non-zeros) per step and per try of a line search, on all cores. All rows and columns
// are in memory.

#include "solvers/ball_weights.hpp"
#include "solvers/batch/batch_solver.hpp"
#include "sparse/row_loops.hpp"
#include "thresh/error.hpp"
#include "thresh/projection.hpp"

namespace thresh {
namespace {

class ProjectedGradient : public BatchSolver {
 public:
  explicit ProjectedGradient(const SolverSetup& setup)
      : BatchSolver(setup),
        radius_(setup.number("radius")),
        line_search_(setup.flag("line-search")),
        method_(projection_method(setup.word("projection"))),
        signs_(setup.signs()),
        ball_weights_(setup),
        step_size_(setup.step_size()),
        schedule_(schedule_of(setup.options)),
        wanted_(setup),
        next_eta_(setup.eta * setup.step_scale) {
    check_auto_eta(setup);
    if (radius_ <= 0) throw UsageError("--radius must be above 0");
    if (sums_ && ball_weights_.given()) {
      throw UsageError("--slices does not support --ball-weights");
    }
    if (sums_ && method_ != ProjectionMethod::automatic) {
      throw UsageError("--projection does not apply to --slices");
    }
    if (ball_weights_.given() && method_ != ProjectionMethod::automatic) {
      throw UsageError("--projection does not apply to --ball-weights");
    }
    if (line_search_ && setup.options.multiclass == Multiclass::softmax) {
      throw UsageError("--line-search does not support --multiclass softmax");
    }
  }

  void begin() override {
    BatchSolver::begin();
    for (std::size_t j = 0; ball_weights_.given() && j < matrix_->columns(); ++j) {
      in_ball_.push_back(ball_weights_.of(matrix_->slot(j)));
    }
    if (line_search_ && !wanted_.automatic) return;  // it finds its own step size
    next_eta_ = choose_eta(wanted_);
    step_size_ = StepSize(next_eta_, schedule_);
  }

  void archive(Archive& a) override {
    BatchSolver::archive(a);
    a(next_eta_, shift_);
  }

 private:
  static constexpr double kArmijo = 0.1;
  static constexpr double kSmallestStep = 1e-300;

  void step(double loss) override {
    if (!std::isfinite(slope_towards(Point{std::vector<double>(now_.weights.size()), 0}))) {
      diverge("the gradient is not finite");
      return;
    }
    if (line_search_) return search(loss);
    now_ = moved(step_size_.at(state_.t));
    // A point outside the ball must be projected onto its surface, not to zero.
    if (shift_ > 0 && !has_weight_in_ball()) diverge(kBallVanished);
  }

  bool has_weight_in_ball() const {
    std::uint64_t found = 0;
    for (std::size_t j = 0; j < now_.weights.size() && found == 0; ++j) {
      const bool in_ball = !ball_weights_.given() || in_ball_[j] != 0;
      found = in_ball && now_.weights[j] != 0 ? 1 : 0;
    }
    return (sums_ ? sums_->everywhere(found) : found) > 0;
  }

  // The projection onto the ball, with sums by slices (Michelot 1986): the threshold at which the
  // weights above it fill the ball, until none of them is below. It only rises, so each round drops
  // some weights. A round is an exchange of sums and one of counts.
  double project_sliced(std::vector<double>& weights) const {
    const SlicedMatrix columns = *sliced();
    double threshold = 0;
    for (std::uint64_t before = 0;;) {
      const auto above = [&](std::size_t j) { return std::fabs(weights[j]) > threshold; };
      std::uint64_t count = 0;
      for (std::size_t j = 0; j < weights.size(); ++j) count += above(j) ? 1 : 0;
      const double sum =
          columns.sum([&](std::size_t j) { return above(j) ? std::fabs(weights[j]) : 0.0; });
      count = sums_->everywhere(count);
      if (threshold == 0 && sum <= radius_) return 0;
      if (count == before || count == 0) break;
      threshold = std::max(threshold, (sum - radius_) / static_cast<double>(count));
      before = count;
    }
    for (double& weight : weights) weight = soft_threshold(weight, threshold);
    return threshold;
  }

  Point moved(double eta) {
    Point point = now_;
    for (std::size_t j = 0; j < point.weights.size(); ++j) {
      const double moved = point.weights[j] - eta * gradient_.weights[j];
      point.weights[j] = signs_.apply(matrix_->slot(j), moved);
    }
    shift_ = sums_                   ? project_sliced(point.weights)
             : ball_weights_.given() ? project_weighted_l1_ball(point.weights, in_ball_, radius_)
                                     : project_l1_ball(point.weights, radius_, method_);
    if (learns_intercept_) point.intercept -= eta * gradient_.intercept;
    return point;
  }

  void search(double loss) {
    for (double eta = next_eta_; eta > kSmallestStep; eta /= 2) {
      Point candidate = moved(eta);
      const double promised = slope_towards(candidate);
      const double reached = evaluate(candidate);
      if (reached <= loss + kArmijo * promised) {
        now_ = std::move(candidate);
        next_eta_ = 2 * eta;
        margins_are_current(reached);
        return;
      }
    }
    next_eta_ = 1;  // no step improves the loss
  }

  // <g, point - now>
  double slope_towards(const Point& point) const {
    double sum = gradient_.intercept * (point.intercept - now_.intercept);
    if (sums_) {
      return sum + sliced()->sum([&](std::size_t j) {
        return gradient_.weights[j] * (point.weights[j] - now_.weights[j]);
      });
    }
    for (std::size_t j = 0; j < point.weights.size(); ++j) {
      sum += gradient_.weights[j] * (point.weights[j] - now_.weights[j]);
    }
    return sum;
  }

  double radius_;
  bool line_search_;
  ProjectionMethod method_;
  Signs signs_;
  BallWeights ball_weights_;
  std::vector<double> in_ball_;  // by column, if they are given
  StepSize step_size_;
  Schedule schedule_;
  StepChoice wanted_;
  double next_eta_;
  double shift_ = 0;  // of the last projection
};

}  // namespace

CatalogEntry projected_gradient() {
  CatalogEntry entry;
  entry.info.name = "projected-gradient";
  entry.info.paper = "Duchi et al. 2008, section 7";
  entry.info.objective = "mean L(a, y) with |w|_1 <= z";
  entry.info.update = "w = Proj(w - eta_t g) over all rows";
  entry.info.cost = "O(all non-zeros)";
  entry.info.needs = "all rows and columns in memory";
  entry.info.in_memory = true;
  entry.info.unused = {"lambda"};
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.softmax = true;
  entry.info.schedule = Schedule::sqrt;
  entry.info.auto_eta = "1 / (curvature of the loss times the largest eigenvalue of X'X / m)";
  entry.info.steps = "sqrt; --line-search finds its own, beginning with --eta";
  entry.info.options = {
      {OptionInfo::Kind::number, "radius", "", "z: the l1 norm is at most this"},
      {OptionInfo::Kind::flag, "line-search", "false", "find each step size by Armijo's rule"},
      non_negative_option(),
      ball_weights_option(),
      {OptionInfo::Kind::word,
       "projection",
       "automatic",
       "how to project; automatic: the fastest",
       {"automatic", "sort", "pivot", "condat"}},
      slices_option()};
  entry.info.example = "thresh train DATA --solver projected-gradient --radius 50 --line-search";
  entry.make = make_solver<ProjectedGradient>;
  return entry;
}

}  // namespace thresh
