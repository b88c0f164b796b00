// Parses numbers in text, and the blanks between them: the inner loop of the parser.
//
// The functions read from `p` and move it after the number. The text must end in a character that
// cannot continue a number (the reader guarantees a line feed), so no digit loop checks for the
// end.
//
// Numbers in data files are short and vary in length, so a loop over digits mispredicts its end at
// nearly every number. The _padded variants take up to eight digits at once, without a branch on
// their number. They need kTextPadding readable bytes after the text.
#pragma once

#include <fast_float/fast_float.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace thresh {

// The characters that separate the fields of a line.
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Skips the blanks at p, up to `end`.
inline const char* skip_space(const char* p, const char* end) {
  while (p < end && is_space(*p)) ++p;
  return p;
}

// Whether the row ends at p: the line ends there, or a comment begins.
inline bool at_row_end(const char* p, const char* end) {
  return p == end || *p == '#';
}

inline bool ends_token(const char* p, const char* end) {
  return at_row_end(p, end) || is_space(*p);
}

// Whether the line is empty or only a comment, so not a row.
inline bool is_blank_line(const char* begin, const char* end) {
  return at_row_end(skip_space(begin, end), end);
}

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// An unsigned integer of at most 18 digits. Longer ones saturate, and every caller refuses them.
inline std::uint64_t parse_index(const char*& p) {
  const char* start = p;
  std::uint64_t value = 0;
  while (is_digit(*p)) value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
  return p - start <= 18 ? value : std::numeric_limits<std::uint64_t>::max();
}

// parse_number() without the fast path.
inline bool parse_any_number(const char*& p, const char* end, double& out) {
  const char* s = p;
  const bool negative = *s == '-';
  if (*s == '-' || *s == '+') ++s;
  if (*s == '-' || *s == '+') return false;  // fast_float would accept another sign
  const auto [rest, status] = fast_float::from_chars(s, end, out);
  if (status == std::errc::invalid_argument) return false;
  if (negative) out = -out;
  p = rest;
  return true;
}

// A decimal number, correctly rounded; false if there is none. The result may be infinite or NaN
// (also by overflow: "1e400"); the caller decides. A magnitude too small for a double gives 0.
//
// Most numbers are short decimals: at most 2^53, divided by at most 10^22. Both are exact, so there
// is one rounding (Clinger 1990). fast_float parses all others.
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
  return parse_any_number(p, end, out);
}

inline constexpr std::size_t kTextPadding = 64;

// The number of leading digits in the 8 bytes at s (0 to 8), and their value.
struct Digits {
  unsigned count;
  std::uint32_t value;
};

inline Digits leading_digits(const char* s) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t bytes;
  std::memcpy(&bytes, s, sizeof bytes);
  bytes ^= 0x3030303030303030;  // digits become 0 .. 9, everything else is larger
  // Adding 0x76 sets the top bit of a byte of 10 or more. A carry out of a byte can affect only
  // later bytes, and the first byte that is not a digit decides.
  const std::uint64_t other = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
  const auto count = static_cast<unsigned>(std::countr_zero(other)) / 8;  // 8 if there is none
  if (count == 0) return {0, 0};
  bytes <<= 64 - 8 * count;  // leading zeros replace what follows
  // Combines pairs, then fours, then eight digits (the well-known multiplications; see fast_float).
  bytes = bytes * 10 + (bytes >> 8);
  const std::uint64_t low = (bytes & 0x000000FF000000FF) * 0x000F424000000064;
  const std::uint64_t high = ((bytes >> 16) & 0x000000FF000000FF) * 0x0000271000000001;
  return {count, static_cast<std::uint32_t>((low + high) >> 32)};
}

inline std::uint64_t parse_index_padded(const char*& p) {
  const Digits digits = leading_digits(p);
  if (digits.count == 8) return parse_index(p);
  p += digits.count;
  return digits.value;
}

// Reads the rest of a number of up to 19 digits with a point and eight digits after it. `whole` and
// `fraction` have been read, and s is after them. Programs that print all digits of a double write
// such numbers. Does nothing and returns false for any other.
inline bool parse_long_number(const char*& s, Digits whole, Digits fraction, double& magnitude) {
  static constexpr std::uint64_t kTens[] = {1,      10,      100,      1000,     10000,
                                            100000, 1000000, 10000000, 100000000};
  std::uint64_t mantissa = whole.value * kTens[8] + fraction.value;
  unsigned decimals = fraction.count;
  const char* end = s;
  for (Digits more{8, 0}; more.count == 8;) {
    more = leading_digits(end);
    end += more.count;
    decimals += more.count;
    if (decimals + (whole.value != 0 ? whole.count : 0) > 19) return false;
    mantissa = mantissa * kTens[more.count] + more.value;
  }
  if (*end == 'e' || *end == 'E') return false;
  // Eisel & Lemire's product with 128 bits of a power of ten. It certainly rounds exactly down to
  // 10^-27.
  using Double = fast_float::binary_format<double>;
  static_assert(
      std::is_same_v<decltype(fast_float::compute_float<Double>(std::int64_t{}, std::uint64_t{})),
                     fast_float::adjusted_mantissa>,
      "compute_float() is no public function of fast_float, and is another one here");
  const auto parts =
      fast_float::compute_float<Double>(-static_cast<std::int64_t>(decimals), mantissa);
  magnitude =
      std::bit_cast<double>(parts.mantissa | static_cast<std::uint64_t>(parts.power2) << 52);
  s = end;
  return true;
}

// Accepts finite numbers only.
inline bool parse_number_padded(const char*& p, const char* end, double& out) {
  static constexpr double kPowerOfTen[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  const bool negative = *p == '-';
  const char* s = p + (negative ? 1 : 0);
  // Most values are 0.something. This guess lets the processor continue before it has counted.
  const Digits whole = is_digit(s[0]) && s[1] == '.'
                           ? Digits{1, static_cast<std::uint32_t>(s[0] - '0')}
                           : leading_digits(s);
  s += whole.count;
  Digits fraction{0, 0};
  if (*s == '.') {
    fraction = leading_digits(++s);
    s += fraction.count;
  }
  double magnitude = 0;
  if (whole.count < 8 && fraction.count == 8 && parse_long_number(s, whole, fraction, magnitude)) {
    out = negative ? -magnitude : magnitude;
    p = s;
    return true;
  }
  const bool simple = whole.count < 8 && fraction.count < 8 && whole.count + fraction.count > 0;
  if (!simple || *s == 'e' || *s == 'E') {
    return parse_any_number(p, end, out) && std::isfinite(out);
  }
  // At most 14 digits: both operands are exact, and the quotient is rounded once.
  const double scale = kPowerOfTen[fraction.count];
  magnitude = (whole.value * scale + fraction.value) / scale;
  out = negative ? -magnitude : magnitude;
  p = s;
  return true;
}

}  // namespace thresh
