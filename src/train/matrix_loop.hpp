// The loop over a matrix: a MatrixSolver has all rows in memory and takes its steps on its own, a
// few at a time. A pass is as many steps as the solver counts for one.
#pragma once

#include <memory>

#include "train/loop.hpp"

namespace thresh {

class MatrixLoop : public Loop {
 public:
  using Loop::Loop;

  // The matrix of the training rows, as the solver needs it.
  std::shared_ptr<const Matrix> load();
  // Begins and takes steps until the run ends.
  Status run(std::shared_ptr<const Matrix> matrix);

 private:
  std::optional<Status> run_pass(std::uint64_t pass);
};

}  // namespace thresh
