// Checks of many entries of a csr matrix at once, with SIMD.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thresh {

// Whether the indices of each of the rows first .. last - 1 ascend from 0 on and end below
// `columns`. `starts` must not fall.
bool rows_ascend(const std::int32_t* starts, const std::int32_t* indices, std::uint64_t first,
                 std::uint64_t last, std::uint64_t columns);
bool rows_ascend(const std::int64_t* starts, const std::int64_t* indices, std::uint64_t first,
                 std::uint64_t last, std::uint64_t columns);

struct ValueKinds {
  bool all_finite;
  bool has_zeros;
};
ValueKinds kinds_of(const double* values, std::size_t n);
ValueKinds kinds_of(const float* values, std::size_t n);

}  // namespace thresh
