#include "sparse/shrinkage.hpp"

#include "sparse/two.hpp"
#include "sparse/wide.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace thresh {
namespace {

double settle_plain(const Shrinkage& shrinkage, const std::uint32_t* slots, const double* values,
                    std::size_t n, double* pairs, double sum, std::uint64_t& nonzeros) {
  const Shrinkage now = shrinkage;  // or the compiler fears that a weight is a member
  std::uint64_t more = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double* const pair = pairs + std::size_t{2} * slots[i];
    const double before = pair[0];
    const double after = now.settled(before, pair[1]);
    more += static_cast<std::uint64_t>(after != 0) - static_cast<std::uint64_t>(before != 0);
    store_two(pair, Two{after, now.total()});
    sum += after * values[i];
  }
  nonzeros += more;
  return sum;
}

#if defined(__x86_64__)
// Four weights at once. Every pair is one load and one store.
[[gnu::target("avx2")]] double settle_avx2(const Shrinkage& shrinkage, const std::uint32_t* slots,
                                           const double* values, std::size_t n, double* pairs,
                                           double sum, std::uint64_t& nonzeros) {
  const __m256d total = _mm256_set1_pd(shrinkage.total());
  const __m256d ceiling = _mm256_set1_pd(shrinkage.ceiling());
  const __m256d zero = _mm256_setzero_pd(), sign = _mm256_set1_pd(-0.0);
  __m256i fewer = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    double* at[4];
    for (std::size_t k = 0; k < 4; ++k) at[k] = pairs + std::size_t{2} * slots[i + k];
    const __m256d even = _mm256_loadu2_m128d(at[2], at[0]), odd = _mm256_loadu2_m128d(at[3], at[1]);
    const __m256d before = _mm256_unpacklo_pd(even, odd), paid = _mm256_unpackhi_pd(even, odd);
    // soft_threshold()
    const __m256d owed = _mm256_sub_pd(total, paid);
    const __m256d above = _mm256_max_pd(_mm256_xor_pd(owed, sign), before);
    const __m256d less = _mm256_sub_pd(before, _mm256_min_pd(owed, above));
    const __m256d shrinks = _mm256_cmp_pd(_mm256_andnot_pd(sign, before), ceiling, _CMP_LE_OQ);
    const __m256d owes = _mm256_cmp_pd(paid, total, _CMP_NEQ_UQ);
    const __m256d after = _mm256_blendv_pd(before, less, _mm256_and_pd(shrinks, owes));
    const __m256d weights = _mm256_cmp_pd(after, zero, _CMP_NEQ_UQ);
    const __m256d weights_before = _mm256_cmp_pd(before, zero, _CMP_NEQ_UQ);
    fewer = _mm256_add_epi64(
        fewer, _mm256_sub_epi64(_mm256_castpd_si256(weights), _mm256_castpd_si256(weights_before)));
    _mm256_storeu2_m128d(at[2], at[0], _mm256_unpacklo_pd(after, total));
    _mm256_storeu2_m128d(at[3], at[1], _mm256_unpackhi_pd(after, total));
    const __m256d products = _mm256_mul_pd(after, _mm256_loadu_pd(values + i));
    for (std::size_t k = 0; k < 4; ++k) sum += products[k];
  }
  for (std::size_t k = 0; k < 4; ++k) nonzeros -= static_cast<std::uint64_t>(fewer[k]);
  return settle_plain(shrinkage, slots + i, values + i, n - i, pairs, sum, nonzeros);
}
#endif

}  // namespace

double Shrinkage::settle(const std::uint32_t* slots, const double* values, std::size_t n,
                         double* pairs, double sum, std::uint64_t& nonzeros) const {
#if defined(__x86_64__)
  if (kHasAvx2) return settle_avx2(*this, slots, values, n, pairs, sum, nonzeros);
#endif
  return settle_plain(*this, slots, values, n, pairs, sum, nonzeros);
}

}  // namespace thresh
