#include "sparse/compensated_dot.hpp"

namespace thresh {
namespace {

inline double sum_up(const double* dense, const std::uint32_t* at, const double* values,
                     std::size_t size, std::size_t stride) {
  CompensatedDot sum;
  for (std::size_t i = 0; i < size; ++i) sum.add(dense[at[i] * stride], values[i]);
  return sum.value();
}

double plain(const double* dense, const std::uint32_t* at, const double* values, std::size_t size,
             std::size_t stride) {
  return sum_up(dense, at, values, size, stride);
}

#if defined(__x86_64__)
// One FMA instruction instead of a call into the math library.
[[gnu::target("fma"), gnu::flatten]] double with_fma(const double* dense, const std::uint32_t* at,
                                                     const double* values, std::size_t size,
                                                     std::size_t stride) {
  return sum_up(dense, at, values, size, stride);
}

const auto chosen = __builtin_cpu_supports("fma") ? with_fma : plain;
#else
const auto chosen = plain;
#endif

}  // namespace

double compensated_dot(const double* dense, const std::uint32_t* at, const double* values,
                       std::size_t size, std::size_t stride) {
  return chosen(dense, at, values, size, stride);
}

}  // namespace thresh
