// projected-sgd: Duchi, Shalev-Shwartz, Singer & Chandra, "Efficient Projections onto the l1-Ball
// for Learning in High Dimensions", sections 6 and 7.
//
// Minimises mean L(a, y) subject to |w|_1 <= z. For batch t with mean loss gradient g:
//
//     w <- Proj(w - eta_t g)
//
// The projection reduces every magnitude by the same amount, down to zero. So a weight is stored
// raw, without the shifts since it was set: |w_j| = max(0, |raw_j| - shift), with one shift for
// all. An ordered structure of the raw magnitudes finds the next shift.
//
// With --ball-weights the ball is sum a_j |w_j| <= z. Then u_j = w_j / a_j takes the place of w_j:
// all |u_j| fall by the same shift. Weights with a_j = 0 are free. Only the tree can hold a_j, so
// it is the default then.
//
// Departures: --projection buckets, the default, finds the same shifts with a structure that is
// faster than the paper's tree. The shift is removed from the raw values before it dwarfs them.
//
// Cost: O(n log s) per step for n non-zeros in the batch and s non-zero weights; about four doubles
// per feature.

#include "projection/ball_buckets.hpp"
#include "projection/ball_tree.hpp"
#include "solvers/ball_weights.hpp"
#include "solvers/online/gradient_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Of the ball |w|_1 <= z.
struct EqualWeights {
  explicit EqualWeights(const SolverSetup&) {}
  static double of(std::uint32_t) { return 1; }
};

template <class Ball, class Weights = EqualWeights>
class ProjectedSgd : public GradientSolver<ProjectedSgd<Ball, Weights>> {
  using Base = GradientSolver<ProjectedSgd<Ball, Weights>>;
  using Base::state_;
  static constexpr bool kWeighted = std::is_same_v<Weights, BallWeights>;
  static constexpr bool kBuckets = std::is_same_v<Ball, BallBuckets>;

 public:
  explicit ProjectedSgd(const SolverSetup& setup)
      : Base(setup, setup.count("batch")),
        radius_(setup.number("radius")),
        signs_(setup.signs()),
        weights_(setup) {
    if (radius_ <= 0) throw UsageError("--radius must be above 0");
  }

  void begin() override {
    state_.for_each_weight([&](std::uint32_t slot, double weight) {
      Base::set_weight(slot, signs_.apply(slot, weight));
    });
    rebase();
  }

  void ensure_slots(std::size_t n) override {
    Base::ensure_slots(n);
    raw_.ensure(n);
  }

  void note_options(Options& options) const override {
    if constexpr (kWeighted) options.solver_options["projection"] = "tree";
  }

  void touch(const Row& row) {
    for (std::size_t i = 0; i < row.size; ++i) {
      if (!Base::is_fresh(row.slots[i])) work_out(row.slots[i]);
    }
  }

  void archive(Archive& a) override {
    double shift = ball_.shift();
    a(raw_, rebased_, shift);
    Base::archive(a);
    if constexpr (kBuckets) {
      if (a.reads()) refill(shift);
    } else {
      a(ball_);
    }
  }

  void average_step(const Gradient& gradient) {
    const double shift = ball_.shift();
    const bool all = std::exchange(rebased_, false);
    const auto note = [&](std::uint32_t slot) {
      const double raw = std::as_const(raw_)[slot];
      if (weights_.of(slot) == 0) return this->average_->stay_at(slot, raw);
      this->average_->fall_from(slot, std::fabs(raw) > shift ? raw : 0);
    };
    Base::for_each_changed(gradient, note, all);
    this->average_->step(state_.intercept, 1, shift, shift);
  }

