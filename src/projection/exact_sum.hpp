// A sum of doubles without rounding: one fixed-point number wide enough for every double and 2^64
// of the largest (Kulisch's accumulator). An addition takes some 5 ns, so it is used for few
// numbers, or where nothing else works: sums of 1e300 and 1e-300, or sums that almost equal the
// radius.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace thresh {

__extension__ using Wide = unsigned __int128;

// The parts of a finite double's magnitude: fraction * 2^(place - 1074).
struct BinaryParts {
  explicit BinaryParts(double v) {
    const auto bits = std::bit_cast<std::uint64_t>(v) & ~(std::uint64_t{1} << 63);
    const auto exponent = static_cast<unsigned>(bits >> 52);
    const std::uint64_t low = bits & ((std::uint64_t{1} << 52) - 1);
    fraction = exponent == 0 ? low : low | (std::uint64_t{1} << 52);
    place = exponent == 0 ? 0 : exponent - 1;
  }

  std::uint64_t fraction;
  unsigned place;
};

class ExactSum {
 public:
  void add(double v) { add_multiple(v, 1); }
  void subtract(double v) { add_multiple(-v, 1); }

  void add_multiple(double v, std::uint64_t times) {
    const BinaryParts parts(v);
    if (std::signbit(v)) {
      subtract(Wide{parts.fraction} * times, parts.place);
    } else {
      add(Wide{parts.fraction} * times, parts.place);
    }
  }

  // Adds value * 2^(place - 1074), place <= 2045.
  void add(Wide value, unsigned place) {
    const Pieces p(value, place);
    std::uint64_t carry = 0;
    unsigned i = place / 64;
    for (const std::uint64_t piece : p.words) carry = add_word(words_[i++], piece, carry);
    while (carry != 0 && i < kWords) carry = add_word(words_[i++], 0, carry);
  }

  void subtract(Wide value, unsigned place) {
    const Pieces p(value, place);
    std::uint64_t borrow = 0;
    unsigned i = place / 64;
    for (const std::uint64_t piece : p.words) borrow = subtract_word(words_[i++], piece, borrow);
    while (borrow != 0 && i < kWords) borrow = subtract_word(words_[i++], 0, borrow);
  }

  bool negative() const { return words_.back() >> 63 != 0; }

  // The sum divided by a count (not 0), rounded once.
  double divided_by(std::uint64_t count) const {
    if (negative()) return -negated().divided_by(count);
    int top = kWords - 1;
    while (top > 0 && words_[static_cast<unsigned>(top)] == 0) --top;
    // The leading 128 bits, and whether non-zero bits follow.
    const int shift = std::countl_zero(word(top));
    if (shift == 64) return 0;
    Wide leading = ((Wide{word(top)} << 64) | word(top - 1)) << shift;
    if (shift > 0) leading |= word(top - 2) >> (64 - shift);
    bool more = word(top - 2) << shift != 0;
    for (int i = top - 3; i >= 0 && !more; --i) more = word(i) != 0;
    // The quotient has more bits than a double, so its lowest bit can represent all lower ones.
    Wide quotient = leading / count;  // NOLINT(clang-analyzer-core.DivideZero): callers count first
    if (more || leading % count != 0) quotient |= 1;
    return std::ldexp(static_cast<double>(quotient), 64 * (top - 1) - shift - 1074);
  }

 private:
  static constexpr unsigned kWords = 36;  // bit 0 is 2^-1074; the top bit is the sign

  // A shifted value, split into words.
  struct Pieces {
    Pieces(Wide value, unsigned place) {
      const unsigned by = place % 64;
      const Wide low = value << by;
      words = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
               by == 0 ? 0 : static_cast<std::uint64_t>(value >> (128 - by))};
    }
    std::array<std::uint64_t, 3> words;
  };

  static std::uint64_t add_word(std::uint64_t& word, std::uint64_t piece, std::uint64_t carry) {
    const Wide sum = Wide{word} + piece + carry;
    word = static_cast<std::uint64_t>(sum);
    return static_cast<std::uint64_t>(sum >> 64);
  }
  static std::uint64_t subtract_word(std::uint64_t& word, std::uint64_t piece,
                                     std::uint64_t borrow) {
    const Wide difference = Wide{word} - piece - borrow;
    word = static_cast<std::uint64_t>(difference);
    return static_cast<std::uint64_t>(difference >> 64) & 1;
  }

  ExactSum negated() const {
    ExactSum result;
    std::uint64_t borrow = 0;
    for (unsigned i = 0; i < kWords; ++i) {
      borrow = subtract_word(result.words_[i], words_[i], borrow);
    }
    return result;
  }

  std::uint64_t word(int i) const { return i < 0 ? 0 : words_[static_cast<unsigned>(i)]; }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace thresh
