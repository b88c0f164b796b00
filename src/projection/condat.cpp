// The threshold in one sweep: Condat, "Fast projection onto the simplex and the l1 ball",
// Mathematical Programming 158, 2016, algorithm of section 3.
//
// Maintains a lower bound rho of theta: the mean excess of the values kept so far. A value above
// rho joins them and raises rho. A value so large that it alone gives a better bound starts a new
// set, and the old set waits. The waiting values are checked once more at the end. Then values
// below rho are removed until nothing changes.
//
// Departures:
// - rho is a running mean with rounding errors, so a value is rejected only if it lies a
//   little below rho. threshold.cpp does the last removal.
// - 1/count is computed outside the chain of dependent additions, so a new value costs two
//   multiplications and no division before the next comparison.
//
// Cost: O(n) in practice, quadratic for contrived data; memory for the values kept.

#include "projection/threshold.hpp"

namespace thresh {
namespace {

class Sweep {
 public:
  Sweep(double radius, Candidates& kept) : radius_(radius), kept_(kept) {}

  void visit(std::span<const double> values, double floor) {
    for (const double v : values) {
      if (v > cut_ && v > floor) consider(v);
    }
  }

  void visit_waiting() {
    for (const double v : waiting_.values()) {
      if (v > cut_) join(v, raised(v));
    }
  }

  // Leaves at most about twice the support. The rest is for accurate sums.
  void take_out() {
    for (;;) {
      const std::size_t before = kept_.size();
      double sum = 0;
      double size = 0;
      for (const double v : kept_.values()) {
        sum += v;
        size += std::fabs(v);
      }
      const auto count = static_cast<double>(before);
      kept_.keep_above((sum - radius_ - kSlack * (size + radius_)) / count);
      if (kept_.size() > before / 2) return;
    }
  }

 private:
  double raised(double v) {
    share_ = 1 / static_cast<double>(kept_.size() + 1);
    return rho_ + (v - rho_) * share_;
  }

  void consider(double v) {
    const double rho = kept_.size() == 0 ? -std::numeric_limits<double>::infinity() : raised(v);
    if (rho > v - radius_) {
      join(v, rho);
      return;
    }
    waiting_.make_room(kept_.size());
    for (const double old : kept_.values()) waiting_.push(old);
    kept_.clear();
    share_ = 1;
    join(v, v - radius_);
  }

  void join(double v, double rho) {
    kept_.push(v);
    rho_ = rho;
    cut_ = rho - kSlack * (std::fabs(rho) + radius_ * share_);
  }

  double radius_;
  Candidates& kept_;
  Candidates waiting_;
  double rho_ = 0;
  double share_ = 1;  // 1 / count
  double cut_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

bool candidates_by_condat(const Entries& entries, double radius, Candidates& kept) {
  Sweep sweep(radius, kept);
  double scratch[kEntryBlock];
  for (std::size_t at = 0; at < entries.values.size(); at += kEntryBlock) {
    const auto block = entries.block(at, scratch);
    if (block.empty()) return false;
    sweep.visit(block, entries.floor);
  }
  sweep.visit_waiting();
  if (kept.size() > 0) sweep.take_out();
  return true;
}

}  // namespace thresh
