// Two ways to read the entries of a row.
//
// The plain way reads number after number. It must find the end of one before it can start the
// next, and this wait is most of its time.
//
// The AVX2 way first finds the colons and blanks of a stretch of text, 64 bytes at a time. Then the
// position of each entry is known: the index is before the k-th colon, the value between it and the
// k-th blank. Entries do not depend on each other, so the processor works on several at once. A
// usual entry (digits, a colon, perhaps a minus, digits with or without a point, each side up to 16
// characters) is read without a branch on its length. Any other is left to the plain way.
#include "data/read/entries.hpp"

#include <algorithm>
#include <array>
#include <bit>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "data/read/number.hpp"

namespace thresh {
namespace {

// Returns false if the entry is refused.
inline bool add_entry(std::uint64_t index, double value, Entries& row) {
  const std::uint64_t id = index - row.first_index;  // an index that is too small wraps around
  if (id >= row.id_end || row.size == row.room) return false;
  if (id < row.next_id) {
    if (!row.allow_unsorted || id + 1 == row.next_id) return false;
    row.sorted = false;
  }
  row.ids[row.size] = id;
  row.values[row.size] = value;
  row.has_zeros |= value == 0;
  row.next_id = id + 1;
  ++row.size;
  return true;
}

// Reads the entry at p and moves after it. If there is none, leaves p and returns false.
inline bool read_entry(const char*& p, const char* end, Entries& row) {
  const char* s = p;
  double value = 0;
  const std::uint64_t index = parse_index_padded(s);
  if (s == p || *s != ':') return false;
  if (!parse_number_padded(++s, end, value) || !ends_token(s, end)) return false;
  if (!add_entry(index, value, row)) return false;
  p = s;
  return true;
}

}  // namespace

const char* read_entries_plain(const char* p, const char* end, Entries& out) {
  Entries row = out;  // in registers
  p = skip_space(p, end);
  while (!at_row_end(p, end) && read_entry(p, end, row)) p = skip_space(p, end);
  out = row;
  return p;
}

#if defined(__x86_64__)
namespace {

#define THRESH_AVX2 __attribute__((target("avx2,bmi,popcnt")))

// The positions of colons and blanks in a stretch of text. If they alternate, the k-th entry has
// its colon at [2k] and the next blank at [2k + 1]. Of consecutive blanks only the first counts.
struct Marks {
  static constexpr std::size_t kStretch = 2048;
  static constexpr std::size_t kAtOnce = 10;  // enough for 64 bytes of most files
  std::uint16_t at[kStretch + kAtOnce];
  std::size_t entries;
};

// Writes several at a time, needed or not, because their number is hard to predict.
THRESH_AVX2 inline std::uint16_t* write_positions(std::uint64_t bits, std::size_t offset,
                                                  std::uint16_t* out) {
  std::uint16_t* const end = out + std::popcount(bits);
  for (; out < end; out += Marks::kAtOnce) {
    for (std::size_t i = 0; i < Marks::kAtOnce; ++i) {
      out[i] = static_cast<std::uint16_t>(offset + _tzcnt_u64(bits));
      bits = _blsr_u64(bits);
    }
  }
  return end;
}

THRESH_AVX2 inline std::uint64_t bits_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
}

THRESH_AVX2 void find_marks(const char* text, std::size_t bytes, Marks& marks) {
  const __m256i colon = _mm256_set1_epi8(':');
  // Each blank is stored at the index given by its low four bits, so the shuffle returns it.
  const __m256i blank_of = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0));
  std::uint16_t* out = marks.at;
  std::uint64_t after_blank = 0;
  for (std::size_t at = 0; at < bytes; at += 64) {
    const auto* const words = reinterpret_cast<const __m256i*>(text + at);
    const __m256i low = _mm256_loadu_si256(words);
    const __m256i high = _mm256_loadu_si256(words + 1);
    const std::uint64_t colons =
        bits_of(_mm256_cmpeq_epi8(low, colon), _mm256_cmpeq_epi8(high, colon));
    const std::uint64_t blanks =
        bits_of(_mm256_cmpeq_epi8(low, _mm256_shuffle_epi8(blank_of, low)),
                _mm256_cmpeq_epi8(high, _mm256_shuffle_epi8(blank_of, high)));
    std::uint64_t found = colons | (blanks & ~(blanks << 1 | after_blank));
    if (bytes - at < 64) found &= (std::uint64_t{1} << (bytes - at)) - 1;
    out = write_positions(found, at, out);
    after_blank = blanks >> 63;
  }
  marks.entries = static_cast<std::size_t>(out - marks.at) / 2;
}

// kDigits[size][point] moves the digits of a number of `size` characters to the right end of 16
// bytes and removes the point (point == size: none). Bytes of 0x80 become zeros.
constexpr std::size_t kLongest = 16;
using Shuffle = std::array<std::uint8_t, 16>;
constexpr auto kDigits = [] {
  std::array<std::array<Shuffle, kLongest + 1>, kLongest + 1> table{};
  for (std::size_t size = 1; size <= kLongest; ++size) {
    for (std::size_t point = 0; point <= size; ++point) {
      Shuffle& shuffle = table[size][point];
      shuffle.fill(0x80);
      std::size_t to = 16;
      for (std::size_t from = size; from-- > 0;) {
        if (from != point) shuffle[--to] = static_cast<std::uint8_t>(from);
      }
    }
  }
  table[1][0][15] = 0;  // a lone point is treated as a digit, then refused
  return table;
}();

