// Entries read with AVX2 against those read the plain way, and both against strtod.
#include "data/read/entries.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "sparse/random.hpp"
#include "tools/padded.hpp"

namespace thresh::entries_oracle {
namespace {

using Reader = const char* (*)(const char*, const char*, Entries&);

struct Outcome {
  std::size_t stopped;  // where, from the beginning of the text
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> values;  // as bits
  std::uint64_t next_id;
  bool sorted;
  bool has_zeros;
  bool operator==(const Outcome&) const = default;
};

// The file asks for these things; the text has no line feed of its own.
struct Asked {
  std::uint64_t first_index = 1;
  std::uint64_t id_end = std::uint64_t{1} << 40;
  bool allow_unsorted = false;
  std::size_t room = 10'000;
};

Outcome read(Reader reader, const std::string& text, const Asked& asked = {}) {
  const Padded padded(text + "\n");
  std::vector<std::uint64_t> ids(asked.room);
  std::vector<double> values(asked.room);
  Entries row;
  row.first_index = asked.first_index;
  row.id_end = asked.id_end;
  row.allow_unsorted = asked.allow_unsorted;
  row.ids = ids.data();
  row.values = values.data();
  row.room = asked.room;
  const char* const begin = padded.text().data();
  const char* const stopped = reader(begin, begin + text.size(), row);
  Outcome outcome{
      static_cast<std::size_t>(stopped - begin), {}, {}, row.next_id, row.sorted, row.has_zeros};
  for (std::size_t i = 0; i < row.size; ++i) {
    outcome.ids.push_back(ids[i]);
    outcome.values.push_back(std::bit_cast<std::uint64_t>(values[i]));
  }
  return outcome;
}

std::vector<Reader> readers() {
  std::vector<Reader> all = {read_entries, read_entries_plain};
#if defined(__x86_64__)
  if (can_read_entries_avx2()) all.push_back(read_entries_avx2);
#endif
  return all;
}

void expect_same(const std::string& text, const Asked& asked = {}) {
  const Outcome plain = read(read_entries_plain, text, asked);
  for (const Reader reader : readers()) {
    ASSERT_TRUE(read(reader, text, asked) == plain) << text;
  }
}

// Whether a value is as documented: a decimal that takes up the whole token and is finite. strtod
// also reads hexadecimal and names.
bool is_value(const std::string& text, double& value) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string::npos) return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

// Between two others, so that what lies around the value is there to be confused with it.
void expect_like_strtod(const std::string& text) {
  double value = 0;
  const bool good = is_value(text, value);
  for (const Reader reader : readers()) {
    const Outcome got = read(reader, "3:0.25 17:" + text + " 123456:-7.5");
    ASSERT_EQ(got.ids.size(), good ? 3u : 1u) << text;
    ASSERT_EQ(got.values[0], std::bit_cast<std::uint64_t>(0.25)) << text;
    if (!good) {
      ASSERT_EQ(got.stopped, 7u) << text << ": stops at the entry that it refuses";
      continue;
    }
    ASSERT_EQ(got.values[1], std::bit_cast<std::uint64_t>(value)) << text;
    ASSERT_EQ(got.values[2], std::bit_cast<std::uint64_t>(-7.5)) << text;
    ASSERT_EQ(got.has_zeros, value == 0) << text;
  }
}

std::string digits(Random& random, std::size_t n) {
  std::string text;
  while (text.size() < n) text += static_cast<char>('0' + random.below(10));
  return text;
}

std::string pick(Random& random, std::initializer_list<const char*> choices) {
  return choices.begin()[random.below(choices.size())];
}

// Every shape a decimal can have, around the lengths where the readers change their ways.
std::string random_number(Random& random) {
  std::string text = pick(random, {"", "", "", "-", "-", "+"});
  text += random.below(2) == 0 ? "0" : digits(random, random.below(20));
  if (random.below(4) > 0) text += "." + digits(random, random.below(20));
  if (random.below(10) == 0) text += pick(random, {"e", "E"}) + pick(random, {"", "-", "+"});
  if (random.below(10) == 0) text += digits(random, random.below(4));
  if (random.below(200) == 0) text += digits(random, 400);
  return text;
}

// One character more, less or other.
void mutate(std::string& text, Random& random) {
  constexpr std::string_view kCharacters = "0123456789..::--+eE  \t\r#xX_,/;\x80\xff\x01\x1a\x2a";
  const std::size_t at = random.below(text.size() + 1);
  const char c = kCharacters[random.below(kCharacters.size())];
  switch (random.below(3)) {
    case 0:
      text.insert(at, 1, c);
      break;
    case 1:
      if (at < text.size()) text[at] = c;
      break;
    default:
      if (at < text.size()) text.erase(at, 1);
  }
}

std::string random_row(Random& random, std::size_t entries) {
  std::string text = random.below(4) == 0 ? " " : "";
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    index += 1 + random.below(std::uint64_t{1} << random.below(30));
    const bool usual = random.below(20) > 0;
    text += std::to_string(index) + ":";
    text += usual ? pick(random, {"", "-"}) + "0." + digits(random, 1 + random.below(8))
                  : random_number(random);
    text += random.below(50) > 0 ? " " : pick(random, {"  ", "\t", " \t ", "\r", "   "});
  }
  if (random.below(2) == 0 && !text.empty()) text.pop_back();
  return text;
}

