// Packs integers and ascending integers, see codec.hpp.

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>

#include "data/cache/codec.hpp"
#include "sparse/wide.hpp"
#include "thresh/error.hpp"

namespace thresh {

IntCode pack_ints(std::span<const std::uint64_t> numbers, Bytes& out) {
  if (numbers.empty()) return {};
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const IntCode code{*least, bytes_for(*most - *least)};
  if (code.width > 4) throw Error("rows of a block are too different for a cache");
  for (const std::uint64_t number : numbers) {
    const std::uint64_t rest = number - code.base;
    append_bytes(out, &rest, code.width);
  }
  return code;
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
    append_bytes(out, &difference, width);
    previous = numbers[i];
  }
}

namespace {

// For each byte of lengths: the size of its four differences, and where their bytes go.
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

#if defined(__x86_64__)

// 0.3 ns a number. The loop above takes 3, and libstreamvbyte, as Debian builds it, 14.
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

#else

constexpr auto unpack_ascending_avx2 = unpack_ascending_plain;

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

}  // namespace thresh
