// The interior point method of Koh, Kim & Boyd, "An interior-point method for large-scale
// l1-regularized logistic regression", JMLR 8 (2007), and of Kim et al. (2007) for least squares: a
// reference for Figures 4 and 5 of Duchi et al. For dense data.
//
//     minimise (1/m) sum L(<w, x_i>, y_i) + lambda sum u   where -u < w < u
//
// The constraints become a logarithmic barrier of weight 1/t. Newton steps are solved approximately
// by preconditioned conjugate gradients; t grows as the duality gap shrinks.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace thresh::experiments {

struct DenseProblem {
  Eigen::MatrixXd rows;
  Eigen::VectorXd labels;  // +1 and -1, or targets
  bool squared = false;    // (a - y)^2 / 2 instead of the logistic loss
  double lambda = 0;
};

// After a Newton step. A product of the data with a vector, or of its transpose, reads every stored
// value once, and so does the diagonal of the Hessian; nothing else reads the data.
struct InteriorPoint {
  double objective = 0, gap = 0, accesses = 0, seconds = 0;
};

struct InteriorRun {
  Eigen::VectorXd weights;
  std::vector<InteriorPoint> points;
};

// Ends when the duality gap is at most this share of the objective.
InteriorRun interior_point(const DenseProblem& problem, double share);

}  // namespace thresh::experiments
