// A small problem as a dense matrix.
#pragma once

#include <Eigen/Dense>

#include "tools/problems.hpp"

namespace thresh {

inline Eigen::MatrixXd dense_matrix(const DenseProblem& data) {
  Eigen::MatrixXd x(data.x.size(), data.features);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    for (std::size_t j = 0; j < data.features; ++j) x(i, j) = data.x[i][j];
  }
  return x;
}

}  // namespace thresh
