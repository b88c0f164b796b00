// The interior point method on the synthetic problems, as runs like those of the other methods.
#pragma once

#include <string>
#include <vector>

#include "common/training.hpp"

namespace thresh::experiments {

inline const std::string kInteriorPoint = "interior-point";  // their solver

struct ReferenceProblem {
  std::string data, lambda;
  bool regression;
};

std::vector<Trained> interior_points(const Context& context,
                                     const std::vector<ReferenceProblem>& problems);

}  // namespace thresh::experiments
