// The reader against a slow and obvious twin, on random rows that are right, odd and wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "data/libsvm_twin.hpp"
#include "data/read/libsvm.hpp"
#include "sparse/random.hpp"
#include "tools/error_of.hpp"
#include "tools/padded.hpp"

namespace thresh::libsvm_oracle {
namespace {

using namespace libsvm_twin;

std::string pick(Random& random, std::initializer_list<const char*> choices) {
  return choices.begin()[random.below(choices.size())];
}

std::string random_value(Random& random) {
  switch (random.below(30)) {
    case 0:
      return pick(random, {"0", "-0", "0.000", "1e-400", "5e-324", "1e300", "-1e308"});
    case 1:
      return pick(random,
                  {"", "x", "nan", "inf", "1e999", "0x1", "1.2.3", "+-1", "1e", "--1", "."});
    case 2:
      return pick(random, {"+1", ".5", "5.", "-.5e-3", "1E2", "123456789012345678901234567890"});
    default:
      return fmt::format("{:.{}g}", random.normal(), 1 + random.below(17));
  }
}

std::string random_index(Random& random, std::uint64_t& last) {
  switch (random.below(60)) {
    case 0:
      return pick(random, {"0", "x", "-1", "", "1.0", "1099511627776", "1099511627777",
                           "99999999999999999999", "007"});
    case 1:
      return std::to_string(random.below(last + 2));
    default:
      return std::to_string(last += 1 + random.below(5));
  }
}

std::string random_space(Random& random) {
  return random.below(10) > 0 ? " " : pick(random, {"  ", "\t", " \t ", "\r", "\r\t"});
}

std::string random_line(Random& random) {
  if (random.below(20) == 0) return pick(random, {"", " ", "\r", "# 1 2:3", "  #", "\t\r"});
  std::string line = random.below(20) == 0 ? random_space(random) : "";
  line +=
      random.below(40) == 0 ? random_value(random) : pick(random, {"1", "-1", "+1", "0", "2.5"});
  if (random.below(8) == 0)
    line += random_space(random) + pick(random, {"qid:1", "qid:", "qid:a:b"});
  std::uint64_t last = 0;
  for (std::uint64_t left = random.below(8); left > 0; --left) {
    line += random_space(random) + random_index(random, last);
    if (random.below(200) > 0) line += ':';
    line += random_value(random);
  }
  if (random.below(10) == 0) line += pick(random, {" ", "\r", "#", " # 9:9", "# x:y # z"});
  if (random.below(50) == 0) line.insert(random.below(line.size() + 1), 1, '#');
  return line;
}

ReadOptions random_options(Random& random) {
  ReadOptions options;
  options.zero_based = random.below(2) == 0;
  options.allow_unsorted = random.below(2) == 0;
  options.skip_bad_rows = random.below(2) == 0;
  options.normalize_l2 = random.below(4) == 0;
  options.dim = random.below(4) == 0 ? 1 + random.below(40) : 0;
  return options;
}

// Slots back to ids, in the row's order.
std::vector<std::pair<std::uint64_t, double>> entries_of(const Row& row,
                                                         const FeatureMap& features) {
  std::vector<std::pair<std::uint64_t, double>> entries;
  for (std::size_t i = 0; i < row.size; ++i) {
    entries.emplace_back(features.id(row.slots[i]), row.values[i]);
  }
  return entries;
}

void expect_row(const Row& got, const TwinRow& twin, const FeatureMap& features, bool normalize) {
  ASSERT_EQ(got.label, twin.label);
  const auto entries = entries_of(got, features);
  const auto expected = expected_entries(twin, normalize);
  if (!normalize) {
    ASSERT_EQ(entries, expected);
    return;
  }
  ASSERT_EQ(entries.size(), expected.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    ASSERT_EQ(entries[i].first, expected[i].first);
    ASSERT_NEAR(entries[i].second, expected[i].second, 4e-16);
  }
}

void expect_rows(const RowBlock& block, const std::vector<TwinRow>& twins,
                 const FeatureMap& features, const ReadOptions& options) {
  std::uint64_t bad = 0;
  std::uint64_t dimension = 0;
  std::size_t at = 0;
  for (std::size_t id = 0; id < twins.size(); ++id) {
    bad += twins[id].bad ? 1 : 0;
    if (twins[id].bad) continue;
    ASSERT_LT(at, block.rows());
    ASSERT_EQ(block.ids[at], id);
    expect_row(block.row(at++), twins[id], features, options.normalize_l2);
    if (testing::Test::HasFatalFailure()) return;
    const auto& entries = twins[id].entries;
    if (!entries.empty()) dimension = std::max(dimension, entries.back().first + 1);
  }
  ASSERT_EQ(block.rows(), at);
  ASSERT_EQ(block.bad_rows, bad);
  ASSERT_EQ(block.dimension, dimension);
}

TEST(LibsvmTwin, ReadsTheSameRowsAndRefusesTheSameLines) {
  Random random(1);
  std::map<bool, int> refused;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint64_t lines = random.below(6); lines > 0; --lines)
      text += random_line(random) + "\n";
    SCOPED_TRACE(text);
    const ReadOptions options = random_options(random);
    const auto features = std::make_shared<FeatureMap>(0, random.below(3) * 10);
    const std::vector<TwinRow> twins = twin_rows(text, options);
    const auto first_bad =
        std::find_if(twins.begin(), twins.end(), [](const TwinRow& row) { return row.bad; });
    const Padded padded(text);
    TextBlock block;
    block.text = padded.text();
    for (std::istringstream lines(text); !lines.eof();) {
      std::string line;
      std::getline(lines, line);
      line = line.substr(0, line.find('#'));
      block.entries += static_cast<std::uint64_t>(std::count(line.begin(), line.end(), ':'));
    }
    std::shared_ptr<RowBlock> got;
    const std::string error =
        error_of([&] { got = LibsvmParser("data", options, features).parse(block); });
    const bool should_fail = !options.skip_bad_rows && first_bad != twins.end();
    ++refused[should_fail];
    ASSERT_EQ(!error.empty(), should_fail) << error;
    if (should_fail) {
      ASSERT_TRUE(error.starts_with(fmt::format("data:{}: ", first_bad->line))) << error;
    } else {
      expect_rows(*got, twins, *features, options);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(refused[true], 1000) << "the wrong is not too rare to matter";
  EXPECT_GT(refused[false], 5000);
}

}  // namespace
}  // namespace thresh::libsvm_oracle