  void step(const Gradient& gradient, double eta) {
    const double shift = ball_.shift();
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      const double a = weights_.of(slot);
      double& raw = raw_[slot];
      if (a > 0 && std::fabs(raw) > shift) erase(std::fabs(raw), a);
      const double moved = signs_.apply(slot, state_.weights[slot] - eta * gradient.at(i));
      if (!std::isfinite(a == 0 ? moved : moved / a)) {
        this->diverge("a weight is not finite", Runaway{std::nullopt, slot, moved, 0});
        return;
      }
      Base::set_weight(slot, moved);
      raw = moved == 0 || a == 0 ? moved : std::copysign(std::fabs(moved) / a + shift, moved);
      if (a > 0 && std::fabs(raw) > shift) insert(std::fabs(raw), a);
    }
    const bool had_weights = ball_.size() > 0;
    ball_.project(radius_);
    if (had_weights && ball_.size() == 0) {
      this->diverge(kBallVanished);
      return;
    }
    // A shift far above the magnitudes would cost their last digits.
    if (ball_.shift() * mean_square() > 8 * radius_) {
      do_settle();
      rebase();
    }
  }

 private:
  void work_out(std::uint32_t slot) {
    const double raw = raw_[slot];
    const double a = weights_.of(slot);
    Base::set_weight(slot, a == 0 ? raw : a * soft_threshold(raw, ball_.shift()));
  }

  double mean_of_steps(std::uint32_t slot) const override {
    const double a = weights_.of(slot);
    return (a == 0 ? 1 : a) * Base::mean_of_steps(slot);
  }

  void insert(double raw, double a) {
    if constexpr (kWeighted) {
      ball_.insert(raw, a);
    } else {
      ball_.insert(raw);
    }
  }
  void erase(double raw, double a) {
    if constexpr (kWeighted) {
      ball_.erase(raw, a);
    } else {
      ball_.erase(raw);
    }
  }
  double mean_square() const {
    if constexpr (kWeighted) {
      return ball_.mean_square();
    } else {
      return 1;
    }
  }

  // Puts the raw values above the shift into the ball again. Its sums are exact, so their order
  // does not matter.
  void refill(double shift) {
    ball_.clear();
    ball_.start_at(shift);
    for (const double raw : raw_.span()) {
      Archive::require(std::isfinite(raw));
      if (raw != 0) insert(std::fabs(raw), 1);
    }
  }

  // Restarts from the current weights.
  void rebase() {
    rebased_ = true;
    ball_.clear();
    for (std::size_t slot = 0; slot < state_.weights.size(); ++slot) {
      const double weight = std::as_const(state_.weights)[slot];
      if (weight == 0 && std::as_const(raw_)[slot] == 0) continue;
      const double a = weights_.of(static_cast<std::uint32_t>(slot));
      raw_[slot] = a == 0 ? weight : weight / a;
      if (a > 0 && weight != 0) insert(std::fabs(raw_[slot]), a);
    }
    ball_.project(radius_);
  }

  void do_settle() override {
    for (std::size_t slot = 0; slot < raw_.size(); ++slot) {
      // A raw value that returned to 0 may have left a non-zero weight.
      if (std::as_const(raw_)[slot] != 0 || std::as_const(state_.weights)[slot] != 0) {
        work_out(static_cast<std::uint32_t>(slot));
      }
    }
  }

  double radius_;
  Signs signs_;
  Weights weights_;
  ZeroedArray<double> raw_;
  Ball ball_;
  bool rebased_ = false;  // since the last step that was averaged
};

}  // namespace

CatalogEntry projected_sgd() {
  CatalogEntry entry = entry_for_rows("projected-sgd", "Duchi et al. 2008, sections 6 and 7",
                                      "w = Proj(w - eta_t g)",
                                      "O(n log s) for n non-zeros in the batch and s in the model");
  entry.info.objective = "mean L(a, y) with |w|_1 <= z";
  entry.info.unused = {"lambda"};
  entry.info.plain_steps = true;
  entry.info.schedule = Schedule::sqrt;
  entry.info.options = {{OptionInfo::Kind::number, "radius", "", "z: the l1 norm is at most this"},
                        batch_option(),
                        non_negative_option(),
                        ball_weights_option(),
                        {OptionInfo::Kind::word,
                         "projection",
                         "buckets",
                         "the ordered structure: buckets, or the paper's red-black tree (always "
                         "with --ball-weights)",
                         {"buckets", "tree"}}};
  entry.info.example = "thresh train DATA --solver projected-sgd --radius 50 --eta 1";
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    const bool tree = setup.word("projection") == "tree";
    if (!setup.word("ball-weights").empty()) {
      if (!tree && setup.options.solver_options.contains("projection")) {
        throw UsageError("--ball-weights needs --projection tree; buckets do not support weights");
      }
      return std::make_unique<ProjectedSgd<WeightedBallTree, BallWeights>>(setup);
    }
    if (tree) return std::make_unique<ProjectedSgd<BallTree>>(setup);
    return std::make_unique<ProjectedSgd<BallBuckets>>(setup);
  };
  return entry;
}

}  // namespace thresh
