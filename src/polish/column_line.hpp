// What a column gains if its weight alone moves.
//
// Rows that are equal in the columns of a fit have one margin. If all values of the column are
// equal, too, as of 0/1 features, they count as one: then a search that ranks all candidates
// computes few losses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "loss/loss.hpp"
#include "polish/merged_rows.hpp"

namespace thresh {

class ColumnLine {
 public:
  // The rows of this column. `margins` are those of the merged rows, `weights` of the original
  // ones.
  void gather(const SingleColumn& column, const MergedRows& merged, std::span<const double> margins,
              std::span<const double> weights);

  struct Best {
    double weight, gain;
  };
  // A few steps of Newton's method from weight 0, and how much lower the loss with this ridge is.
  Best best(const LossFunction& loss, double ridge) const;
  // The weight of the rows on the wrong side at weight 0, less that at `weight`.
  double errors_saved(double weight) const;

 private:
  std::vector<double> margins_, targets_, weights_, values_;  // by row, or by merged row
  std::vector<double> sums_;                                  // by merged row; 0 between calls
};

inline bool is_missed(double margin, double target) {
  return (margin > 0) != (target > 0);
}

}  // namespace thresh
