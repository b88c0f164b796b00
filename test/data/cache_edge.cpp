// Rows from a cache are the rows of the text, and damaged caches are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/cached.hpp"
#include "data/feed/feeder.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::cache_edge {
namespace {

using SourcePtr = std::shared_ptr<RowSource>;

void expect_same_survey(const Survey& got, const Survey& expected) {
  EXPECT_EQ(got.rows, expected.rows);
  EXPECT_EQ(got.blocks, expected.blocks);
  EXPECT_EQ(got.bytes, expected.bytes);
  EXPECT_EQ(got.dimension, expected.dimension);
  EXPECT_EQ(got.bad_rows, expected.bad_rows);
  EXPECT_EQ(got.more_labels, expected.more_labels);
  ASSERT_EQ(got.labels.size(), expected.labels.size());
  for (std::size_t i = 0; i < got.labels.size(); ++i) {
    EXPECT_EQ(got.labels[i].label, expected.labels[i].label);
    EXPECT_EQ(got.labels[i].rows, expected.labels[i].rows);
  }
}

// All that a learner is shown, in a form that can be compared.
std::vector<std::vector<double>> shown(const SourcePtr& source, Order order, double holdout,
                                       bool aside = true) {
  RowView view;
  view.labels = LabelMap::regression();
  view.holdout = holdout;
  view.keep = RowView::Keep::training;
  view.seed = 3;
  std::vector<std::vector<double>> rows;
  Feeder feeder(source, view, {order, 5, 2, aside});
  for (Window window; feeder.next(window);) {
    for (const Row& row : window.rows) {
      std::vector<double> all{static_cast<double>(row.id), row.label, row.weight,
                              static_cast<double>(window.pass)};
      all.insert(all.end(), row.slots, row.slots + row.size);
      all.insert(all.end(), row.values, row.values + row.size);
      EXPECT_TRUE(row.size == 0 ||
                  *std::max_element(row.slots, row.slots + row.size) < window.slot_end);
      rows.push_back(std::move(all));
    }
    if (window.ends_pass) rows.push_back({-1});
  }
  return rows;
}

class Cache : public testing::Test {
 protected:
  std::string cache(const std::string& text, const ReadOptions& options = {}) {
    cache_text(scratch_.write("data", text), scratch_.file("cache"), options);
    return scratch_.file("cache");
  }

  // The cache against the text, block by block and row by row.
  void expect_same(const std::string& text, ReadOptions options, std::uint64_t dim = 0) {
    const auto plain_map = make_feature_map(dim), cached_map = make_feature_map(dim);
    const std::string path = scratch_.write("data", text);
    const SourcePtr plain = std::make_shared<TextSource>(path, options, plain_map);
    ReadOptions without = options;
    without.normalize_l2 = false;  // which is done when rows are unpacked
    const SourcePtr cached = open_rows(cache(text, without), options, cached_map);
    expect_same_survey(*cached->survey(), *plain->survey());
    for (std::size_t k = 0; k < plain->survey()->blocks; ++k) {
      ASSERT_TRUE(same_block(*cached->block(k), *plain->block(k))) << "block " << k;
    }
    EXPECT_EQ(cached->block(plain->survey()->blocks), nullptr);
    for (const Order order : {Order::shuffle, Order::sequential}) {
      for (const double holdout : {0.0, 0.3}) {
        const auto expected = shown(plain, order, holdout);
        ASSERT_EQ(shown(cached, order, holdout), expected);
        ASSERT_EQ(shown(cached, order, holdout, false), expected) << "without a thread";
      }
    }
  }

