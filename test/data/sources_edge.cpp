// Rows from a file, a pipe, a spool, memory and a cache: the same blocks, whatever they come from.
#include "data/read/sources.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "data/cached.hpp"
#include "data/read/memory_rows.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::sources_edge {
namespace {

using Blocks = std::vector<BlockPtr>;

Blocks blocks_of(RowSource& source) {
  Blocks blocks;
  while (const BlockPtr block = source.block(blocks.size())) blocks.push_back(block);
  return blocks;
}

void expect_same_blocks(const Blocks& got, const Blocks& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_TRUE(same_block(*got[k], *expected[k])) << "block " << k;
  }
}

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

// What the parsed blocks themselves say.
Survey survey_of(const Blocks& blocks) {
  Survey survey;
  survey.blocks = blocks.size();
  for (const BlockPtr& block : blocks) {
    survey.rows += block->rows();
    survey.bytes += block->source_bytes;
    count_block(*block, survey);
  }
  return survey;
}

std::shared_ptr<FeatureMap> fresh() {
  return std::make_shared<FeatureMap>();
}

class Sources : public testing::Test {
 protected:
  // All that read text, each opened anew.
  void expect_all_the_same(const std::string& text, const ReadOptions& options) {
    const std::string path = scratch_.write("data", text);
    StreamSource stream(path, options, fresh());
    EXPECT_EQ(stream.survey(), nullptr);
    const Blocks expected = blocks_of(stream);
    const Survey survey = survey_of(expected);
    const auto plain = std::make_shared<TextSource>(path, options, fresh());
    StreamSource on_all_cores(path, options, fresh());
    Blocks taken;
    on_all_cores.for_each_block([&](const BlockPtr& block) { taken.push_back(block); });
    expect_same_blocks(taken, expected);
    StreamSource again(path, options, fresh());
    const auto spooled = std::make_shared<SpooledSource>(again);
    const auto some = std::make_shared<RetainingSource>(plain, 100'000);
    const auto all = std::make_shared<RetainingSource>(spooled, UINT64_MAX);
    for (const std::shared_ptr<RowSource>& source :
         {std::shared_ptr<RowSource>(plain), std::shared_ptr<RowSource>(spooled),
          std::shared_ptr<RowSource>(some), std::shared_ptr<RowSource>(all)}) {
      expect_same_survey(*source->survey(), survey);
      expect_same_blocks(blocks_of(*source), expected);
      expect_same_blocks(blocks_of(*source), expected);  // and once more
      EXPECT_EQ(source->block(expected.size() + 100), nullptr);
      EXPECT_EQ(source->name(), path);
    }
  }

  ScratchDir scratch_;
};

// Decorates lines with all that a reader must look through.
std::string decorated(const RandomRows& rows, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    if (random.below(20) == 0) text += random.below(2) == 0 ? "\n" : "# 1:1 99999:9\n";
    if (random.below(20) == 0) text += "\r \t";
    text += rows.row_text(i);
    if (random.below(20) == 0) text += " # 77777:1";
    text += random.below(5) == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST_F(Sources, GiveTheSameBlocks) {
  for (const std::size_t count : {0, 1, 2, 1023, 1024, 1025, 2048, 5000}) {
    SCOPED_TRACE(count);
    expect_all_the_same(random_rows(count, count).text(), {});
  }
}

TEST_F(Sources, GiveTheSameBlocksOfDecoratedTextUnderEveryOption) {
  const std::string text = decorated(random_rows(1, 4000), 2);
  for (unsigned bits = 0; bits < 8; ++bits) {
    ReadOptions options;
    options.zero_based = (bits & 1) != 0;
    options.allow_unsorted = (bits & 2) != 0;
    options.normalize_l2 = (bits & 4) != 0;
    expect_all_the_same(text, options);
    expect_all_the_same(text.substr(0, text.size() - 1), options);
  }
}

TEST_F(Sources, GiveTheSameBlocksWithBadRowsSkipped) {
  std::string text;
  const RandomRows rows = random_rows(3, 4000);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    text += i % 7 == 3 ? "x " : "";
    text += rows.row_text(i) + (i % 11 == 5 ? " 999999:nan\n" : "\n");
  }
  ReadOptions options;
  options.skip_bad_rows = true;
  expect_all_the_same(text, options);
  EXPECT_GT(TextSource(scratch_.file("data"), options, fresh()).survey()->bad_rows, 800u);
}

TEST_F(Sources, GiveTheSameBlocksOfVeryLongRows) {
  Random random(4);
  RandomRows rows;
  for (const std::size_t entries :
       {std::uint64_t{3}, kBlockEntries + 10, std::uint64_t{5}, kBlockEntries - 5, std::uint64_t{4},
        std::uint64_t{1}, 2 * kBlockEntries, std::uint64_t{2}}) {
    rows.add(random, entries, 3);
  }
  expect_all_the_same(rows.text(), {});
  const auto memory = memory_rows(rows.starts, rows.indices, rows.values, rows.labels, fresh());
  EXPECT_EQ(memory->survey()->blocks, 4u) << "a row that fills a block ends it";
}

TEST_F(Sources, MemoryGivesTheSameBlocksAsText) {
  Random random(5);
  RandomRows rows = random_rows(6, 2500);
  rows.add(random, kBlockEntries - 3, 3);
  for (int i = 0; i < 2000; ++i) rows.add(random, random.below(9), 1000);
  const std::string path = scratch_.write("data", rows.text());
  TextSource text(path, {}, fresh());
  const auto memory = memory_rows(rows.starts, rows.indices, rows.values, rows.labels, fresh());
  const Blocks expected = blocks_of(text);
  const Blocks got = blocks_of(*memory);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) ASSERT_TRUE(same_rows(*got[k], *expected[k])) << k;
  Survey survey = *text.survey();
  survey.bytes = 0;  // there is no text
  expect_same_survey(*memory->survey(), survey);
}

