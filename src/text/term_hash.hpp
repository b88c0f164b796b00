// The number of a feature under --hash-bits.
#pragma once

#include <cstdint>
#include <string_view>

#include "data/read/name_table.hpp"

namespace thresh {

// As in Vocabulary: the `bits` lowest bits of the name's hash.
inline std::uint32_t term_hash(std::string_view term, std::uint32_t bits) {
  return static_cast<std::uint32_t>(hash_of_name(term) & ((std::uint64_t{1} << bits) - 1));
}

}  // namespace thresh