TEST(Entries, OddNumbersAreReadOrRefusedAsDocumented) {
  for (const char* text : {"1e400", "-1e400", "0x1p3", "0x10", "1_000", "1,5",      "1e",   "1e+",
                           "e5",    "nan",    "NAN",   "inf",  "-inf",  "Infinity", "",     "-",
                           "+",     ".",      "-.",    "+.",   "+-1",   "--1",      "1..2", "1.2.3",
                           "1-2",   "1:2",    ":",     "\x01", "1\x01", "\xb2",     "1e5.5"}) {
    double value = 0;
    ASSERT_FALSE(is_value(text, value)) << text;
    expect_like_strtod(text);
  }
  for (const char* text : {"+.5",
                           ".5",
                           "1.",
                           "-1.",
                           "-0",
                           "0",
                           "-0.0",
                           "-.0",
                           "1e-400",
                           "-1e-400",
                           "00001",
                           "0000000000000001",
                           "00000000000000001",
                           "5e-324",
                           "2.2250738585072011e-308",
                           "1E5",
                           "9007199254740993",
                           "9999999999999999",
                           "99999999999999999",
                           ".999999999999999",
                           "999999999999999.",
                           "0.99999999999999",
                           "0.123456789012345",
                           "0.1234567890123456",
                           "-123456.7890123",
                           "1.7976931348623157e308"}) {
    double value = 0;
    ASSERT_TRUE(is_value(text, value)) << text;
    expect_like_strtod(text);
  }
  expect_like_strtod(std::string(400, '9'));
  expect_like_strtod(std::string(300, '9'));
  expect_like_strtod("0." + std::string(400, '1'));
  expect_like_strtod("0." + std::string(3000, '1'));  // longer than what is marked at once
}

void expect_decimals_like_strtod(int count, std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    std::string text = random_number(random);
    expect_like_strtod(text);
    mutate(text, random);
    // Blanks and comments end the value; that is for the next test.
    if (text.find_first_of(" \t\r#") == std::string::npos) expect_like_strtod(text);
  }
}

TEST(Entries, ValuesAreLikeStrtodOnRandomDecimalsAndMutations) {
  expect_decimals_like_strtod(5'000, 1);
}

TEST(Entries, ThoroughlyLikeStrtod) {
  expect_decimals_like_strtod(200'000, 2);
}

TEST(Entries, IndicesOfAnyLength) {
  for (const char* index :
       {"0", "1", "007", "1099511627776", "1099511627777", "12345678", "123456789",
        "0000000000000001", "00000000000000001", "000000000000000001", "0000000000000000001",
        "9999999999999999", "99999999999999999999", "18446744073709551617", "-1", "+1", "1.0", "",
        "x"}) {
    expect_same(std::string(index) + ":1");
    expect_same(std::string(index) + ":0.5 1099511627776:2");
  }
  expect_same(std::string(5000, '0') + "1:1 2:3");
  EXPECT_EQ(read(read_entries, "0000000000000007:1").ids, std::vector<std::uint64_t>{6});
  EXPECT_EQ(read(read_entries, "1099511627776:1").ids.size(), 1u);
  EXPECT_EQ(read(read_entries, "1099511627777:1").ids.size(), 0u);
}

TEST(Entries, BothWaysAgreeOnRandomRowsAndMutations) {
  Random random(2);
  for (int i = 0; i < 20'000 && !HasFatalFailure(); ++i) {
    std::string text = random_row(random, random.below(40));
    Asked asked;
    asked.first_index = random.below(2);
    asked.allow_unsorted = random.below(2) == 0;
    if (random.below(4) == 0) asked.id_end = random.below(100'000);
    if (random.below(4) == 0) asked.room = random.below(30);
    expect_same(text, asked);
    for (std::uint64_t changes = random.below(6); changes > 0; --changes) {
      mutate(text, random);
      expect_same(text, asked);
    }
  }
}

TEST(Entries, BothWaysAgreeOnLongRows) {
  Random random(3);
  for (int i = 0; i < 200 && !HasFatalFailure(); ++i) {
    std::string text = random_row(random, 300);
    expect_same(text);
    mutate(text, random);
    expect_same(text, {1, std::uint64_t{1} << 40, true, 10'000});
  }
  expect_same(std::string(5000, ':'));
  expect_same(std::string(5000, ' '));
  expect_same("1:1" + std::string(5000, ' ') + "2:2");
  expect_same("1:1 # " + std::string(5000, ':'));
}

TEST(Entries, AllOfALongRowIsRead) {
  std::string text;
  for (int i = 1; i <= 5000; ++i) text += std::to_string(i) + ":0.5 ";
  for (const Reader reader : readers()) {
    const Outcome got = read(reader, text);
    EXPECT_EQ(got.ids.size(), 5000u);
    EXPECT_EQ(got.next_id, 5000u);
    EXPECT_EQ(got.stopped, text.size());
  }
}

}  // namespace
}  // namespace thresh::entries_oracle