TEST_F(Sources, MemoryRefusesArraysThatDoNotFit) {
  const auto open = [](const std::vector<std::size_t>& starts,
                       const std::vector<std::uint64_t>& indices, const std::vector<double>& values,
                       const std::vector<double>& labels) {
    return memory_rows(starts, indices, values, labels, fresh());
  };
  EXPECT_NO_THROW(open({0}, {}, {}, {}));
  EXPECT_THROW(open({}, {}, {}, {}), UsageError);
  EXPECT_THROW(open({0, 1}, {1}, {1}, {}), UsageError);
  EXPECT_THROW(open({0, 2}, {1}, {1}, {1}), UsageError);
  EXPECT_THROW(open({0, 1}, {1}, {}, {1}), UsageError);
  EXPECT_THROW(open({1, 1}, {1}, {1}, {1}), UsageError);
  EXPECT_THROW(open({0, 2, 1, 2}, {1, 2}, {1, 1}, {1, 1, 1}), UsageError);
  EXPECT_EQ(refusal_of([&] { open({0, 2}, {2, 2}, {1, 1}, {1}); }), "row 0: feature index 2 twice");
  EXPECT_EQ(refusal_of([&] {
              open({0, 1, 2}, {5, 3}, {1, NAN}, {1, 1});
            }),
            "row 1: value of feature 3 is not finite");
  EXPECT_EQ(refusal_of([&] { open({0, 0}, {}, {}, {INFINITY}); }), "row 0: label is not finite");
  EXPECT_EQ(refusal_of([&] {
              open({0, 1}, {FeatureMap::kMaxIndex}, {1}, {1});
            }),
            "row 0: feature index 1099511627776 is above 2^40");
}

TEST_F(Sources, AStreamOnAllCoresReportsItsFirstError) {
  std::string text;
  for (std::size_t i = 0; i < 40 * kBlockRows; ++i) {
    text += i % (8 * kBlockRows) == 7 * kBlockRows ? "1 x\n" : "1 1:1\n";
  }
  const std::string path = scratch_.write("data", text);
  for (int turn = 0; turn < 10; ++turn) {
    StreamSource stream(path, {}, fresh());
    std::size_t blocks = 0;
    EXPECT_EQ(error_of([&] { stream.for_each_block([&](const BlockPtr&) { ++blocks; }); }),
              path + ":7169: expected INDEX:VALUE, found 'x'");
    EXPECT_EQ(blocks, 7U);
  }
}

