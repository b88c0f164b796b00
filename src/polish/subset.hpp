// Searches for the best few features by the loss itself: greedy addition, then swaps of one feature
// for another while they lower
//
//     P(S) = min over w, b of sum_i c_i L(a_i, y_i) + rho/2 |w|^2   with weights in S only.
//
// A threshold or a quadratic model can be wrong about single features when few are left, above all
// if one class is rare. Here every swap that is made was fitted to its optimum before.
//
// To find a partner for a feature that may leave, the others are ranked by the gain of a Newton
// step in which the intercept moves too; the best of these by their gain along a line; and the best
// four of those are fitted, each until it is clear whether the swap helps. The 8 least useful
// features are tried, the least useful first. Rows that are equal in the columns of a fit count as
// one; they are merged once and follow each column that enters or leaves.
//
// Cost: a sweep takes up to 8 times five fits of K columns, and reads all candidates 8 times.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "polish/column_line.hpp"
#include "polish/merged_rows.hpp"
#include "polish/ridge.hpp"

namespace thresh {

// Columns, ascending, and their fit.
struct Subset {
  std::vector<std::uint32_t> columns;
  RidgeModel model;
};

class SubsetSearch {
 public:
  // `kept` are columns that every subset has, ascending. `signs` as in RidgeProblem. The arguments
  // must outlive this object.
  SubsetSearch(const SupportMatrix& candidates, std::span<const double> targets, LossFunction loss,
               bool intercept, double ridge, std::vector<std::uint32_t> kept = {},
               std::vector<double> signs = {});
  // Once `stop` is true, searches end with the best subset so far.
  void end_with(const std::atomic<bool>* stop) { stop_ = stop; }

  Subset fit(std::vector<std::uint32_t> columns) const;
  // Adds the best single features until there are k.
  Subset grow(Subset from, std::size_t k) const;
  // Swaps single features while that lowers the objective.
  Subset swap(Subset from) const;
  // Adds the single features with which a fit leaves the fewest errors until there are k. All
  // candidates are ranked by the errors along a line; the best eight are fitted.
  Subset grow_by_errors(Subset from, std::size_t k) const;
  // Whether `a` leaves fewer errors than `b`, by more than two standard errors of the difference.
  bool leaves_fewer_errors(const Subset& a, const Subset& b) const;

 private:
  // A subset and the rows restricted to it.
  struct Restricted {
    Subset subset;
    MergedRows merged;
  };
  // By row.
  struct Derivatives {
    struct Bent {
      double slope, curvature;  // times the row's weight
    };
    std::vector<double> margins;  // by merged row
    std::vector<Bent> bent;
  };
  // A column that may enter, and its best weight if no other weight moves.
  struct Partner {
    std::uint32_t column;
    double weight;
    double gain;
  };

  bool stopped() const { return stop_ != nullptr && *stop_; }
  bool has_wrong_sign(std::uint32_t column, double weight) const {
    return !signs_.empty() && signs_[column] * weight < 0;
  }
  Restricted restrict_to(Subset subset) const;
  // The subset with another column, or without the one at this place: where a fit starts.
  Restricted with(const Restricted& from, std::uint32_t column, double weight) const;
  Restricted without(const Restricted& from, std::size_t place) const;
  Restricted fitted(Restricted start, const FitEnd& end) const;
  std::vector<double> margins_of(const Restricted& at) const;  // by merged row
  Derivatives derivatives_of(const Restricted& at) const;
  std::vector<Partner> partners(const Restricted& of, std::size_t count,
                                std::uint32_t without) const;
  // By the gain of a Newton step in which the intercept moves too.
  std::vector<std::uint32_t> strongest(const std::vector<std::uint32_t>& not_these,
                                       std::uint32_t nor_this, const Derivatives& at) const;
  // How the column at hand gains most if no other weight moves.
  Partner best_on(const ColumnLine& line, std::uint32_t column) const;
  // The best fit with one column more, not `without`, if its objective is lower than `below`.
  std::optional<Restricted> best_with_one_more(const Restricted& from, std::uint32_t without,
                                               double below) const;
  // The weight of the rows on the wrong side.
  double errors_of(const Restricted& fit) const;
  std::vector<bool> misses_of(const Subset& subset) const;  // by row
  std::vector<Partner> partners_by_errors(const Restricted& of) const;
  // The places of the features that cost least to drop, the cheapest first.
  std::vector<std::size_t> least_useful(const Restricted& of) const;

  const SupportMatrix& candidates_;
  std::span<const double> targets_;
  LossFunction loss_;
  bool intercept_;
  double ridge_;
  std::vector<std::uint32_t> kept_;
  std::vector<double> signs_;
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<SingleColumn> columns_;
};

}  // namespace thresh
