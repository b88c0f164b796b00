// Rare cases of elementary.hpp (results and arguments outside the normal range), and pow.

#include "math/elementary.hpp"

#include <limits>

namespace thresh::portable {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// high + low.
struct Parts {
  double high, low;
};

// The upper 26 bits. The product of two such numbers is exact.
double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & (~std::uint64_t{0} << 27));
}

// The logarithm to about 69 bits. r^2 / 2 is exact; for r^3 / 3 a double is enough.
Parts log_parts(const detail::Reduced& x) {
  const double r = x.r;
  const auto k = static_cast<double>(x.exponent);
  const double upper = upper_half(r);
  const double half_square = 0.5 * upper * upper;
  const double whole = k * detail::kLn2.high + x.entry->high;
  const double first = whole + r;
  const double second = first - half_square;
  const double lost = ((whole - first) + r) + ((first - second) - half_square);
  const double r2 = r * r;
  const double series =
      (1.0 / 3 - r * 0.25) + r2 * ((1.0 / 5 - r * (1.0 / 6)) + r2 * (1.0 / 7 - r * 0.125));
  const double low = (k * detail::kLn2.low + x.entry->low) + x.rest * (1 - r) + r2 * r * series -
                     0.5 * (r - upper) * (r + upper) + lost;
  const double high = second + low;
  return {high, (second - high) + low};
}

// x^y for a positive x, given as the bits of a normal number. Its exponent may be below the range.
double power_of_positive(std::uint64_t x, double y) {
  const Parts log = log_parts(detail::reduced(x));
  const double log_upper = upper_half(log.high);
  const double log_lower = (log.high - log_upper) + log.low;
  const double y_upper = upper_half(y);
  const double high = y_upper * log_upper;
  const double low = (y - y_upper) * log_upper + y * log_lower;
  if (!(std::fabs(high) < detail::kFar)) return detail::exp_far(high, low);
  return detail::value_of(detail::power_of(high, low));
}

// The bits of a positive number. A subnormal one gets an exponent below the range.
std::uint64_t bits_of(double x) {
  if (x >= std::numeric_limits<double>::min()) return std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<std::uint64_t>(x * 0x1p52) - (std::uint64_t{52} << 52);
}

bool is_integer(double y) {
  return std::floor(y) == y;
}

bool is_odd(double y) {
  return is_integer(y) && !is_integer(y / 2);
}

constexpr double kTinyPower = 0x1p-66;  // x^y is 1 for any x
constexpr double kHugePower = 0x1p64;   // x^y is 0 or infinite for any x but 1

// For a positive x other than 1 and a y that is not 0; either may be infinite.
double power_of_size(double x, double y) {
  const double size = std::fabs(y);
  if (x == 0 || x == kInfinite || size >= kHugePower) return (x > 1) == (y > 0) ? kInfinite : 0;
  if (size < kTinyPower) return 1;
  return power_of_positive(bits_of(x), y);
}

double pow_special(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return kNoNumber;
  const double size = std::fabs(x);
  if (!std::signbit(x)) return power_of_size(size, y);
  if (size > 0 && size < kInfinite && std::isfinite(y) && !is_integer(y)) return kNoNumber;
  const double power = size == 1 ? 1 : power_of_size(size, y);
  return is_odd(y) ? -power : power;
}

}  // namespace

namespace detail {

double exp_far(double x, double tail) {
  constexpr double kBeyond = 800;  // infinite or 0
  if (std::isnan(x)) return kNoNumber;
  if (std::fabs(x) > kBeyond) return x > 0 ? kInfinite : 0;
  Power power = power_of(x, tail);
  // The steps are signed, although they were read from a positive sum.
  const auto steps = static_cast<std::int32_t>(static_cast<std::uint32_t>(power.steps));
  power.steps %= kTableSize;
  return std::ldexp(value_of(power), steps >> kTableBits);
}

double log_special(double x) {
  if (x == 0) return -kInfinite;
  if (!(x > 0)) return kNoNumber;
  return x == kInfinite ? x : log_of(reduced(bits_of(x)));
}

double log1p_special(double x) {
  if (x == -1) return -kInfinite;
  if (!(x > -1)) return kNoNumber;
  return x < 1 ? x : log(x);
}

}  // namespace detail

double pow(double x, double y) {
  const double size = std::fabs(y);
  const bool common = detail::is_normal_positive(std::bit_cast<std::uint64_t>(x)) && x != 1 &&
                      size >= kTinyPower && size < kHugePower;
  return common ? power_of_positive(std::bit_cast<std::uint64_t>(x), y) : pow_special(x, y);
}

}  // namespace thresh::portable
