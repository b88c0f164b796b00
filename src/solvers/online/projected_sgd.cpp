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
// Departures: --projection buckets, the default, finds the same shifts with a structure that is
// faster than the paper's tree. The shift is removed from the raw values before it dwarfs them.
//
// Cost: O(n log s) per step for n non-zeros in the batch and s non-zero weights; about four doubles
// per feature.

#include <variant>

#include "projection/ball_buckets.hpp"
#include "projection/ball_tree.hpp"
#include "solvers/online/gradient_solver.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

template <class Ball>
class ProjectedSgd : public GradientSolver<ProjectedSgd<Ball>> {
  using Base = GradientSolver<ProjectedSgd<Ball>>;
  using Base::state_;

 public:
  explicit ProjectedSgd(const SolverSetup& setup)
      : Base(setup, setup.count("batch")), radius_(setup.number("radius")), signs_(setup.signs()) {
    if (radius_ <= 0) throw UsageError("--radius must be above 0");
  }

  void begin() override {
    for (std::size_t slot = 0; slot < state_.weights.size(); ++slot) {
      const double weight = std::as_const(state_.weights)[slot];
      const auto narrow = static_cast<std::uint32_t>(slot);
      if (weight != 0) Base::set_weight(narrow, signs_.apply(narrow, weight));
    }
    rebase();
  }

  void ensure_slots(std::size_t n) override {
    Base::ensure_slots(n);
    raw_.ensure(n);
  }

  void touch(const Row& row) {
    for (std::size_t i = 0; i < row.size; ++i) work_out(row.slots[i]);
  }

  void average_step(const Gradient& gradient) {
    const double shift = ball_.shift();
    const bool all = std::exchange(rebased_, false);
    const auto note = [&](std::uint32_t slot) {
      const double raw = std::as_const(raw_)[slot];
      this->average_->fall_from(slot, std::fabs(raw) > shift ? raw : 0);
    };
    Base::for_each_changed(gradient, note, all);
    this->average_->step(state_.intercept, 1, shift, shift);
  }

  void step(const Gradient& gradient, double eta) {
    const double shift = ball_.shift();
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      double& raw = raw_[slot];
      if (std::fabs(raw) > shift) ball_.erase(std::fabs(raw));
      const double moved = signs_.apply(slot, state_.weights[slot] - eta * gradient.at(i));
      if (!std::isfinite(moved)) {
        this->diverge("a weight is not finite", Runaway{std::nullopt, slot, moved, 0});
        return;
      }
      Base::set_weight(slot, moved);
      raw = moved == 0 ? 0 : std::copysign(std::fabs(moved) + shift, moved);
      if (std::fabs(raw) > shift) ball_.insert(std::fabs(raw));
    }
    const bool had_weights = ball_.size() > 0;
    ball_.project(radius_);
    if (had_weights && ball_.size() == 0) {
      this->diverge(kBallVanished);
      return;
    }
    // A shift far above the magnitudes would cost their last digits.
    if (ball_.shift() > 8 * radius_) {
      do_settle();
      rebase();
    }
  }

 private:
  void work_out(std::uint32_t slot) {
    const double raw = raw_[slot];
    Base::set_weight(slot, soft_threshold(raw, ball_.shift()));
  }

  // Restarts from the current weights.
  void rebase() {
    rebased_ = true;
    ball_.clear();
    for (std::size_t slot = 0; slot < state_.weights.size(); ++slot) {
      const double weight = std::as_const(state_.weights)[slot];
      if (weight != 0 || std::as_const(raw_)[slot] != 0) raw_[slot] = weight;
      if (weight != 0) ball_.insert(std::fabs(weight));
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
  ZeroedArray<double> raw_;
  Ball ball_;
  bool rebased_ = false;  // since the last step that was averaged
};

}  // namespace

CatalogEntry projected_sgd() {
  CatalogEntry entry;
  entry.info.name = "projected-sgd";
  entry.info.paper = "Duchi et al. 2008, sections 6 and 7";
  entry.info.objective = "mean L(a, y) with |w|_1 <= z";
  entry.info.update = "w = Proj(w - eta_t g)";
  entry.info.cost = "O(n log s) for n non-zeros in the batch and s in the model";
  entry.info.needs = "rows, one at a time";
  entry.info.unused = {"lambda"};
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.softmax = true;
  entry.info.plain_steps = true;
  entry.info.schedule = Schedule::sqrt;
  entry.info.options = {{OptionInfo::Kind::number, "radius", "", "z: the l1 norm is at most this"},
                        batch_option(),
                        non_negative_option(),
                        {OptionInfo::Kind::word,
                         "projection",
                         "buckets",
                         "the ordered structure: buckets, or the paper's red-black tree",
                         {"buckets", "tree"}}};
  entry.info.example = "thresh train DATA --solver projected-sgd --radius 50 --eta 1";
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    if (setup.word("projection") == "tree") {
      return std::make_unique<ProjectedSgd<BallTree>>(setup);
    }
    return std::make_unique<ProjectedSgd<BallBuckets>>(setup);
  };
  return entry;
}

}  // namespace thresh
