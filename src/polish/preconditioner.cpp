#include "polish/preconditioner.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace thresh {

double Preconditioner::price() const {
  constexpr double kMostColumns = 1024;  // 8 MB
  constexpr double kAtOnce = 4;          // multiplications of a factorisation
  const auto n = static_cast<double>(rows_.columns);
  // Using one must not cost more than a product.
  if (n > kMostColumns || n * n > 2 * static_cast<double>(rows_.entries())) {
    return std::numeric_limits<double>::infinity();
  }
  double squares = 0;
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    const auto size = static_cast<double>(rows_.row(i).size);
    squares += size * size;
  }
  return squares / 2 + n * n * n / 6 / kAtOnce;
}

void Preconditioner::count(std::size_t products) {
  if (price_ == 0) price_ = price();
  spent_ += 2 * static_cast<double>(rows_.entries() * products);
}

void Preconditioner::make(SquareMatrix matrix) {
  spent_ = 0;
  factorise(matrix);
  const std::size_t last = matrix.size() - 1;
  // A pivot that is not positive makes all that follow it NaN.
  factor_ = std::isfinite(matrix(last, last)) ? std::move(matrix) : SquareMatrix(0);
}

void Preconditioner::forget() {
  spent_ = 0;
  factor_ = SquareMatrix(0);
}

RidgeVector Preconditioner::solve(const RidgeVector& right) const {
  std::vector<double> all = right.weights;
  all.push_back(right.intercept);
  all = solve_factorised(factor_, all);
  RidgeVector found{{}, all.back()};
  all.pop_back();
  found.weights = std::move(all);
  return found;
}

}  // namespace thresh
