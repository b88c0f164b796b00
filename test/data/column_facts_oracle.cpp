// What cells and columns are, against obvious twins.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numeric>
#include <set>

#include "data/read/name_table.hpp"
#include "data/table/column_facts.hpp"
#include "sparse/random.hpp"
#include "tools/padded.hpp"

namespace thresh::column_facts_oracle {
namespace {

Cell::Kind kind(const std::string& text, std::vector<std::string> na = {}) {
  const Padded padded(text);
  return CellReader(std::move(na)).read(padded.text().substr(0, text.size())).kind;
}

TEST(Cells, AreNumbersWordsOrNothing) {
  using Kind = Cell::Kind;
  for (const char* text : {"1", "-2.5", "1e3", ".5", "007"}) EXPECT_EQ(kind(text), Kind::number);
  for (const char* text : {"NA", "N/A", "NaN", "null", "None", "?", "-"}) {
    EXPECT_EQ(kind(text), Kind::na) << text;
  }
  for (const char* text : {"Inf", "-inf", "+Infinity", "1e400", "-1.5E999", "0x10", "0XfF"}) {
    EXPECT_EQ(kind(text), Kind::no_number) << text;
  }
  for (const char* text : {"red", "1.2.3", "e5", "1e", "0x", "0xg", "infinite", "12 km", "1e4x"}) {
    EXPECT_EQ(kind(text), Kind::word) << text;
  }
  EXPECT_EQ(kind(""), Kind::empty);
  EXPECT_EQ(kind("none of it", {"none of it", "99"}), Kind::empty);
  EXPECT_EQ(kind("99", {"none of it", "99"}), Kind::empty);
  EXPECT_EQ(kind("NA", {"99"}), Kind::word) << "given words replace the usual ones";
}

TEST(Dates, AreThoseOfTheCalendar) {
  for (std::int64_t day = -200'000; day < 200'000; day += 97) {
    const std::time_t seconds = day * 86'400;
    std::tm twin{};
    gmtime_r(&seconds, &twin);
    const int year = twin.tm_year + 1900;
    if (year < 1000 || year > 9999) continue;
    for (const std::string& text :
         {fmt::format("{:04}-{:02}-{:02}", year, twin.tm_mon + 1, twin.tm_mday),
          fmt::format("{}/{}/{}", year, twin.tm_mon + 1, twin.tm_mday),
          fmt::format("{:04}{:02}{:02}", year, twin.tm_mon + 1, twin.tm_mday),
          fmt::format("{}.{}.{} 12:30", twin.tm_mday, twin.tm_mon + 1, year)}) {
      const auto date = parse_date(text);
      ASSERT_TRUE(date) << text;
      ASSERT_EQ(date->days(), day) << text;
      ASSERT_EQ((date->weekday() + 1) % 7, static_cast<unsigned>(twin.tm_wday)) << text;
    }
  }
  for (const char* text :
       {"", "2024-02-30", "2023-02-29", "2024-13-01", "2024-1-0", "1/2/2024", "24-01-01",
        "2024-01-01x", "2024-01/01", "0000-01-01", "2024", "1.2.24"}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
  EXPECT_TRUE(parse_date("2024-02-29T10:00:00Z"));
}

TEST(DistinctCount, IsNearTheTruthAndDoesNotDependOnBlocks) {
  for (const int distinct : {0, 1, 900, 1024, 5000, 40'000}) {
    DistinctCount all, merged, part;
    Random random(static_cast<std::uint64_t>(distinct) + 1);
    std::set<int> seen;
    for (int i = 0; i < 3 * distinct; ++i) {
      const int value = static_cast<int>(random.below(static_cast<std::uint64_t>(distinct)));
      seen.insert(value);
      const std::uint64_t hash = hash_of_name(fmt::format("{}", value));
      all.add(hash);
      part.add(hash);
      if (i % 700 == 699) {
        merged.merge(part);
        part = {};
      }
    }
    merged.merge(part);
    EXPECT_EQ(all.estimate(), merged.estimate());
    const auto truth = static_cast<double>(seen.size());
    if (truth <= 1024) {
      EXPECT_EQ(all.estimate(), truth);
    }
    EXPECT_NEAR(all.estimate(), truth, 0.1 * truth);
  }
}

TEST(TrimmedMean, IsOfTheSampleWithoutItsEnds) {
  ColumnFacts facts;
  EXPECT_FALSE(facts.trimmed_mean());
  ColumnFacts block;
  for (int i = 0; i < 95; ++i) block.add({Cell::Kind::number, 7.1, "7.1"});
  for (int i = 0; i < 5; ++i) block.add({Cell::Kind::number, 1e9, "1e9"});
  facts.merge(block, 1000);
  EXPECT_EQ(facts.trimmed_mean(), 7.1) << "five in a hundred outliers do not matter";
  // Many more numbers than are held: still their mean.
  ColumnFacts many;
  for (int k = 0; k < 50; ++k) {
    ColumnFacts next;
    for (int i = 0; i < 1000; ++i) {
      const double value = 1000 * k + i;
      next.add({Cell::Kind::number, value, fmt::format("{}", value)});
    }
    many.merge(next, 256);
  }
  EXPECT_NEAR(*many.trimmed_mean(), 24'999.5, 300);
}

TEST(ColumnFacts, NumbersOfRowsAreRecognised) {
  const auto counts = [](const std::vector<double>& values) {
    ColumnFacts all;
    for (std::size_t at = 0; at < values.size(); at += 40) {
      ColumnFacts block;
      for (std::size_t i = at; i < std::min(at + 40, values.size()); ++i) {
        block.add({Cell::Kind::number, values[i], ""});
      }
      all.merge(block, 256);
    }
    return all.counts_rows();
  };
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_TRUE(counts(values));
  std::vector<double> some, years;
  for (const double value : values) {
    if (static_cast<int>(value) % 3 != 0) some.push_back(value);
    years.push_back(1900 + value);
  }
  EXPECT_TRUE(counts(some)) << "of a table from which rows were taken";
  EXPECT_FALSE(counts(years));
  std::swap(values[40], values[90]);
  EXPECT_TRUE(counts(values)) << "shuffled";
  std::swap(some[40], some[41]);
  EXPECT_FALSE(counts(some));
  values[3] = 4.5;
  EXPECT_FALSE(counts(values));
  EXPECT_FALSE(counts({1, 2, 2, 3, 4}));
}

TEST(ColumnFacts, CountsAreThoseOfAllBlocks) {
  const std::vector<Cell> cells = {{},
                                   {Cell::Kind::na, 0, "NA"},
                                   {Cell::Kind::number, 7, "007"},
                                   {Cell::Kind::number, 0.5, "0.5"},
                                   {Cell::Kind::word, 0, "a b c"},
                                   {Cell::Kind::word, 0, "2024-01-31"},
                                   {Cell::Kind::no_number, 0, "Inf"}};
  ColumnFacts all;
  for (int k = 0; k < 3; ++k) {
    ColumnFacts block;
    for (const Cell& cell : cells) block.add(cell);
    all.merge(block, 256);
  }
  EXPECT_EQ(all.cells(), 21U);
  EXPECT_EQ(all.values(), 15U);
  EXPECT_EQ(all.empty, 3U);
  EXPECT_EQ(all.na, 3U);
  EXPECT_EQ(all.integers, 3U);
  EXPECT_EQ(all.leading_zeros, 3U);
  EXPECT_EQ(all.dates, 3U);
  EXPECT_EQ(all.blanks, 6U);
  EXPECT_EQ(all.mean_day(), 19'753);
  EXPECT_EQ(all.latest, 19'753);
}

}  // namespace
}  // namespace thresh::column_facts_oracle
