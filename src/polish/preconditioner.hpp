// A Newton matrix of an earlier point, factorised: conjugate gradients near that point then need a
// few products where the diagonal alone needs dozens.
//
// It costs as much as many products, and how many will be needed nobody knows. So it is made once
// the products have cost as much as making it: at most twice the cost of knowing beforehand.
//
// Cost: of making one, the squares of the entries per row, and the third power of the columns; of
// using one, the square of the columns.
#pragma once

#include <span>
#include <vector>

#include "polish/row_sums.hpp"
#include "sparse/cholesky.hpp"

namespace thresh {

class Preconditioner {
 public:
  // The rows must outlive this object.
  explicit Preconditioner(const SupportMatrix& rows) : rows_(rows) {}

  // Whether it is time to make one, or a better one.
  bool is_due() const { return spent_ > 0 && spent_ >= price_; }
  // Of the matrix of these equations, with the intercept's line behind the others.
  void make(SquareMatrix matrix);
  void forget();
  // As many products of the matrix were needed.
  void count(std::size_t products);

  bool is_made() const { return factor_.size() > 0; }
  RidgeVector solve(const RidgeVector& right) const;

 private:
  double price() const;

  const SupportMatrix& rows_;
  double price_ = 0;  // of making one, in multiplications; 0: not known yet
  double spent_ = 0;
  SquareMatrix factor_{0};  // of no size: none is made
};

}  // namespace thresh
