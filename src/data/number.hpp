// Numbers from text, the parser's inner loop.
//
// Both functions read from `p` and move it behind the number. The text must end in a character that
// cannot continue a number (the reader guarantees a line feed), so no digit loop checks for the
// end.
#pragma once

#include <fast_float/fast_float.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace thresh {

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// An unsigned integer of at most 18 digits; more saturate, which every caller refuses as too large.
inline std::uint64_t parse_index(const char*& p) {
  const char* start = p;
  std::uint64_t value = 0;
  while (is_digit(*p)) value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
  return p - start <= 18 ? value : std::numeric_limits<std::uint64_t>::max();
}

// A decimal number, correctly rounded; false if there is none. The result may be infinite or NaN
// (also by overflow: "1e400"); the caller decides. A magnitude too small for a double gives 0.
//
// Data files are full of short decimals: up to 2^53 divided by a power of ten up to 10^22, both
// exact, one rounding (Clinger 1990). Anything else goes to fast_float.
inline bool parse_number(const char*& p, const char* end, double& out) {
  static constexpr double kPowerOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* s = p;
  const bool negative = *s == '-';
  if (*s == '-' || *s == '+') ++s;
  const char* const unsigned_start = s;
  std::uint64_t mantissa = 0;
  while (is_digit(*s)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*s++ - '0');
  auto digits = s - unsigned_start;
  std::ptrdiff_t fraction = 0;
  if (*s == '.') {
    const char* const fraction_start = ++s;
    while (is_digit(*s)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*s++ - '0');
    fraction = s - fraction_start;
    digits += fraction;
  }
  const bool exponent = *s == 'e' || *s == 'E';
  if (digits > 0 && digits <= 19 && !exponent && mantissa <= (std::uint64_t{1} << 53)) {
    const double magnitude = static_cast<double>(mantissa) / kPowerOfTen[fraction];
    out = negative ? -magnitude : magnitude;
    p = s;
    return true;
  }
  if (*unsigned_start == '-' || *unsigned_start == '+') return false;
  const auto [rest, status] = fast_float::from_chars(unsigned_start, end, out);
  if (status == std::errc::invalid_argument) return false;
  if (negative) out = -out;
  p = rest;
  return true;
}

}  // namespace thresh
