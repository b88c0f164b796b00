// Packed terms are the same terms again, and take much less space.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sparse/random.hpp"
#include "text/base64.hpp"
#include "text/packed_terms.hpp"
#include "tools/error_of.hpp"

using namespace thresh;

namespace {

TermList list_of(const std::set<std::string>& names, Random& random, std::uint64_t gaps) {
  TermList terms;
  std::uint64_t feature = 0;
  for (const std::string& name : names) {
    feature += random.below(gaps);
    terms.add(name, static_cast<std::uint32_t>(feature++),
              1 + random.below(random.below(5000) + 1));
  }
  return terms;
}

void expect_same(const TermList& terms, const std::string& bytes) {
  TermList back;
  unpack_terms(bytes, terms.size(),
               [&](std::uint64_t feature, std::uint64_t documents, std::string_view name) {
                 back.add(name, static_cast<std::uint32_t>(feature), documents);
               });
  EXPECT_EQ(back.names, terms.names);
  EXPECT_EQ(back.ends, terms.ends);
  EXPECT_EQ(back.features, terms.features);
  EXPECT_EQ(back.counts, terms.counts);
}

std::string any_name(Random& random) {
  std::string name(1 + random.below(12), ' ');
  for (char& c : name) c = static_cast<char>(1 + random.below(255));
  return name;
}

TEST(PackedTerms, AnyTermsComeBack) {
  Random random(7);
  for (int round = 0; round < 30; ++round) {
    std::set<std::string> names;
    for (std::uint64_t i = random.below(300); i > 0; --i) names.insert(any_name(random));
    const TermList terms = list_of(names, random, 1 + random.below(1000));
    const auto bytes = packed_terms(terms);
    ASSERT_TRUE(bytes.has_value());
    expect_same(terms, *bytes);
  }
}

TEST(PackedTerms, HashesWithoutNamesComeBack) {
  TermList terms;
  Random random(3);
  std::uint64_t feature = 4'000'000'000;
  for (int i = 0; i < 1000; ++i) {
    terms.add("", static_cast<std::uint32_t>(feature), 1 + random.below(9));
    feature += 1 + random.below(100'000);
  }
  expect_same(terms, packed_terms(terms).value());
}

TEST(PackedTerms, WordsTakeAFewBytes) {
  Random random(5);
  std::set<std::string> words;
  const std::vector<std::string> parts = {"con", "ver", "t",    "ing", "er",
                                          "s",   "un",  "able", "ed",  "re"};
  while (words.size() < 20'000) {
    std::string word;
    for (std::uint64_t n = 2 + random.below(5); n > 0; --n)
      word += parts[random.below(parts.size())];
    words.insert(word);
  }
  const TermList terms = list_of(words, random, 1);
  const auto bytes = packed_terms(terms);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_LT(bytes->size(), 4 * terms.size());
  EXPECT_GT(terms.names.size(), 10 * terms.size());
  expect_same(terms, *bytes);
}

// Such terms would let a small file ask for much memory.
TEST(PackedTerms, WhatPacksTooWellIsNotPacked) {
  TermList terms;
  std::string name;
  for (std::uint32_t i = 0; i < 2000; ++i) terms.add(name += 'a', i, 1);
  EXPECT_FALSE(packed_terms(terms).has_value());
  TermList zero;
  zero.add(std::string("a\0b", 3), 0, 1);
  EXPECT_FALSE(packed_terms(zero).has_value());
}

TEST(PackedTerms, DamageIsAnErrorOrOtherTermsButNoCrash) {
  Random random(11);
  std::set<std::string> names;
  for (int i = 0; i < 200; ++i) names.insert(any_name(random));
  const TermList terms = list_of(names, random, 3);
  const std::string good = packed_terms(terms).value();
  const auto ignore = [](std::uint64_t, std::uint64_t, std::string_view) {};
  for (int round = 0; round < 2000; ++round) {
    std::string bad = good;
    for (std::uint64_t n = 1 + random.below(5); n > 0; --n) {
      bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    }
    if (random.below(3) == 0) bad.resize(random.below(bad.size()));
    error_of([&] { unpack_terms(bad, terms.size(), ignore); });
  }
  EXPECT_EQ(error_of([&] { unpack_terms(good.substr(0, 9), terms.size(), ignore); }), "truncated");
  EXPECT_NE(error_of([&] { unpack_terms("", 1'000'000, ignore); }), "");
}

TEST(Base64, ComesBack) {
  Random random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0'), back;
    for (char& c : bytes) c = static_cast<char>(random.below(256));
    from_base64(to_base64(bytes), back);
    EXPECT_EQ(back, bytes);
  }
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("Ma"), "TWE");
  std::string back;
  EXPECT_NE(error_of([&] { from_base64("TW=", back); }), "");
}

}  // namespace
