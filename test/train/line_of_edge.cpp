// Where a row of a cache stands in its text, also where all rows of a block were bad.
#include "train/advice.hpp"

#include <gtest/gtest.h>

#include <map>

#include "data/cached.hpp"
#include "data/read/cutter.hpp"
#include "tools/scratch.hpp"

namespace thresh::line_of_edge {
namespace {

TEST(LineOf, RowsOfACacheIsThatOfTheText) {
  ReadOptions options;
  options.skip_bad_rows = true;
  const ScratchDir dir;
  for (const std::string blocks : {"+", "-", "+--", "--+", "-+--+-", "+-----+", "++--+++-++"}) {
    std::string text = "# a comment\n";
    for (const char block : blocks) {
      for (std::uint64_t i = 0; i < kBlockRows; ++i) {
        text += block == '+' && i % 7 != 3 ? "1 1:1\n" : "1 1:x\n";
      }
    }
    const std::string path = dir.write("data", text);
    cache_text(path, dir.file("cache"), options);
    const CachedSource cache(path, std::make_shared<const CacheFile>(dir.file("cache")), options,
                             make_feature_map());
    TextSource plain(path, options, make_feature_map());
    ASSERT_EQ(cache.survey()->blocks, blocks.size());
    std::map<std::uint64_t, std::uint64_t> lines;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const BlockPtr block = plain.block(k);
      for (std::size_t i = 0; i < block->rows(); ++i) lines[block->ids[i]] = block->lines[i];
    }
    for (std::uint64_t id = 0; id < blocks.size() * kBlockRows + 2; id += 3) {
      const auto found = lines.find(id);
      const auto expected = found == lines.end() ? std::nullopt : std::optional(found->second);
      ASSERT_EQ(line_of(cache, id), expected) << "row " << id << " of " << blocks;
    }
  }
}

}  // namespace
}  // namespace thresh::line_of_edge
