// libsvm text: every reason to refuse a row, and every option that changes what is read.
#include "data/read/libsvm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/error_of.hpp"
#include "tools/padded.hpp"

namespace thresh::libsvm_edge {
namespace {

struct Reader {
  ReadOptions options;
  std::shared_ptr<FeatureMap> features = std::make_shared<FeatureMap>();

  std::shared_ptr<RowBlock> operator()(const std::string& text) const {
    const Padded padded(text);
    TextBlock block;
    block.text = padded.text();
    block.entries = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), ':'));
    return LibsvmParser("data", options, features).parse(block);
  }
  std::string error(const std::string& text) const {
    return error_of([&] { (*this)(text); });
  }
};

Reader with(const std::function<void(ReadOptions&)>& change) {
  Reader reader;
  change(reader.options);
  return reader;
}

const Reader kStrict;
const Reader kZeroBased = with([](ReadOptions& o) { o.zero_based = true; });
const Reader kUnsorted = with([](ReadOptions& o) { o.allow_unsorted = true; });
const Reader kSkipping = with([](ReadOptions& o) { o.skip_bad_rows = true; });
const Reader kNormalizing = with([](ReadOptions& o) { o.normalize_l2 = true; });

double norm_of(const RowBlock& block) {
  double sum = 0;
  for (const double value : block.values) sum += value * value;
  return std::sqrt(sum);
}