// By sign, and by the number of characters from the point on.
constexpr double kScale[2][kLongest + 1] = {
    {1e0, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
    {-1e0, -1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13,
     -1e14, -1e15}};

THRESH_AVX2 inline __m256i load_two(const void* low, const void* high) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(low))),
      _mm_loadu_si128(static_cast<const __m128i*>(high)), 1);
}

// Converts two times 16 digits to two numbers, via pairs, fours and eights.
THRESH_AVX2 inline __m256i combine_digits(__m256i digits) {
  const __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 | 1 << 8));
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 | 1 << 16));
  const __m256i packed = _mm256_packus_epi32(fours, fours);
  const __m256i eights = _mm256_madd_epi16(packed, _mm256_set1_epi32(10000 | 1 << 16));
  return _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)),
                          _mm256_srli_epi64(eights, 32));
}

// Reads entries from the k-th on, which begins at p, while they are usual, in range and ascending.
// Moves p to the first one that is not, and returns its number.
THRESH_AVX2 __attribute__((noinline)) std::size_t read_usual(const char* text, const Marks& marks,
                                                             std::size_t k, const char*& p,
                                                             Entries& out) {
  const char* token = p;
  Entries row = out;  // in registers
  const std::size_t stop = std::min(marks.entries, k + (row.room - row.size));
  std::uint64_t smallest = 1;  // of the mantissas, to detect zeros
  for (; k < stop; ++k) {
    const char* const colon = text + marks.at[2 * k];
    const char* const blank = text + marks.at[2 * k + 1];
    if (*colon != ':' || *blank == ':') break;
    const std::size_t minus = colon[1] == '-' ? 1 : 0;
    const char* const number = colon + 1 + minus;
    const auto index_size = static_cast<std::size_t>(colon - token);
    const auto size = static_cast<std::size_t>(blank - number);
    if (((index_size - 1) | (size - 1)) >= kLongest) break;  // 0 wraps around

    const __m128i points = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(number)),
                                          _mm_set1_epi8('.'));
    const std::size_t point =
        _tzcnt_u32(static_cast<std::uint32_t>(_mm_movemask_epi8(points)) | 1U << size);
    const __m256i digits =
        _mm256_shuffle_epi8(_mm256_sub_epi8(load_two(token, number), _mm256_set1_epi8('0')),
                            load_two(&kDigits[index_size][index_size], &kDigits[size][point]));
    const __m256i above_nine = _mm256_subs_epu8(digits, _mm256_set1_epi8(9));
    if (!_mm256_testz_si256(above_nine, above_nine)) break;

    const __m256i numbers = combine_digits(digits);
    const std::uint64_t id =
        static_cast<std::uint64_t>(_mm256_extract_epi64(numbers, 0)) - row.first_index;
    if (id >= row.id_end || id < row.next_id) break;
    const auto mantissa = static_cast<std::uint64_t>(_mm256_extract_epi64(numbers, 2));
    smallest = std::min(smallest, mantissa);
    row.ids[row.size] = id;
    // With a point there are at most 15 digits: both operands are exact, so there is one rounding.
    row.values[row.size] =
        static_cast<double>(static_cast<std::int64_t>(mantissa)) / kScale[minus][size - point];
    ++row.size;
    row.next_id = id + 1;
    token = blank + 1;
  }
  p = token;
  out.size = row.size;
  out.next_id = row.next_id;
  out.has_zeros |= smallest == 0;
  return k;
}

}  // namespace

bool can_read_entries_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0;
}

const char* read_entries_avx2(const char* p, const char* end, Entries& row) {
  constexpr int kPatience = 8;
  int in_vain = 0;  // times in a row without a usual entry
  Marks marks;
  for (p = skip_space(p, end); !at_row_end(p, end); p = skip_space(p, end)) {
    const char* const text = p;
    const auto left = static_cast<std::size_t>(end + 1 - p);
    find_marks(text, std::min(Marks::kStretch, left), marks);
    // One iteration more than there are marks, because the stretch may end within an entry.
    for (std::size_t k = 0; k <= marks.entries; ++k) {
      const char* const before = p;
      k = read_usual(text, marks, k, p, row);
      in_vain = p == before ? in_vain + 1 : 0;
      if (in_vain == kPatience) return read_entries_plain(p, end, row);
      p = skip_space(std::min(p, end), end);  // the blank after the last entry is the line feed
      if (at_row_end(p, end) || !read_entry(p, end, row)) return p;
      p = skip_space(p, end);
    }
  }
  return p;
}

const char* read_entries(const char* p, const char* end, Entries& row) {
  static const bool avx2 = can_read_entries_avx2();
  return avx2 ? read_entries_avx2(p, end, row) : read_entries_plain(p, end, row);
}
#else
const char* read_entries(const char* p, const char* end, Entries& row) {
  return read_entries_plain(p, end, row);
}
#endif

}  // namespace thresh