  ScratchDir scratch_;
};

TEST_F(Cache, HoldsTheRowsOfTheText) {
  for (const std::size_t rows : {0, 1, 2, 1024, 1025, 5000}) {
    SCOPED_TRACE(rows);
    expect_same(random_rows(rows, rows).text(), {});
  }
  expect_same(random_rows(1, 40000, 3).text(), {});       // more than two windows
  expect_same(random_rows(2, 40, 30'000, 7).text(), {});  // rows longer than a piece of a window
}

TEST_F(Cache, AFailureIsReportedAgainAndAgainWithAThreadAndWithout) {
  std::string text;
  for (int i = 0; i < 2500; ++i) text += i == 1500 ? "7 1:1\n" : "1 1:1\n";
  const SourcePtr source = open_rows(cache(text), {}, make_feature_map());
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  for (const bool aside : {true, false}) {
    Feeder feeder(source, view, {Order::sequential, 1, 1, aside});
    Window window;
    ASSERT_TRUE(feeder.next(window));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(error_of([&] {
                  while (feeder.next(window)) continue;
                }),
                source->name() + ":1501: label 7 is neither of the two classes -1 and 1");
    }
  }
}

TEST_F(Cache, HoldsThemUnderEveryOption) {
  std::string text = random_rows(3, 3000).text(true);
  for (unsigned bits = 0; bits < 8; ++bits) {
    SCOPED_TRACE(bits);
    ReadOptions options;
    options.zero_based = true;
    options.allow_unsorted = (bits & 1) != 0;
    options.normalize_l2 = (bits & 2) != 0;
    options.skip_bad_rows = (bits & 4) != 0;
    expect_same(text, options);
    if (options.skip_bad_rows)
      expect_same("1 1:x\n# no row\n\n" + text + "1 2:2 2:2\n3 4:5", options);
    if (options.allow_unsorted) expect_same(text + "1 9:9 3:3\n", options);
  }
}

TEST_F(Cache, HoldsEveryIndex) {
  const std::uint64_t last = FeatureMap::kMaxIndex;
  std::string text;
  for (const std::uint64_t index :
       {std::uint64_t{1}, std::uint64_t{255}, std::uint64_t{1} << 16, std::uint64_t{1} << 24,
        FeatureMap::kIdentityLimit, FeatureMap::kIdentityLimit + 1, std::uint64_t{1} << 32}) {
    text += fmt::format("1 1:2 {}:0.5 {}:3\n-1 {}:1\n", index + 1, index + 2, index);
    SCOPED_TRACE(index);
    expect_same(text, {});
    expect_same(text, {}, last);  // every index through the table
  }
  text += fmt::format("1 1:2 {}:0.5 {}:3\n-1 {}:1\n", last - 1, last, last);
  expect_same(text, {});
}

TEST_F(Cache, UnknownFeaturesAreLeftOut) {
  // Slots are given for indices that count from 0.
  const std::string path = cache("1 1:1 1000000000000:2\n-1 999999999999:3 1000000000000:4\n");
  const auto features = make_feature_map();
  const std::uint32_t known = features->slot(999'999'999'998);
  features->freeze();
  const BlockPtr block = open_rows(path, {}, features)->block(0);
  EXPECT_EQ(block->slots, (std::vector<std::uint32_t>{0, known}));
  EXPECT_EQ(block->values, (std::vector<double>{1, 3}));
  EXPECT_EQ(block->starts, (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(Cache, IsRefusedWhenCutShortAnywhere) {
  const std::string path = cache(random_rows(4, 3).text());
  const std::string whole = ScratchDir::slurp(path);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string cut = scratch_.write("cut", whole.substr(0, size));
    const std::string error = error_of([&] { open_rows(cut, {}, make_feature_map())->block(0); });
    ASSERT_EQ(error, cut + ": not a valid cache: it is truncated (create it again)") << size;
  }
}

TEST_F(Cache, IsRefusedWithAnyBitFlipped) {
  const std::string path = cache("1 3:0.5 7:2\n-1 1:1 300:0.25 70000:4\n");
  const std::string whole = ScratchDir::slurp(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    const auto at = static_cast<std::streamoff>(bit / 8);
    file.seekp(at).put(static_cast<char>(whole[bit / 8] ^ (1 << (bit % 8)))).flush();
    const std::string error = error_of([&] { open_rows(path, {}, make_feature_map())->block(0); });
    ASSERT_NE(error, "") << "bit " << bit;
    ASSERT_EQ(error.find('\n'), std::string::npos);
    file.seekp(at).put(whole[bit / 8]);
  }
}

TEST_F(Cache, NamesTheDamagedBlock) {
  const std::string path = cache(random_rows(6, 3000).text());
  std::string content = ScratchDir::slurp(path);
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  scratch_.write("cache", content);
  const auto source = open_rows(path, {}, make_feature_map());
  EXPECT_NE(source->block(0), nullptr);
  EXPECT_EQ(error_of([&] { source->block(1); }),
            path + ": not a valid cache: block 2 of 3: its checksum is wrong (create it again)");
}

// Checksums keep chance away from the blocks, but not someone who computes them.
TEST_F(Cache, BlocksWithAnyBitFlippedAreRefusedOrReadable) {
  ReadOptions options;
  options.skip_bad_rows = true;
  for (const std::string& more : {std::string(), std::string("1 1000000000000:1\n\n1 1:x\n"),
                                  std::string("2.5 1:0.1 2:0.2\n")}) {
    const std::string text = more + "1 1:1 300:1 70000:1\n-1 2:1\n";
    const auto features = std::make_shared<FeatureMap>();
    TextSource source(scratch_.write("data", text), options, features);
    const Bytes whole = pack_block(*source.block(0), *features);
    std::size_t readable = 0;
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      Bytes flipped = whole;
      flipped[bit / 8] = static_cast<unsigned char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      flipped.resize(whole.size() + kPackPadding);
      try {
        const PackedBlock block({flipped.data(), whole.size()});
        block.check();
        for (std::size_t row = 0; row < block.rows(); ++row) {
          std::vector<std::uint32_t> slots(block.size(row) + kUnpackRoom);
          std::vector<double> values(block.size(row) + kUnpackRoom);
          block.unpack(row, *make_feature_map(), true, slots.data(), values.data());
        }
        ++readable;
      } catch (const BadBlock& bad) {
        EXPECT_NE(bad.reason, "");
      }
    }
    EXPECT_GT(readable, 0U) << "a value may be another value";
    EXPECT_LT(readable, 7 * whole.size());
  }
}

TEST_F(Cache, AnswersWhatDoesNotFit) {
  ReadOptions options;
  const std::string path = cache("1 3:1\n-1 7:2\n");
  options.dim = 6;
  EXPECT_EQ(error_of([&] { open_rows(path, options, make_feature_map()); }),
            path + ": feature index 7 is above --dim 6");
  options = {};
  options.zero_based = true;
  EXPECT_EQ(error_of([&] { open_rows(path, options, make_feature_map()); }),
            path + ": feature indices in the cache start at 1, not 0 (leave out --zero-based)");
  cache("1 0:1\n-1 7:2\n", options);
  EXPECT_EQ(error_of([&] { open_rows(path, {}, make_feature_map()); }),
            path + ": feature indices in the cache start at 0, not 1 (add --zero-based)");
}

// A hole of many gigabytes before the only block costs no disk: offsets are 64 bits wide.
TEST_F(Cache, ReachesFarIntoTheFile) {
  const std::string path = cache("1 1:1 5:2.5\n-1 2:1\n");
  const std::string whole = ScratchDir::slurp(path);
  const auto word = [](std::string& text, std::size_t at) {
    return reinterpret_cast<std::uint64_t*>(text.data() + at);
  };
  constexpr std::size_t kEnd = 24, kHead = 16;
  constexpr std::uint64_t kHole = std::uint64_t{11} << 30;
  std::string end = whole.substr(whole.size() - kEnd);
  const std::uint64_t tail_at = *word(end, 0);
  std::string tail = whole.substr(tail_at, whole.size() - kEnd - tail_at);
  *word(tail, tail.size() - 24) += kHole;
  *word(end, 0) += kHole;
  *word(end, 8) = XXH3_64bits(tail.data(), tail.size());
  std::fstream file(scratch_.write("far", whole.substr(0, kHead)), std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(kHead + kHole));
  file << whole.substr(kHead, tail_at - kHead) << tail << end;
  ASSERT_TRUE(file.flush());
  const auto far = open_rows(scratch_.file("far"), {}, make_feature_map())->block(0);
  EXPECT_TRUE(same_block(*far, *open_rows(path, {}, make_feature_map())->block(0)));
}

}  // namespace
}  // namespace thresh::cache_edge
