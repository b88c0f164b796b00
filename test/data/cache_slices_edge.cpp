// A cache with slices gives the rows of the text, to a rank those with its features, of which it
// reads nothing else; damaged and forged files are refused.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "data/cache/layout.hpp"
#include "data/cache/parts.hpp"
#include "data/cached.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::cache_slices_edge {
namespace {

class CacheSlices : public testing::Test {
 protected:
  std::string cache(const std::string& text, std::uint64_t slices,
                    const ReadOptions& options = {}) {
    data_ = scratch_.write("data", text);
    cache_text(data_, scratch_.file("cache"), options, slices);
    return scratch_.file("cache");
  }

  // The blocks of the cache against those of the text, for all features or for a share.
  void expect_same(const std::shared_ptr<FeatureMap>& plain_map,
                   const std::shared_ptr<FeatureMap>& cached_map, const ReadOptions& options = {}) {
    TextSource plain(data_, options, plain_map);
    const auto cached = open_rows(scratch_.file("cache"), options, cached_map);
    ASSERT_EQ(cached->survey()->blocks, plain.survey()->blocks);
    for (std::size_t k = 0; k < plain.survey()->blocks; ++k) {
      ASSERT_TRUE(same_block(*cached->block(k), *plain.block(k))) << "block " << k;
    }
    EXPECT_EQ(cached->block(plain.survey()->blocks), nullptr);
  }

  static std::shared_ptr<FeatureMap> features_of(std::uint64_t first, std::uint64_t end,
                                                 std::uint64_t slices) {
    return std::make_shared<FeatureMap>(Share{slices, first, end, nullptr});
  }

  // What reading all blocks says.
  std::string error_for(const std::shared_ptr<FeatureMap>& features) const {
    return error_of([&] {
      const auto rows = open_rows(scratch_.file("cache"), {}, features);
      for (std::size_t k = 0; rows->block(k) != nullptr; ++k) continue;
    });
  }

  // Changes facts of the tail, with a right checksum.
  void forge(const std::function<void(CacheFacts&)>& change) const {
    std::string file = ScratchDir::slurp(scratch_.file("cache"));
    CacheEnd end{};
    char* const end_at = file.data() + file.size() - sizeof end;
    std::memcpy(&end, end_at, sizeof end);
    CacheFacts facts{};
    std::memcpy(&facts, file.data() + end.tail, sizeof facts);
    change(facts);
    std::memcpy(file.data() + end.tail, &facts, sizeof facts);
    end.checksum = XXH3_64bits(file.data() + end.tail, file.size() - sizeof end - end.tail);
    std::memcpy(end_at, &end, sizeof end);
    std::ofstream(scratch_.file("cache"), std::ios::binary) << file;
  }

