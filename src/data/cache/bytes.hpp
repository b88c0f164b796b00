// Reads and writes single numbers in the bytes of a cache.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace thresh {

static_assert(std::endian::native == std::endian::little, "caches are read as they lie in memory");

using Bytes = std::vector<unsigned char>;

inline std::uint64_t bytes_for(std::uint64_t number) {
  return (static_cast<std::uint64_t>(std::bit_width(number)) + 7) / 8;
}

inline void append_bytes(Bytes& out, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

// A number of up to four bytes. Always reads four: a copy of variable length would be a call.
inline std::uint32_t load_bytes(const unsigned char* in, std::size_t width) {
  constexpr std::uint32_t kMasks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};
  std::uint32_t number = 0;
  std::memcpy(&number, in, sizeof number);
  return number & kMasks[width];
}

}  // namespace thresh
