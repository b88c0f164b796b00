#include "data/cache_codec.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "thresh/error.hpp"

namespace thresh {

static_assert(std::endian::native == std::endian::little, "caches are read as they lie in memory");

namespace {

constexpr int kMaxDecimals = 15;
constexpr std::array<double, kMaxDecimals + 1> kPowersOfTen = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

std::uint64_t bytes_for(std::uint64_t range) {
  return (std::bit_width(range) + 7) / 8;
}

void append(Bytes& out, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  out.insert(out.end(), bytes, bytes + size);
}

// The padding lets it read four bytes always: a copy of unknown length would be a call.
std::uint32_t load_bytes(const unsigned char* in, std::size_t width) {
  constexpr std::uint32_t kMasks[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};
  std::uint32_t number = 0;
  std::memcpy(&number, in, sizeof number);
  return number & kMasks[width];
}

}  // namespace

IntCode pack_ints(std::span<const std::uint64_t> numbers, Bytes& out) {
  if (numbers.empty()) return {};
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const IntCode code{*least, bytes_for(*most - *least)};
  if (code.width > 4) throw Error("rows of a block are too different for a cache");
  for (const std::uint64_t number : numbers) {
    const std::uint64_t rest = number - code.base;
    append(out, &rest, code.width);
  }
  return code;
}

std::uint64_t unpack_int(const IntCode& code, const unsigned char* in, std::size_t i) {
  return code.base + load_bytes(in + i * code.width, code.width);
}

void pack_ascending(std::span<const std::uint32_t> numbers, Bytes& out) {
  std::size_t key = out.size();
  out.resize(out.size() + (numbers.size() + 3) / 4);
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t difference = numbers[i] - previous;
    const std::uint64_t width = std::max<std::uint64_t>(1, bytes_for(difference));
    out[key] = static_cast<unsigned char>(out[key] | (width - 1) << (2 * (i % 4)));
    if (i % 4 == 3) ++key;
    append(out, &difference, width);
    previous = numbers[i];
  }
}

namespace {

// What one byte of lengths says: how long its four differences are, and where their bytes go.
struct KeyTable {
  std::array<unsigned char, 256> bytes{};
  alignas(16) std::array<std::array<unsigned char, 16>, 256> shuffle{};

  constexpr KeyTable() {
    for (unsigned key = 0; key < 256; ++key) {
      unsigned at = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned width = (key >> (2 * i) & 3) + 1;
        for (unsigned b = 0; b < 4; ++b) {
          shuffle[key][4 * i + b] = static_cast<unsigned char>(b < width ? at + b : 0x80);
        }
        at += width;
      }
      bytes[key] = static_cast<unsigned char>(at);
    }
  }
};
constexpr KeyTable kKeys;

void unpack_ascending_plain(const unsigned char* in, std::size_t n, std::uint32_t* out) {
  const unsigned char* data = in + (n + 3) / 4;
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t width = (in[i / 4] >> (2 * (i % 4)) & 3U) + 1;
    previous += load_bytes(data, width);
    out[i] = previous;
    data += width;
  }
}

double scaled_number(std::uint32_t rest, std::int32_t base, double power) {
  return static_cast<double>(static_cast<std::int32_t>(rest + static_cast<std::uint32_t>(base))) /
         power;
}

void unpack_scaled_plain(const NumberCode& code, const unsigned char* in, std::size_t n,
                         double* out) {
  const double power = kPowersOfTen[code.decimals];
  const auto base = static_cast<std::int32_t>(code.base);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = scaled_number(load_bytes(in + i * code.width, code.width), base, power);
  }
}

#if defined(__x86_64__)

const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;

// 0.3 ns a number where the loop above takes 3, and libstreamvbyte, as Debian builds it, 14.
__attribute__((target("avx2"))) void unpack_ascending_avx2(const unsigned char* in, std::size_t n,
                                                           std::uint32_t* out) {
  const unsigned char* data = in + (n + 3) / 4;
  __m128i previous = _mm_setzero_si128();
  for (std::size_t i = 0; i < n; i += 4) {
    const unsigned char key = *in++;
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
    const __m128i shuffle =
        _mm_load_si128(reinterpret_cast<const __m128i*>(kKeys.shuffle[key].data()));
    __m128i sums = _mm_shuffle_epi8(packed, shuffle);
    sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 4));
    sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 8));
    sums = _mm_add_epi32(sums, previous);
    previous = _mm_shuffle_epi32(sums, 0xff);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), sums);
    data += kKeys.bytes[key];
  }
}

// Division rounds correctly, as does the parser, so k / 10^d is what the text said.
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

constexpr bool kHasAvx2 = false;
constexpr auto unpack_ascending_avx2 = unpack_ascending_plain;
constexpr auto unpack_scaled_avx2 = unpack_scaled_plain;

#endif

}  // namespace

std::size_t ascending_bytes(const unsigned char* in, std::size_t n) {
  std::size_t bytes = (n + 3) / 4;
  for (std::size_t i = 0; i < n; ++i) bytes += (in[i / 4] >> (2 * (i % 4)) & 3U) + 1;
  return bytes;
}

void unpack_ascending(const unsigned char* in, std::size_t n, std::uint32_t* out) {
  kHasAvx2 ? unpack_ascending_avx2(in, n, out) : unpack_ascending_plain(in, n, out);
}

namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Numbers as k / 10^decimals with 32-bit k, if all of them are.
struct Scaled {
  int decimals = 0;
  std::vector<std::int32_t> whole;
  std::int64_t least = 0, most = 0;
};

bool scale(std::span<const double> numbers, Scaled& out) {
  // What has d decimals has d + 1 as well, so that one look from the front finds the most.
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
    if (!try_one(numbers[i], out.whole[i])) return false;  // it has outgrown 32 bits
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
  // Places are two bytes, and a table that is not much smaller than the numbers helps nobody.
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
  for (const T& number : numbers) append(out, &number, width);
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
      code = {NumberCode::scaled,
              static_cast<std::uint8_t>(width),
              static_cast<std::uint8_t>(scaled.decimals),
              0,
              0,
              scaled.least};
    }
  }
  Table table;
  if (code.width > 1 && tabulate(numbers, table)) {
    const std::size_t width = table.distinct.size() <= 256 ? 1 : 2;
    if (width * numbers.size() + 8 * table.distinct.size() < size) {
      code = {NumberCode::table,
              static_cast<std::uint8_t>(width),
              0,
              0,
              static_cast<std::uint32_t>(table.distinct.size()),
              0};
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
    append(out, numbers.data(), numbers.size_bytes());
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

namespace {

template <class Place>
void look_up(const unsigned char* table, const unsigned char* in, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    Place place = 0;
    std::memcpy(&place, in + i * sizeof place, sizeof place);
    std::memcpy(out + i, table + place * sizeof(double), sizeof(double));
  }
}

}  // namespace

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
