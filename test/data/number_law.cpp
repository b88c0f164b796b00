// Numbers from text: the C library's strtod is slow and right, so it is the law.
#include "data/read/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "sparse/random.hpp"

namespace thresh::number_law {
namespace {

struct Parsed {
  bool ok;
  double value;
  std::size_t length;  // of the text that was the number
};

// As the reader calls it: the line feed lies at the end and is not part of the text.
Parsed parse(const std::string& text) {
  const std::string line = text + "\n";
  const char* p = line.data();
  double value = 0;
  const bool ok = parse_number(p, line.data() + text.size(), value);
  return {ok, value, static_cast<std::size_t>(p - line.data())};
}

// The reader's fast variant against the plain one, with digits where it must not look for any.
void expect_padded_agrees(const std::string& text, const Parsed& plain) {
  const std::string line = text + "\n" + std::string(kTextPadding, '7');
  const char* p = line.data();
  double value = 0;
  const bool ok = parse_number_padded(p, line.data() + text.size(), value);
  ASSERT_EQ(ok, plain.ok && std::isfinite(plain.value)) << text;
  if (!ok) return;
  ASSERT_EQ(static_cast<std::size_t>(p - line.data()), plain.length) << text;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(plain.value)) << text;
}

void expect_like_strtod(const std::string& text) {
  char* end = nullptr;
  const double expected = std::strtod(text.c_str(), &end);
  const auto length = static_cast<std::size_t>(end - text.c_str());
  const Parsed got = parse(text);
  ASSERT_EQ(got.ok, length > 0) << text;
  ASSERT_EQ(got.length, length) << text;
  expect_padded_agrees(text, got);
  if (!got.ok) return;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(got.value), std::bit_cast<std::uint64_t>(expected))
      << text << ": " << got.value << " instead of " << expected;
}

std::string digits(Random& random, std::size_t n) {
  std::string text;
  while (text.size() < n) text += static_cast<char>('0' + random.below(10));
  return text;
}

std::string random_sign(Random& random) {
  const char* const signs[] = {"", "", "-", "+"};
  return signs[random.below(4)];
}

// Digits before and after a point, either of which may be missing but not both.
std::string random_decimal(Random& random, std::size_t most_digits) {
  const std::size_t before = random.below(most_digits);
  const std::size_t after = random.below(most_digits) + (before == 0 ? 1 : 0);
  const std::string zeros(random.below(4) == 0 ? random.below(25) : 0, '0');
  std::string text = random_sign(random) + zeros + digits(random, before);
  if (after > 0 || random.below(2) == 0) text += ".";
  if (after > 0 && random.below(4) == 0) text += std::string(random.below(25), '0');
  return text + digits(random, after);
}

std::string random_exponent(Random& random, std::uint64_t largest) {
  const std::string letter(1, random.below(2) == 0 ? 'e' : 'E');
  return letter + random_sign(random) + std::to_string(random.below(largest + 1));
}

// printf of a long double is exact if it may write enough digits: no double needs more than these.
std::string exactly(long double value) {
  std::string text(1200, '\0');
  text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.1100Le", value)));
  return text;
}

double random_double(Random& random) {
  for (;;) {
    const double value = std::bit_cast<double>(random.next());
    if (std::isfinite(value)) return value;
  }
}

void for_random(std::uint64_t seed, int times, const std::function<std::string(Random&)>& make) {
  Random random(seed);
  for (int i = 0; i < times; ++i) {
    expect_like_strtod(make(random));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ParseNumber, AgreesWithStrtodOnEveryShortText) {
  // Every text of up to six of these characters, sense and nonsense alike.
  constexpr std::string_view kAlphabet = "019.e+-";
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size() && !HasFatalFailure(); ++i) {
    const std::string text = texts[i];
    expect_like_strtod(text);
    if (text.size() == 6) continue;
    for (const char c : kAlphabet) texts.push_back(text + c);
  }
}

TEST(ParseNumber, AgreesWithStrtodOnShortDecimals) {
  for_random(1, 200'000, [](Random& random) { return random_decimal(random, 8); });
}

TEST(ParseNumber, AgreesWithStrtodAroundTheLimitsOfTheShortCut) {
  for_random(2, 100'000, [](Random& random) { return random_decimal(random, 13); });
  for_random(3, 100'000, [](Random& random) {
    const std::uint64_t near = (std::uint64_t{1} << 53) + random.below(11) - 5;
    std::string text = std::to_string(near);
    text.insert(random.below(text.size() + 1), 1, '.');
    return std::string(random.below(6), '0') + text + std::string(random.below(6), '0');
  });
}

TEST(ParseNumber, AgreesWithStrtodOnLongDecimals) {
  for_random(4, 50'000, [](Random& random) { return random_decimal(random, 60); });
  for_random(5, 2'000, [](Random& random) { return random_decimal(random, 2000); });
}

TEST(ParseNumber, AgreesWithStrtodOnExponents) {
  for_random(6, 100'000, [](Random& random) {
    return random_decimal(random, 20) + random_exponent(random, 25);
  });
  for_random(7, 100'000, [](Random& random) {
    return random_decimal(random, 20) + random_exponent(random, 400);
  });
  for_random(8, 1'000, [](Random& random) {
    return random_decimal(random, 20) + random_exponent(random, UINT64_MAX - 1);
  });
}

