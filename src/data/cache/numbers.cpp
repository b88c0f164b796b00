// Packs doubles, see codec.hpp.

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "data/cache/codec.hpp"
#include "sparse/wide.hpp"

namespace thresh {
namespace {

constexpr int kMaxDecimals = 15;
constexpr std::array<double, kMaxDecimals + 1> kPowersOfTen = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Numbers as k / 10^decimals with 32-bit k, if that is possible for all.
struct Scaled {
  int decimals = 0;
  std::vector<std::int32_t> whole;
  std::int64_t least = 0, most = 0;
};

bool scale(std::span<const double> numbers, Scaled& out) {
  // A number with d decimals also has d + 1, so one pass from the front finds the maximum.
  const auto try_one = [&](double number, std::int32_t& whole) {
    const double rounded = std::nearbyint(number * kPowersOfTen[out.decimals]);
    if (!(std::fabs(rounded) <= std::numeric_limits<std::int32_t>::max())) return false;
    whole = static_cast<std::int32_t>(rounded);
    return same_bits(whole / kPowersOfTen[out.decimals], number);
  };
  std::int32_t whole = 0;
  for (const double number : numbers) {
    while (!try_one(number, whole)) {
      if (++out.decimals > kMaxDecimals) return false;
    }
  }
  out.whole.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!try_one(numbers[i], out.whole[i])) return false;  // it exceeds 32 bits
  }
  const auto [least, most] = std::minmax_element(out.whole.begin(), out.whole.end());
  out.least = *least;
  out.most = *most;
  return true;
}

struct Table {
  std::vector<double> distinct;
  std::vector<std::uint16_t> places;
};

bool tabulate(std::span<const double> numbers, Table& out) {
  // Places take two bytes, and a table hardly smaller than the numbers saves nothing.
  const std::size_t limit = std::min<std::size_t>(65536, numbers.size() / 4 + 16);
  std::unordered_map<std::uint64_t, std::uint16_t> known;
  out.places.reserve(numbers.size());
  for (const double number : numbers) {
    const auto next = static_cast<std::uint16_t>(out.distinct.size());
    const auto [at, is_new] = known.try_emplace(std::bit_cast<std::uint64_t>(number), next);
    if (is_new) {
      if (out.distinct.size() == limit) return false;
      out.distinct.push_back(number);
    }
    out.places.push_back(at->second);
  }
  return true;
}

// Appends each number in `width` bytes.
template <class T>
void append_each(Bytes& out, const std::vector<T>& numbers, std::size_t width) {
  for (const T& number : numbers) append_bytes(out, &number, width);
}

void unpack_scaled_plain(const NumberCode& code, const unsigned char* in, std::size_t n,
                         double* out) {
  const double power = kPowersOfTen[code.decimals];
  const auto base = static_cast<std::uint32_t>(code.base);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t rest = load_bytes(in + i * code.width, code.width);
    out[i] = static_cast<std::int32_t>(rest + base) / power;
  }
}

#if defined(__x86_64__)

// Division rounds correctly, like the parser, so k / 10^d is the number of the text.
__attribute__((target("avx2"))) void unpack_scaled_avx2(const NumberCode& code,
                                                        const unsigned char* in, std::size_t n,
                                                        double* out) {
  alignas(16) unsigned char spread[16];
  for (unsigned i = 0; i < 16; ++i) {
    spread[i] = static_cast<unsigned char>(i % 4 < code.width ? i / 4 * code.width + i % 4 : 0x80);
  }
  const __m128i shuffle = _mm_load_si128(reinterpret_cast<const __m128i*>(spread));
  const __m128i base = _mm_set1_epi32(static_cast<int>(code.base));
  const __m256d power = _mm256_set1_pd(kPowersOfTen[code.decimals]);
  const std::size_t step = 4 * std::size_t{code.width};
  for (std::size_t i = 0; i < n; i += 4, in += step) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    const __m128i whole = _mm_add_epi32(_mm_shuffle_epi8(packed, shuffle), base);
    _mm256_storeu_pd(out + i, _mm256_div_pd(_mm256_cvtepi32_pd(whole), power));
  }
}

#else

constexpr auto unpack_scaled_avx2 = unpack_scaled_plain;

