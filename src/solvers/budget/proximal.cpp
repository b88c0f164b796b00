#include "solvers/budget/proximal.hpp"

#include "sparse/row_loops.hpp"
#include "sparse/wide.hpp"

namespace thresh {

THRESH_WIDE std::int64_t take_steps(std::size_t n, double* z, double* root, double* weight,
                                    const double* value, const ProximalStep& step) {
  const double inverse = 1 / step.unit;
  std::int64_t more = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ProximalSums sums{z[i], root[i]};
    sums.follow(step.slope * value[i], weight[i] * inverse, step.alpha);
    z[i] = sums.z;
    root[i] = sums.root;
    sums.z = soft_threshold(sums.z, step.lambda);
    const double now = sums.weight(step.alpha, step.beta) * step.unit;
    more += static_cast<std::int64_t>(now != 0) - static_cast<std::int64_t>(weight[i] != 0);
    weight[i] = now;
  }
  return more;
}

}  // namespace thresh
