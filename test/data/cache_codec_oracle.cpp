// Packed numbers come back bit for bit, whichever form was chosen, and the form is the short one.
#include "data/cache/codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "sparse/random.hpp"

namespace thresh::cache_codec_oracle {
namespace {

Bytes padded(Bytes bytes) {
  bytes.resize(bytes.size() + kPackPadding);
  return bytes;
}

RC_GTEST_PROP(CacheCodec, IntsComeBack, (std::uint64_t base)) {
  const auto spread = *rc::gen::element<std::uint64_t>(1, 256, 257, 65537, 1 << 24, UINT32_MAX);
  const auto offsets =
      *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, spread));
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t offset : offsets) numbers.push_back(base / 2 + offset);
  Bytes bytes;
  const IntCode code = pack_ints(numbers, bytes);
  RC_ASSERT(bytes.size() == code.width * numbers.size());
  bytes = padded(bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    RC_ASSERT(unpack_int(code, bytes.data(), i) == numbers[i]);
  }
}

RC_GTEST_PROP(CacheCodec, AscendingNumbersComeBack, (std::uint64_t seed)) {
  Random random(seed);
  const auto n = *rc::gen::inRange<std::size_t>(0, 40);
  std::set<std::uint32_t> distinct;
  for (std::size_t i = 0; i < n; ++i) {  // gaps of every length
    distinct.insert(static_cast<std::uint32_t>(random.below(std::uint64_t{1} << random.below(33))));
  }
  const std::vector<std::uint32_t> numbers(distinct.begin(), distinct.end());
  Bytes bytes{7};  // they need not begin the array
  pack_ascending(numbers, bytes);
  RC_ASSERT(ascending_bytes(bytes.data() + 1, numbers.size()) == bytes.size() - 1);
  bytes = padded(bytes);
  std::vector<std::uint32_t> back(numbers.size() + kUnpackRoom);
  unpack_ascending(bytes.data() + 1, numbers.size(), back.data());
  back.resize(numbers.size());
  RC_ASSERT(back == numbers);
}

// The code that was chosen for numbers that must come back, from any of them on.
NumberCode round_trip(const std::vector<double>& numbers) {
  Bytes tables, bytes;
  const NumberCode code = pack_numbers(numbers, tables, bytes);
  EXPECT_TRUE(code.is_sound());
  EXPECT_EQ(bytes.size(), code.width * numbers.size());
  EXPECT_EQ(tables.size(), code.table_size * sizeof(double));
  EXPECT_TRUE(places_fit(code, padded(bytes).data(), numbers.size()));
  bytes = padded(bytes);
  for (std::size_t from = 0; from < std::min<std::size_t>(numbers.size(), 5); ++from) {
    const std::size_t n = numbers.size() - from;
    std::vector<double> back(n + kUnpackRoom);
    unpack_numbers(code, tables.data(), bytes.data() + from * code.width, n, back.data());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i]),
                std::bit_cast<std::uint64_t>(numbers[from + i]))
          << numbers[from + i];
    }
  }
  return code;
}

std::vector<double> drawn(std::size_t n, const std::function<double(Random&)>& draw) {
  Random random(n);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < n; ++i) numbers.push_back(draw(random));
  return numbers;
}

TEST(CacheCodec, OnesCostNothing) {
  EXPECT_EQ(round_trip(std::vector<double>(100, 1.0)).kind, NumberCode::ones);
  EXPECT_EQ(round_trip({}).kind, NumberCode::ones);
}

TEST(CacheCodec, DecimalsAreWholeNumbers) {
  const auto counts = round_trip(drawn(500, [](Random& r) { return 1.0 + r.below(200); }));
  EXPECT_EQ(counts.kind, NumberCode::scaled);
  EXPECT_EQ(counts.width, 1);
  const auto six = round_trip(drawn(5000, [](Random& r) { return r.below(1'000'000) / 1e6; }));
  EXPECT_EQ(six.kind, NumberCode::scaled);
  EXPECT_EQ(six.width, 3);
  EXPECT_EQ(six.decimals, 6);
  const auto both = round_trip(
      drawn(5000, [](Random& r) { return (static_cast<double>(r.below(2'000'000)) - 1e6) / 1e3; }));
  EXPECT_EQ(both.width, 3) << "negative ones too";
  const auto wide = round_trip(
      drawn(5000, [](Random& r) { return static_cast<double>(r.below(UINT32_MAX)) - 0x1p31 + 1; }));
  EXPECT_EQ(wide.width, 4) << "from one end of 32 bits to the other";
}

TEST(CacheCodec, FewDistinctOnesAreATable) {
  const auto few = round_trip(drawn(5000, [](Random& r) { return std::sqrt(2.0 + r.below(200)); }));
  EXPECT_EQ(few.kind, NumberCode::table);
  EXPECT_EQ(few.width, 1);
  const auto some =
      round_trip(drawn(20000, [](Random& r) { return std::sqrt(2.0 + r.below(900)); }));
  EXPECT_EQ(some.kind, NumberCode::table);
  EXPECT_EQ(some.width, 2);
}

TEST(CacheCodec, OthersAreFloatsWhereThatLosesNothing) {
  const auto floats = [](Random& r) { return static_cast<double>(static_cast<float>(r.normal())); };
  EXPECT_EQ(round_trip(drawn(1000, floats)).kind, NumberCode::float32);
  EXPECT_EQ(round_trip(drawn(1000, [](Random& r) { return r.normal(); })).kind,
            NumberCode::float64);
}

TEST(CacheCodec, OddNumbersComeBack) {
  round_trip({-0.0, 0.0, 1.0});  // a label may be either zero
  round_trip({5e-324, 1.7976931348623157e308, -1});
  round_trip({0.1, 0.2, 0.30000000000000004});
  round_trip({2147483647, -2147483647, 0.5});
  round_trip({1e-15, 1});
  round_trip({123456789.125, 1e9});
}

RC_GTEST_PROP(CacheCodec, NumbersComeBack, (std::vector<double> numbers)) {
  RC_PRE(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }));
  round_trip(numbers);
}

}  // namespace
}  // namespace thresh::cache_codec_oracle
