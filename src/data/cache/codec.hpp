// How a cache stores numbers: in few bytes, and without loss.
//
// Unpacking reads up to kPackPadding bytes after its input and writes up to kUnpackRoom numbers
// after its output, so that it can process four numbers at a time. Unpacking loops trust their
// input. The checks are elsewhere, and run once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/cache/bytes.hpp"

namespace thresh {

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