TEST(Libsvm, ReadsARow) {
  const auto block = kStrict("+1 1:0.5 3:-2e1 7:.25\n");
  EXPECT_EQ(block->labels, std::vector<double>{1});
  EXPECT_EQ(block->slots, (std::vector<std::uint32_t>{0, 2, 6}));
  EXPECT_EQ(block->values, (std::vector<double>{0.5, -20, 0.25}));
  EXPECT_EQ(block->starts, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(block->ids, std::vector<std::uint64_t>{0});
  EXPECT_EQ(block->dimension, 7u);
  EXPECT_EQ(block->slot_end, 7u);
  EXPECT_EQ(block->source_bytes, 22u);
}

TEST(Libsvm, ToleratesSpaceCommentsQidsAndBlankLines) {
  const auto block = kStrict(
      "\n# head: 1:2\n \t\r\n\t-1\t qid:7 \t2:1 \r\n1 qid:3:x#2:2\n\r2 3:4#\n3#\n4 5:6 # 7:8 : # "
      "\n");
  EXPECT_EQ(block->labels, (std::vector<double>{-1, 1, 2, 3, 4}));
  EXPECT_EQ(block->starts, (std::vector<std::size_t>{0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(block->slots, (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(block->values, (std::vector<double>{1, 4, 6}));
  EXPECT_EQ(block->ids, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Libsvm, DropsExplicitZerosButCountsTheirIndex) {
  const auto block = kStrict("1 2:0 3:1 9:-0.0\n1 11:1e-400\n");
  EXPECT_EQ(block->slots, std::vector<std::uint32_t>{2});
  EXPECT_EQ(block->slot_end, 3u);
  EXPECT_EQ(block->dimension, 11u);
  Reader hashing;
  hashing.features = std::make_shared<FeatureMap>(0, 0);
  EXPECT_EQ(hashing("1 2:0 3:1\n")->slots, std::vector<std::uint32_t>{0}) << "nor take up a slot";
}

TEST(Libsvm, EveryReasonHasItsMessageAndLine) {
  const std::string bad[][2] = {
      {"abc 1:1", "label is not a number: 'abc'"},
      {"1:1", "label is not a number: '1:1'"},
      {"+ 1:1", "label is not a number: '+'"},
      {"1x", "label is not a number: '1x'"},
      {"1,2", "label is not a number: '1,2' (for csv data, use --format csv)"},
      {"0x10 1:1", "label is not a number: '0x10'"},
      {"nan 1:1", "label is not finite"},
      {"-inf", "label is not finite"},
      {"1e999 1:1", "label is not finite"},
      {"1 x", "expected INDEX:VALUE, found 'x'"},
      {"1 2", "expected INDEX:VALUE, found '2'"},
      {"1 2#:3", "expected INDEX:VALUE, found '2#:3'"},
      {"1 :3", "expected INDEX:VALUE, found ':3'"},
      {"1 -2:3", "expected INDEX:VALUE, found '-2:3'"},
      {"1 +2:3", "expected INDEX:VALUE, found '+2:3'"},
      {"1 1.5:3", "expected INDEX:VALUE, found '1.5:3'"},
      {"1 2 :3", "expected INDEX:VALUE, found '2'"},
      {"1 2:3 qid:4", "expected INDEX:VALUE, found 'qid:4'"},
      {"1 2:", "value of feature 2 is not a number: ''"},
      {"1 2: 3", "value of feature 2 is not a number: ''"},
      {"1 2:x", "value of feature 2 is not a number: 'x'"},
      {"1 2:3:4", "value of feature 2 is not a number: '3:4'"},
      {"1 2:3,5", "value of feature 2 is not a number: '3,5'"},
      {"1 2:+-3", "value of feature 2 is not a number: '+-3'"},
      {"1 2:#3", "value of feature 2 is not a number: '#3'"},
      {"1 2:nan", "value of feature 2 is not finite"},
      {"1 2:-Infinity", "value of feature 2 is not finite"},
      {"1 2:1e309", "value of feature 2 is not finite"},
      {"1 0:1", "feature index 0 (file looks zero-based; try --zero-based)"},
      {"1 3:1 2:1", "feature index 2 after 3 (not ascending; try --allow-unsorted)"},
      {"1 3:1 3:1", "feature index 3 twice"},
      {"1 1099511627777:1", "feature index '1099511627777' is above 2^40"},
      {"1 99999999999999999999:1", "feature index '99999999999999999999' is above 2^40"},
      {"1 18446744073709551617:1", "feature index '18446744073709551617' is above 2^40"},
  };
  for (const auto& [row, reason] : bad) {
    EXPECT_EQ(kStrict.error("1 1:1\n\n# c\n" + row + "\n1 1:1\n"), "data:4: " + reason) << row;
    const auto skipped = kSkipping("1 1:1\n\n" + row + " \n2 1:1\n");
    EXPECT_EQ(skipped->bad_rows, 1u) << row;
    EXPECT_EQ(skipped->labels, (std::vector<double>{1, 2})) << row;
    EXPECT_EQ(skipped->ids, (std::vector<std::uint64_t>{0, 2})) << "a bad row keeps its number";
    EXPECT_EQ(skipped->slots, (std::vector<std::uint32_t>{0, 0})) << row;
  }
}

TEST(Libsvm, AMessageIsShortAndPrintable) {
  EXPECT_EQ(kStrict.error("\x1b[2J\xff\n"), "data:1: label is not a number: '?[2J?'");
  EXPECT_EQ(kStrict.error(std::string(1, '\0') + "\n"), "data:1: label is not a number: '?'");
  EXPECT_EQ(kStrict.error("1 " + std::string(1000, 'x') + "\n"),
            "data:1: expected INDEX:VALUE, found '" + std::string(40, 'x') + "...'");
  EXPECT_EQ(kStrict.error("1 " + std::string(40, 'x') + "\n"),
            "data:1: expected INDEX:VALUE, found '" + std::string(40, 'x') + "'");
}

TEST(Libsvm, LinesAndRowsAreCountedFromTheBlocksOwn) {
  const Padded padded("1 1:1\n#\nx\n");
  TextBlock block;
  block.text = padded.text();
  block.entries = 1;
  block.first_line = 1000;
  block.first_row = 500;
  const LibsvmParser strict("data", {}, std::make_shared<FeatureMap>());
  EXPECT_EQ(error_of([&] { strict.parse(block); }), "data:1002: label is not a number: 'x'");
  const LibsvmParser skipping("data", kSkipping.options, std::make_shared<FeatureMap>());
  EXPECT_EQ(skipping.parse(block)->ids, std::vector<std::uint64_t>{500});
}

TEST(Libsvm, TheLargestIndexIsTheLastOfTwoToTheFortieth) {
  EXPECT_EQ(kStrict("1 1099511627776:1\n")->dimension, FeatureMap::kMaxIndex);
  // Counted from 0 the largest is one less: a model could not be loaded again with more.
  EXPECT_EQ(kZeroBased("1 1099511627775:1\n")->dimension, FeatureMap::kMaxIndex);
  EXPECT_EQ(kZeroBased.error("1 1099511627776:1\n"),
            "data:1: feature index '1099511627776' is above 2^40 - 1");
}

TEST(Libsvm, ZeroBasedIndicesStartAtZero) {
  const auto block = kZeroBased("1 0:5 3:2\n");
  EXPECT_EQ(block->slots, (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(block->dimension, 4u);
  EXPECT_EQ(kZeroBased.error("1 3:1 0:1\n"),
            "data:1: feature index 0 after 3 (not ascending; try --allow-unsorted)");
  EXPECT_EQ(kZeroBased.error("1 0:1 0:1\n"), "data:1: feature index 0 twice");
}

TEST(Libsvm, UnsortedRowsAreSortedIfAllowed) {
  const auto block = kUnsorted("1 5:5 2:2 9:9 1:1\n2 3:3 4:4\n");
  EXPECT_EQ(block->slots, (std::vector<std::uint32_t>{0, 1, 4, 8, 2, 3}));
  EXPECT_EQ(block->values, (std::vector<double>{1, 2, 5, 9, 3, 4}));
  EXPECT_EQ(block->dimension, 9u);
  EXPECT_EQ(kUnsorted.error("1 5:5 2:2 5:1\n"), "data:1: feature index 5 twice");
  EXPECT_EQ(kUnsorted.error("1 5:5 2:2 2:1\n"), "data:1: feature index 2 twice");
}

TEST(Libsvm, AKnownDimensionIsALimit) {
  Reader reader = with([](ReadOptions& o) { o.dim = 5; });
  EXPECT_EQ(reader("1 5:1\n")->dimension, 5u);
  EXPECT_EQ(reader.error("1 6:1\n"), "data:1: feature index 6 is above --dim 5");
  reader.options.zero_based = true;
  EXPECT_EQ(reader("1 4:1\n")->dimension, 5u);
  EXPECT_EQ(reader.error("1 5:1\n"), "data:1: feature index 5 is above --dim 5");
}

TEST(Libsvm, NormalizedRowsHaveUnitLength) {
  for (const char* row :
       {"1 1:3 2:4\n", "1 1:1e300 2:-1e300 3:5e299\n", "1 1:1e-300 2:2e-300\n", "1 1:-1e-320\n",
        "1 1:1.7e308 2:1.7e308 3:1.7e308\n", "1 1:5e-324 2:5e-324 3:1e-323\n", "1 1:0 2:7\n",
        "1 1:1e200 2:1e-200 3:1e200\n", "1 1:1e308 2:1\n"}) {
    EXPECT_NEAR(norm_of(*kNormalizing(row)), 1, 1e-15) << row;
  }
  EXPECT_EQ(kNormalizing("1 1:3 2:4\n")->values, (std::vector<double>{0.6, 0.8}));
  EXPECT_EQ(kNormalizing("1 1:3e300 2:-4e300\n")->values.size(), 2u);
  EXPECT_EQ(kNormalizing("1 1:-5e-324\n")->values, std::vector<double>{-1});
}

TEST(Libsvm, NormalizingARowOfNothingLeavesNothing) {
  const auto block = kNormalizing("1\n1 1:0 2:0\n1 3:1e200 4:1e-200\n");
  EXPECT_EQ(block->starts, (std::vector<std::size_t>{0, 0, 0, 1}))
      << "what vanishes beside the rest is not kept as a zero";
}

TEST(Libsvm, FeaturesUnknownToAFrozenMapAreDropped) {
  Reader reader = kNormalizing;
  reader.features = std::make_shared<FeatureMap>(0, 4);
  EXPECT_EQ(reader.features->slot(99), 4u);
  reader.features->freeze();
  const auto block = reader("1 1:3 50:5 100:4 200:7 # 0.3 0.5 0.4 0.7 of ten, nearly\n");
  EXPECT_EQ(block->slots, (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(block->dimension, 200u);
  EXPECT_DOUBLE_EQ(block->values[0], 3 / std::sqrt(99)) << "but they belong to the row's length";
}

TEST(Libsvm, TextWithMoreEntriesThanAnnouncedIsRefused) {
  // A file that changes between the scan and the reading must not write past the arrays.
  const LibsvmParser parser("data", {}, std::make_shared<FeatureMap>());
  for (const char* text : {"1 1:1 2:2 3:3\n", "1 1:1\n1 1:1 2:2\n", "1 1:1 2:2\n1\n1 1:1\n"}) {
    const Padded padded(text);
    TextBlock block;
    block.text = padded.text();
    block.entries = 2;
    EXPECT_EQ(error_of([&] { parser.parse(block); }),
              "data: the file changed while it was being read")
        << text;
  }
}

TEST(Libsvm, NothingIsABlockWithoutRows) {
  const auto block = kStrict("");
  EXPECT_EQ(block->rows(), 0u);
  EXPECT_EQ(block->starts, std::vector<std::size_t>{0});
  EXPECT_EQ(block->dimension, 0u);
}

}  // namespace
}  // namespace thresh::libsvm_edge
