// A model of the objective near a point, on a working set of columns: gradient, curvature and
// prices.
//
//     m(d) = g'd + d'Hd/2 + sum_k price_k(w_k + d_k),   H = X~'X~ + diag(rest)
//
// X~ is X with row i times the root of its curvature, in single precision. It omits the rows with
// almost no curvature, which after a while are most rows; only the diagonal of H includes them. The
// model is a fixed convex function and its gradient at d = 0 is exact, so this costs a little speed
// of convergence but no accuracy.
//
// A row with a large margin has almost no curvature. If a feature occurs only in such rows, the
// model would send its weight to infinity. So a weight may move by at most `trust` over the largest
// value of its column, which changes no margin by more than `trust`.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/l1/objective.hpp"
#include "sparse/cholesky.hpp"

namespace thresh {

// Makes a vector at least n long. Drops the old contents first, so that both are never in memory.
template <class T>
void make_room(std::vector<T>& values, std::size_t n) {
  if (values.size() >= n) return;
  values = std::vector<T>();  // = {} would not free the memory
  values.resize(n);
}

class NewtonModel {
 public:
  // Searches for a minimum end early once `stop` is true.
  explicit NewtonModel(const std::atomic<bool>* stop = nullptr) : stop_(stop) {}

  // Models the objective at a point, given weights and loss gradients of the set's columns. Reused
  // for every step, because allocating costs as much as computing.
  // Rows whose curvature is below `flat` times the largest are omitted.
  void start(const L1Objective& objective, const L1Objective::Point& point,
             std::span<const std::uint32_t> set, std::span<const double> weights,
             std::span<const double> gradients, double lambda, double trust, double flat);

  // w + d.
  double weight(std::size_t k) const { return weights_[k] + move_[k]; }
  std::span<const double> move() const { return move_; }
  std::size_t entries() const { return entries_; }  // entries of X~

  // One coordinate descent sweep over the whole set, then a few over the non-zero weights. Returns
  // how many weights became zero or non-zero.
  std::size_t sweep(int times);
  // Moves all non-zero weights to the minimum of the model with signs fixed. Weights that would
  // change sign stop at zero.
  void step_on_face();
  // The exact minimum, for sets small enough for a dense H.
  bool is_small() const;
  void minimise_exactly();
  // The same over the weights that are not zero or are drawn away from it; the others stay zero.
  // Slow, but almost equal columns do not slow it down. False, and nothing moves, if these are too
  // many.
  bool minimise_on_moving();

  // The sum of the optimality violations of all weights, now and at d = 0.
  double violation() const;
  double first_violation() const { return first_violation_; }
  // m(d) - m(0), at most zero.
  double decrease() const;

 private:
  struct Entry {
    std::uint32_t at;  // index among some columns
    float value;
  };
  // X~ on these columns, by row: for products with a vector and for the dense matrix.
  struct ByRow {
    std::vector<std::size_t> starts;
    std::vector<Entry> entries;  // may have unused room at the end
    std::size_t size() const { return starts.back(); }
    std::span<const Entry> row(std::size_t i) const {
      return {entries.data() + starts[i], starts[i + 1] - starts[i]};
    }
  };
  struct Face {
    std::vector<std::uint32_t> places;  // positions in the working set
    std::vector<double> right;          // minus the gradient, prices included
  };
  void scale_columns(const L1Objective& objective, const L1Objective::Point& point,
                     std::span<const std::uint32_t> set, double flat);
  template <class Work>
  void in_halves(std::size_t entries, const Work& work) const;
  template <class Work>
  void for_entries(std::size_t k, std::size_t begin, std::size_t end, const Work& work) const;
  // Puts X~ on these columns into rows_.
  void by_row(std::span<const std::uint32_t> places);
  // H on the columns of rows_, the lower triangle.
  SquareMatrix dense(std::span<const std::uint32_t> places) const;
  // Pairs of entries of rows_ in the same row: the cost of dense().
  double pairs() const;
  void minimise_exactly(std::span<const std::uint32_t> places, double enough, int most_steps);
  double gradient(std::size_t k) const;
  double clamp(std::size_t k, double weight) const;
  void set_weight(std::size_t k, double weight);
  bool try_move(const Face& face, std::span<const double> by);
  std::vector<double> solve_dense(const Face& face) const;
  std::vector<double> solve_by_gradients(const Face& face) const;

  bool stopped() const { return stop_ != nullptr && *stop_; }

  const std::atomic<bool>* stop_;
  std::vector<Price> prices_;
  std::vector<double> weights_, gradients_, move_;
  std::vector<double> bend_;     // the diagonal of H
  std::vector<double> rest_;     // the part of it that X~ omits
  std::vector<double> longest_;  // the longest allowed move
  std::vector<std::size_t> starts_, ends_;
  std::vector<std::uint32_t> at_;  // rows, renumbered
  std::vector<float> values_;
  std::size_t entries_ = 0;
  std::vector<double> shift_;  // X~ d
  ByRow rows_;                 // of the current face
  double first_violation_ = 0;
};

}  // namespace thresh
