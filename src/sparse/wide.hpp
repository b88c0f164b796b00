// THRESH_CLONES compiles a function several times, for several kinds of processors; the processor's
// one is used. Clang 14, which only the checks use, does not support this. The thread sanitizer
// would watch the choice, which is made before the sanitizer has started, so that programs would
// crash at once.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define THRESH_CLONES(...) __attribute__((target_clones(__VA_ARGS__, "default")))
#else
#define THRESH_CLONES(...)
#endif
// Several register widths.
#define THRESH_WIDE THRESH_CLONES("avx512f", "avx2")

namespace thresh {

// For functions with AVX2 instructions. False on processors other than x86-64.
#if defined(__x86_64__)
inline const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#else
inline constexpr bool kHasAvx2 = false;
#endif

}  // namespace thresh