TEST(ParseNumber, ReadsBackEveryDouble) {
  for (const char* format : {"%.17g", "%.16g", "%.17e", "%.25g", "%.6g", "%.340f"}) {
    for_random(9, 20'000, [&](Random& random) {
      char text[800];
      std::snprintf(text, sizeof text, format, random_double(random));
      return std::string(text);
    });
  }
  Random random(10);
  for (int i = 0; i < 20'000; ++i) {
    char text[40];
    const double value = random_double(random);
    std::snprintf(text, sizeof text, "%.17g", value);
    ASSERT_EQ(parse(text).value, value) << text;
  }
}

TEST(ParseNumber, RoundsHalfwayCasesAsStrtodDoes) {
  // Exactly between two neighbours, and the least bit to either side of it.
  for_random(11, 5'000, [](Random& random) {
    const bool denormal = random.below(3) == 0;
    const double value =
        denormal ? std::bit_cast<double>(random.next() >> 12) : random_double(random) / 4;
    const auto next = static_cast<long double>(std::nextafter(value, INFINITY));
    std::string text = exactly((static_cast<long double>(value) + next) / 2);
    const std::size_t last = text.find('e') - 1;
    const std::uint64_t side = random.below(3);
    if (side > 0) text[last] = '1';  // above, however far behind the point
    if (side == 2) text.insert(last, digits(random, 300));
    return text;
  });
}

TEST(ParseNumber, TheSignOfZeroIsKept) {
  for (const char* text : {"0", "-0", "+0", "-0.0", "-.0", "-0.", "-0e5", "-1e-400", "1e-400"}) {
    expect_like_strtod(text);
  }
}

TEST(ParseNumber, OverflowIsInfiniteAndUnderflowIsZero) {
  for (const char* text :
       {"1e400", "1.8e308", "1.7976931348623159e308", "1e99999999999999999999"}) {
    EXPECT_EQ(parse(text).value, INFINITY) << text;
    EXPECT_EQ(parse(std::string("-") + text).value, -INFINITY) << text;
  }
  EXPECT_EQ(parse(std::string(400, '9')).value, INFINITY);
  for (const char* text : {"1e-400", "2e-324", "1e-99999999999999999999"}) {
    EXPECT_TRUE(parse(text).ok) << text;
    EXPECT_EQ(parse(text).value, 0) << text;
  }
  EXPECT_EQ(parse("3e-324").value, 5e-324);
  EXPECT_EQ(parse("1.7976931348623157e308").value, std::numeric_limits<double>::max());
}

TEST(ParseNumber, NamesOfNoNumberAreReadForTheCallerToRefuse) {
  for (const char* text : {"inf", "Infinity", "INF"}) {
    EXPECT_EQ(parse(text).value, INFINITY) << text;
    EXPECT_EQ(parse(std::string("-") + text).value, -INFINITY) << text;
    EXPECT_EQ(parse(std::string("+") + text).value, INFINITY) << text;
  }
  for (const char* text : {"nan", "NaN", "-nan", "+nan"}) {
    EXPECT_TRUE(parse(text).ok) << text;
    EXPECT_TRUE(std::isnan(parse(text).value)) << text;
  }
}

TEST(ParseNumber, RefusesWhatIsNoNumberAndStaysInPlace) {
  for (const char* text :
       {"",    "+",   "-",     ".",     "+.", "-.",  "e5", ".e5", "+e5", "+-1", "-+1",
        "--1", "++1", "+-inf", "--nan", " 1", "\t1", "x1", ",5",  "#",   ":1",  "\r"}) {
    EXPECT_FALSE(parse(text).ok) << text;
    EXPECT_EQ(parse(text).length, 0u) << text;
  }
}

TEST(ParseNumber, StopsBehindTheNumber) {
  EXPECT_EQ(parse("1.5x").length, 3u);
  EXPECT_EQ(parse("1.5 2").length, 3u);
  EXPECT_EQ(parse("1.5.2").length, 3u);
  EXPECT_EQ(parse("1e").length, 1u);
  EXPECT_EQ(parse("1e+").length, 1u);
  EXPECT_EQ(parse("0x10").length, 1u) << "hexadecimal is not for data files";
}

TEST(ParseIndex, ReadsUpToEighteenDigitsAndSaturatesBeyond) {
  Random random(12);
  for (int i = 0; i < 100'000; ++i) {
    const std::string text = digits(random, random.below(25));
    const std::string line = text + (random.below(2) == 0 ? ":" : "\n");
    const char* p = line.data();
    const std::uint64_t got = parse_index(p);
    ASSERT_EQ(p - line.data(), static_cast<std::ptrdiff_t>(text.size())) << text;
    const std::uint64_t expected = text.empty()        ? 0
                                   : text.size() <= 18 ? std::stoull(text)
                                                       : UINT64_MAX;
    ASSERT_EQ(got, expected) << text;
  }
}

TEST(ParseIndex, PaddedAgrees) {
  Random random(9);
  for (int i = 0; i < 100'000; ++i) {
    const std::string text = digits(random, random.below(22));
    const std::string line =
        text + (random.below(2) == 0 ? ":" : "x") + std::string(kTextPadding, '3');
    const char* plain = line.data();
    const char* padded = line.data();
    ASSERT_EQ(parse_index_padded(padded), parse_index(plain)) << text;
    ASSERT_EQ(padded, plain) << text;
  }
}

}  // namespace
}  // namespace thresh::number_law
