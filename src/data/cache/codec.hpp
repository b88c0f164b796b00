// How a cache stores numbers: in few bytes, and without loss.
//
// Unpacking reads up to kPackPadding bytes after its input and writes up to kUnpackRoom numbers
// after its output, so that it can process four numbers at a time. Unpacking loops trust their
// input. The checks are elsewhere, and run once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
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

inline constexpr std::size_t kPackPadding = 16;
inline constexpr std::size_t kUnpackRoom = 4;

// Integers as base + 0, 1, 2, 3 or 4 bytes each, with one width for all.
struct IntCode {
  std::uint64_t base = 0;
  std::uint64_t width = 0;
};
// Throws Error if they are more than 32 bits apart.
IntCode pack_ints(std::span<const std::uint64_t> numbers, Bytes& out);
inline std::uint64_t unpack_int(const IntCode& code, const unsigned char* in, std::size_t i) {
  return code.base + load_bytes(in + i * code.width, code.width);
}

// Ascending numbers as differences of one to four bytes each: first the lengths, two bits each,
// then the differences (the layout of Lemire, Kurz & Rupp, "Stream VByte", 2017).
void pack_ascending(std::span<const std::uint32_t> numbers, Bytes& out);
// Their size in bytes, computed from the first (n + 3) / 4 bytes.
std::size_t ascending_bytes(const unsigned char* in, std::size_t n);
void unpack_ascending(const unsigned char* in, std::size_t n, std::uint32_t* out);

// Doubles, in the shortest of these lossless forms.
struct NumberCode {
  enum Kind : std::uint8_t {
    ones,     // nothing is stored
    table,    // places in a table of the distinct numbers, one or two bytes each
    scaled,   // decimal fractions k / 10^decimals, as k - base in one to four bytes
    float32,  // four bytes
    float64,  // eight bytes
    kinds
  };
  std::uint8_t kind = ones;
  std::uint8_t width = 0;  // bytes per number
  std::uint8_t decimals = 0;
  std::uint8_t zero = 0;
  std::uint32_t table_size = 0;
  std::int64_t base = 0;

  bool is_sound() const;
};
// Appends the table to `tables` and the numbers to `out`.
NumberCode pack_numbers(std::span<const double> numbers, Bytes& tables, Bytes& out);
// Unpacks the numbers that begin at `in`.
void unpack_numbers(const NumberCode& code, const unsigned char* table, const unsigned char* in,
                    std::size_t n, double* out);
// Whether all places are within the table, so that unpacking is safe.
bool places_fit(const NumberCode& code, const unsigned char* in, std::size_t n);

}  // namespace thresh
