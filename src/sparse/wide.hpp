// THRESH_WIDE compiles a function for several register widths; the processor's one is used. Clang
// 14, which only the checks use, does not support this.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define THRESH_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define THRESH_WIDE
#endif

namespace thresh {

// For functions with AVX2 instructions. False on processors other than x86-64.
#if defined(__x86_64__)
inline const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#else
inline constexpr bool kHasAvx2 = false;
#endif

}  // namespace thresh
