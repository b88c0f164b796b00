// Solves symmetric positive definite linear equations with the same result on every machine. Linear
// algebra libraries sum in an order that depends on the processor's caches and registers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace thresh {

// Dense, stored by columns.
class SquareMatrix {
 public:
  explicit SquareMatrix(std::size_t size) : size_(size), values_(size * size) {}
  std::size_t size() const { return size_; }
  double& operator()(std::size_t row, std::size_t column) { return values_[column * size_ + row]; }
  const double& operator()(std::size_t row, std::size_t column) const {
    return values_[column * size_ + row];
  }
  void add(const SquareMatrix& other) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += other.values_[i];
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

// Solves H x = right by Cholesky's method. The result is not finite if H is not positive definite.
// Only the lower triangle of H is read, and it is overwritten.
std::vector<double> solve_definite(SquareMatrix& h, std::span<const double> right);

// In two parts, for several right sides: the lower triangle becomes L with L L' = H, and L solves.
void factorise(SquareMatrix& h);
std::vector<double> solve_factorised(const SquareMatrix& l, std::span<const double> right);

}  // namespace thresh
