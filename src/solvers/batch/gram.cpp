#include "solvers/batch/gram.hpp"

#include <algorithm>

#include "solvers/batch/pieces.hpp"

namespace thresh {

Gram::Gram(const Matrix& matrix, bool intercept)
    : columns_(matrix.columns() + (intercept ? 1 : 0)),
      products_(columns_ * columns_),
      with_labels_(columns_),
      total_weight_(matrix.total_weight()) {
  const std::size_t features = matrix.columns();
  const auto add_row = [&](std::size_t j, std::size_t i, double value) {
    double* const products = products_.data() + j * columns_;
    const SparseVector row = matrix.row(i);
    const double scaled = matrix.weight(i) * value;
    for (std::size_t k = 0; k < row.size; ++k) products[row.at[k]] += scaled * row.values[k];
    if (intercept) products[features] += scaled;
    with_labels_[j] += scaled * matrix.label(i);
  };
  const auto work = [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const SparseVector column = matrix.column(j);
      for (std::size_t k = 0; k < column.size; ++k) add_row(j, column.at[k], column.values[k]);
    }
  };
  in_pieces(features, matrix.entries(), work, fine_piece(features));
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    if (intercept) add_row(features, i, 1);
    labels_ += matrix.weight(i) * matrix.label(i) * matrix.label(i);
    reads_ += std::uint64_t{matrix.row(i).size} * (matrix.row(i).size + (intercept ? 1 : 0));
  }
}

double Gram::differentiate(const std::vector<double>& point, std::vector<double>& gradient) const {
  gradient.resize(columns_);
  const auto work = [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const double* const products = products_.data() + j * columns_;
      double sum = 0;
      for (std::size_t k = 0; k < columns_; ++k) sum += products[k] * point[k];
      gradient[j] = sum;
    }
  };
  in_pieces(columns_, products_.size(), work, fine_piece(columns_));
  double twice = labels_;
  for (std::size_t j = 0; j < columns_; ++j) {
    twice += point[j] * (gradient[j] - 2 * with_labels_[j]);
    gradient[j] = (gradient[j] - with_labels_[j]) / total_weight_;
  }
  // Rounding may leave less than nothing of a tiny loss. A NaN stays one.
  return twice < 0 ? 0 : twice / (2 * total_weight_);
}

}  // namespace thresh