TEST_F(Sources, BlocksMayBeAskedForByManyThreads) {
  const std::string path = scratch_.write("data", random_rows(7, 20 * kBlockRows + 77, 6).text());
  const auto plain = std::make_shared<TextSource>(path, ReadOptions{}, fresh());
  StreamSource stream(path, {}, fresh());
  const auto spooled = std::make_shared<SpooledSource>(stream);
  const auto retaining = std::make_shared<RetainingSource>(plain, 300'000);
  const Blocks expected = blocks_of(*plain);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Random random(t);
      for (int i = 0; i < 60; ++i) {
        const std::size_t k = random.below(expected.size());
        for (RowSource* source :
             {static_cast<RowSource*>(plain.get()), static_cast<RowSource*>(spooled.get()),
              static_cast<RowSource*>(retaining.get())}) {
          wrong += same_block(*source->block(k), *expected[k]) ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Sources, ACompressedFileIsSpooledAndReadOnceIfThatIsEnough) {
  const std::string text = random_rows(8, 3000).text();
  const std::string path = scratch_.write("data", text);
  const std::string packed = scratch_.file("data.gz");
  gzFile out = gzopen(packed.c_str(), "wb");
  ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  gzclose(out);
  const auto plain = open_rows(path, {}, fresh());
  EXPECT_NE(dynamic_cast<TextSource*>(plain.get()), nullptr);
  const auto spooled = open_rows(packed, {}, fresh());
  expect_same_survey(*spooled->survey(), *plain->survey());
  expect_same_blocks(blocks_of(*spooled), blocks_of(*plain));
  ReadOptions once;
  once.once = true;
  const auto stream = open_rows(packed, once, fresh());
  EXPECT_EQ(stream->survey(), nullptr);
  expect_same_blocks(blocks_of(*stream), blocks_of(*plain));
}

TEST_F(Sources, ARetainingSourceKeepsWhatFits) {
  const std::string path = scratch_.write("data", random_rows(9, 3 * kBlockRows).text());
  const auto plain = std::make_shared<TextSource>(path, ReadOptions{}, fresh());
  const auto keeps = [&](std::uint64_t limit) {
    RetainingSource source(plain, limit);
    int kept = 0;
    for (std::size_t k = 0; k < 3; ++k) kept += source.block(k) == source.block(k) ? 1 : 0;
    return kept;
  };
  EXPECT_EQ(keeps(0), 0);
  EXPECT_EQ(keeps(UINT64_MAX), 3);
  const BlockPtr first = plain->block(0);
  EXPECT_EQ(keeps(12 * first->slots.capacity() + 32 * first->labels.capacity()), 1);
}

TEST_F(Sources, HeldInMemoryIsWhatWouldBeSlowToReadAgain) {
  const std::string path = scratch_.write("data", random_rows(11, 3 * kBlockRows).text());
  const auto plain = open_rows(path, {}, fresh());
  const auto held = held_in_memory(plain, UINT64_MAX);
  EXPECT_NE(held, plain);
  EXPECT_EQ(held_in_memory(held, UINT64_MAX), held);
  expect_same_blocks(blocks_of(*held), blocks_of(*plain));
  cache_text(path, scratch_.file("cache"), {});
  const auto cache = open_rows(scratch_.file("cache"), {}, fresh());
  EXPECT_EQ(held_in_memory(cache, UINT64_MAX), cache);
  const auto hashed = open_rows(scratch_.file("cache"), {}, make_feature_map(UINT64_MAX));
  EXPECT_EQ(hashed->packed_rows(), nullptr);  // indices go through a hash table
  EXPECT_NE(held_in_memory(hashed, UINT64_MAX), hashed);
  ReadOptions once;
  once.once = true;
  const auto stream = std::make_shared<StreamSource>(path, once, fresh());
  EXPECT_EQ(held_in_memory(stream, UINT64_MAX), stream);
  EXPECT_EQ(held_in_memory(nullptr, UINT64_MAX), nullptr);
}

TEST_F(Sources, ReadingStopsWhenAskedToAndTellsHowFarItIs) {
  const std::string path = scratch_.write("data", random_rows(10, 3000).text());
  ReadOptions options;
  std::uint64_t bytes = 0;
  options.on_read = [&](std::uint64_t more) { bytes += more; };
  const TextSource source(path, options, fresh());
  EXPECT_EQ(bytes, std::filesystem::file_size(path));
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  EXPECT_THROW(TextSource(path, options, fresh()), Interrupted);
  StreamSource stream(path, options, fresh());
  EXPECT_THROW(stream.block(0), Interrupted);
}

}  // namespace
}  // namespace thresh::sources_edge