  ScratchDir scratch_;
  std::string data_;
};

TEST_F(CacheSlices, HoldTheRowsOfTheText) {
  for (const std::uint64_t slices : {1, 2, 13, 64, 65, 200}) {
    SCOPED_TRACE(slices);
    for (const std::size_t rows : {0, 1, 2500}) {
      cache(random_rows(slices, rows).text(), slices);
      expect_same(make_feature_map(), make_feature_map());
    }
    cache(random_rows(2, 40, 30'000, 7).text(), slices);  // rows longer than a block
    expect_same(make_feature_map(), make_feature_map());
  }
}

TEST_F(CacheSlices, GiveARankItsFeatures) {
  for (const std::uint64_t slices : {3, 64, 130}) {
    cache(random_rows(5, 2500).text(), slices);
    for (const std::uint64_t ranks : {1, 2, 3}) {
      for (std::uint64_t r = 0; r < ranks; ++r) {
        SCOPED_TRACE(fmt::format("{} slices, rank {} of {}", slices, r, ranks));
        const std::uint64_t first = r * slices / ranks, end = (r + 1) * slices / ranks;
        expect_same(features_of(first, end, slices), features_of(first, end, slices));
      }
    }
    expect_same(features_of(1, 2, 7), features_of(1, 2, 7));  // slices of another number
  }
}

TEST_F(CacheSlices, HoldRowsWithWeightsOfUnitLengthAndEveryIndex) {
  ReadOptions unit;
  unit.normalize_l2 = true;
  cache(random_rows(8, 1500).text(), 16);
  expect_same(make_feature_map(), make_feature_map(), unit);
  expect_same(features_of(3, 9, 16), features_of(3, 9, 16), unit);
  const std::uint64_t last = FeatureMap::kMaxIndex;
  std::string text;
  for (const std::uint64_t index : {std::uint64_t{255}, std::uint64_t{1} << 32, last}) {
    text += fmt::format("1 1:2 {}:0.5 {}:3\n-1 {}:1\n", index - 1, index, index);
  }
  cache(text, 64);
  expect_same(make_feature_map(), make_feature_map());
  expect_same(features_of(0, 32, 64), features_of(0, 32, 64));
  expect_same(features_of(32, 64, 64), features_of(32, 64, 64));
}

TEST_F(CacheSlices, AreRefusedWhenCutShortAnywhere) {
  cache(random_rows(4, 3).text(), 3);
  const std::string whole = ScratchDir::slurp(scratch_.file("cache"));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    scratch_.write("cache", whole.substr(0, size));
    ASSERT_EQ(error_for(make_feature_map()),
              scratch_.file("cache") + ": not a valid cache: it is truncated (create it again)")
        << size;
  }
}

TEST_F(CacheSlices, AreRefusedWithAnyBitFlipped) {
  const std::string path = cache("1 3:0.5 7:2\n-1 1:1 300:0.25 70000:4\n", 2);
  const std::string whole = ScratchDir::slurp(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    const auto at = static_cast<std::streamoff>(bit / 8);
    file.seekp(at).put(static_cast<char>(whole[bit / 8] ^ (1 << (bit % 8)))).flush();
    const std::string error = error_for(make_feature_map());
    ASSERT_NE(error, "") << "bit " << bit;
    ASSERT_EQ(error.find('\n'), std::string::npos);
    file.seekp(at).put(whole[bit / 8]);
  }
}

// So a rank does not read what others have.
TEST_F(CacheSlices, DamageConcernsThoseWhoReadIt) {
  const std::string path = cache(random_rows(6, 3000).text(), 4);
  const CacheFile file(path);
  const CacheSpan span = file.spans_of_part(2).at(1);
  std::string content = ScratchDir::slurp(path);
  content[span.offset + span.bytes / 2] ^= 1;
  scratch_.write("cache", content);
  const std::string refused =
      path +
      ": not a valid cache: block 2 of 3, part 3 of 4: its checksum is wrong (create it again)";
  EXPECT_EQ(error_for(features_of(0, 2, 4)), "");
  EXPECT_EQ(error_for(features_of(3, 4, 4)), "");
  EXPECT_EQ(error_for(features_of(2, 4, 4)), refused);
  EXPECT_EQ(error_for(make_feature_map()), refused);
}

TEST_F(CacheSlices, AreRefusedWhenForged) {
  const std::string text = random_rows(7, 200).text();
  const std::string path = cache(text, 100);
  const auto why = [&] { return error_for(make_feature_map()).substr(path.size() + 21); };
  forge([](CacheFacts& facts) { facts.slices = 101; });  // of as many parts
  EXPECT_EQ(why(), "block 1 of 1, part 1 of 64: a feature is of another part (create it again)");
  for (const std::uint64_t slices : {std::uint64_t{0}, kMostSlices + 1, ~std::uint64_t{0}}) {
    cache(text, 100);
    forge([&](CacheFacts& facts) { facts.slices = slices; });
    EXPECT_EQ(why(), "its end is damaged (create it again)") << slices;
  }
  for (const std::uint64_t at : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    cache(text, 100);
    forge([&](CacheFacts& facts) { facts.part_spans = at; });
    EXPECT_EQ(why(), "the index of its parts lies outside (create it again)") << at;
  }
  cache(text, 100);
  forge([](CacheFacts& facts) { facts.part_spans -= 24; });
  EXPECT_EQ(why(), "the index of its parts is damaged (create it again)");
}

}  // namespace
}  // namespace thresh::cache_slices_edge
