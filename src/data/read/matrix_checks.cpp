#include "data/read/matrix_checks.hpp"

#include <bit>

#include "sparse/wide.hpp"

namespace thresh {
namespace {

// The places where an index does not exceed the one before.
template <class Index>
[[gnu::always_inline]] inline std::uint64_t count_falls(const Index* indices, std::size_t n) {
  std::uint64_t falls = 0;
  constexpr std::size_t kStretch = 4096;  // a narrow counter counts more at once
  for (std::size_t begin = 1; begin < n; begin += kStretch) {
    const std::size_t end = n - begin < kStretch ? n : begin + kStretch;
    Index some = 0;
    for (std::size_t i = begin; i < end; ++i) some += indices[i] <= indices[i - 1] ? 1 : 0;
    falls += static_cast<std::uint64_t>(some);
  }
  return falls;
}

THRESH_WIDE std::uint64_t falls_of(const std::int32_t* indices, std::size_t n) {
  return count_falls(indices, n);
}
THRESH_WIDE std::uint64_t falls_of(const std::int64_t* indices, std::size_t n) {
  return count_falls(indices, n);
}

// All falls must be where a row begins.
template <class Index>
bool ascend(const Index* starts, const Index* indices, std::uint64_t first, std::uint64_t last,
            std::uint64_t columns) {
  const Index begin = starts[first];
  std::uint64_t falls = 0;
  bool good = true;
  for (std::uint64_t row = first; row < last; ++row) {
    const Index from = starts[row], to = starts[row + 1];
    if (from == to) continue;
    good &= indices[from] >= 0 && static_cast<std::uint64_t>(indices[to - 1]) < columns;
    if (from > begin) falls += indices[from] <= indices[from - 1] ? 1 : 0;
  }
  return good && falls == falls_of(indices + begin, static_cast<std::size_t>(starts[last] - begin));
}

// By bits, because comparisons of doubles that are not numbers may trap.
template <class Bits, class Value>
[[gnu::always_inline]] inline ValueKinds look_at(const Value* values, std::size_t n,
                                                 Bits infinity) {
  Bits odd = 0, zeros = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Bits size = std::bit_cast<Bits>(values[i]) << 1;
    odd |= size >= infinity << 1 ? 1 : 0;
    zeros |= size == 0 ? 1 : 0;
  }
  return {odd == 0, zeros != 0};
}

}  // namespace

bool rows_ascend(const std::int32_t* starts, const std::int32_t* indices, std::uint64_t first,
                 std::uint64_t last, std::uint64_t columns) {
  return ascend(starts, indices, first, last, columns);
}
bool rows_ascend(const std::int64_t* starts, const std::int64_t* indices, std::uint64_t first,
                 std::uint64_t last, std::uint64_t columns) {
  return ascend(starts, indices, first, last, columns);
}

THRESH_WIDE ValueKinds kinds_of(const double* values, std::size_t n) {
  return look_at(values, n, std::uint64_t{0x7ff0000000000000});
}
THRESH_WIDE ValueKinds kinds_of(const float* values, std::size_t n) {
  return look_at(values, n, std::uint32_t{0x7f800000});
}

}  // namespace thresh