#endif

template <class Place>
void look_up(const unsigned char* table, const unsigned char* in, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    Place place = 0;
    std::memcpy(&place, in + i * sizeof place, sizeof place);
    std::memcpy(out + i, table + place * sizeof(double), sizeof(double));
  }
}

}  // namespace

NumberCode pack_numbers(std::span<const double> numbers, Bytes& tables, Bytes& out) {
  const auto all = [&](auto holds) { return std::all_of(numbers.begin(), numbers.end(), holds); };
  NumberCode code;
  if (all([](double x) { return x == 1; })) return code;
  const auto is_float = [](double x) { return same_bits(static_cast<float>(x), x); };
  code.kind = all(is_float) ? NumberCode::float32 : NumberCode::float64;
  code.width = code.kind == NumberCode::float32 ? 4 : 8;
  std::size_t size = code.width * numbers.size();
  Scaled scaled;
  if (scale(numbers, scaled)) {
    const auto range = static_cast<std::uint64_t>(scaled.most - scaled.least);
    const std::uint64_t width = std::max<std::uint64_t>(1, bytes_for(range));
    if (width * numbers.size() < size) {
      size = width * numbers.size();
      code.kind = NumberCode::scaled;
      code.width = static_cast<std::uint8_t>(width);
      code.decimals = static_cast<std::uint8_t>(scaled.decimals);
      code.base = scaled.least;
    }
  }
  Table table;
  if (code.width > 1 && tabulate(numbers, table)) {
    const std::size_t width = table.distinct.size() <= 256 ? 1 : 2;
    if (width * numbers.size() + 8 * table.distinct.size() < size) {
      code = {.kind = NumberCode::table,
              .width = static_cast<std::uint8_t>(width),
              .table_size = static_cast<std::uint32_t>(table.distinct.size())};
    }
  }
  if (code.kind == NumberCode::table) {
    append_each(tables, table.distinct, sizeof(double));
    append_each(out, table.places, code.width);
  } else if (code.kind == NumberCode::scaled) {
    for (std::int32_t& whole : scaled.whole) {
      whole = static_cast<std::int32_t>(static_cast<std::uint32_t>(whole) -
                                        static_cast<std::uint32_t>(code.base));
    }
    append_each(out, scaled.whole, code.width);
  } else if (code.kind == NumberCode::float32) {
    append_each(out, std::vector<float>(numbers.begin(), numbers.end()), sizeof(float));
  } else {
    append_bytes(out, numbers.data(), numbers.size_bytes());
  }
  return code;
}

bool NumberCode::is_sound() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint8_t kNarrowest[] = {0, 1, 1, 4, 8};
  constexpr std::uint8_t kWidest[] = {0, 2, 4, 4, 8};
  return kind < kinds && width >= kNarrowest[kind] && width <= kWidest[kind] &&
         decimals <= kMaxDecimals && zero == 0 && base >= -kMost && base <= kMost &&
         table_size <= 65536;
}

bool places_fit(const NumberCode& code, const unsigned char* in, std::size_t n) {
  if (code.kind != NumberCode::table) return true;
  for (std::size_t i = 0; i < n; ++i) {
    if (load_bytes(in + i * code.width, code.width) >= code.table_size) return false;
  }
  return true;
}

void unpack_numbers(const NumberCode& code, const unsigned char* table, const unsigned char* in,
                    std::size_t n, double* out) {
  switch (code.kind) {
    case NumberCode::ones:
      std::fill_n(out, n, 1.0);
      break;
    case NumberCode::table:
      code.width == 1 ? look_up<std::uint8_t>(table, in, n, out)
                      : look_up<std::uint16_t>(table, in, n, out);
      break;
    case NumberCode::scaled:
      kHasAvx2 ? unpack_scaled_avx2(code, in, n, out) : unpack_scaled_plain(code, in, n, out);
      break;
    case NumberCode::float32:
      for (std::size_t i = 0; i < n; ++i) {
        float number = 0;
        std::memcpy(&number, in + i * sizeof number, sizeof number);
        out[i] = number;
      }
      break;
    default:
      if (n > 0) std::memcpy(out, in, n * sizeof(double));
  }
}

}  // namespace thresh
