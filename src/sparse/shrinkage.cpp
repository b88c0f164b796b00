#include "sparse/shrinkage.hpp"

#include "sparse/wide.hpp"

namespace thresh {

THRESH_WIDE std::int64_t Shrinkage::settle(std::size_t n, double* weights,
                                           const double* paid) const {
  const Shrinkage here = *this;  // or the compiler fears that a weight is a member
  std::int64_t more = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double before = weights[i];
    const double after = here.settled(before, paid[i]);
    more += static_cast<std::int64_t>(after != 0) - static_cast<std::int64_t>(before != 0);
    weights[i] = after;
  }
  return more;
}

}  // namespace thresh
