// The hash behind --hash-bits. Models depend on it: it must not change.
#pragma once

#include <cstdint>
#include <string_view>

#include "sparse/random.hpp"

namespace thresh {

// FNV-1a (Fowler, Noll & Vo), which is as good as any for a few bytes, and then mixed, since its
// low bits are not; the `bits` lowest.
inline std::uint32_t term_hash(std::string_view term, std::uint32_t bits) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : term) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::uint32_t>(mix(hash) & ((std::uint64_t{1} << bits) - 1));
}

}  // namespace thresh
