// Names and words in caches: they come back as they were, and what is damaged is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/cache/translation.hpp"
#include "data/cache/words.hpp"
#include "data/read/sources.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::cache_words_edge {
namespace {

class CacheWordsTest : public testing::Test {
 protected:
  // Writes data to a file and that into a cache.
  std::string cache(const std::string& name, const std::string& content, ReadOptions options = {}) {
    const std::string data = dir_.write(name, content);
    const Format format = format_of(data, options.format);
    const auto features = make_feature_map();
    options.once = true;
    options.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
    const auto rows = open_rows(data, options, features);
    const CacheWords words = words_of(options.vocabulary.get(), format, asked_of(options, format));
    write_cache(
        dir_.file("cache"), *rows, *features, {}, [] { return CacheOrigin{}; }, words);
    return dir_.file("cache");
  }

  // Of every kind with names; small, so that each byte can be damaged.
  std::vector<std::string> small_caches() {
    ReadOptions hashed, text, terms;
    hashed.hash_bits = 4;
    text.format = terms.format = Format::text;
    terms.hash_bits = 4;
    std::vector<std::string> all;
    all.push_back(ScratchDir::slurp(cache("a.vw", "1 2 |a x:3 y\n-1 |a x:0.5 z\n")));
    all.push_back(ScratchDir::slurp(cache("a.csv", "n,c,y\n1,u,yes\n2,v,no\n", hashed)));
    all.push_back(ScratchDir::slurp(cache("a", "spam\tbuy now\nham\tsee you now\n", text)));
    all.push_back(ScratchDir::slurp(cache("a", "spam\tbuy now\nham\tsee you now\n", terms)));
    return all;
  }

  // What is wrong with it, or "".
  static std::string error_in(const std::string& path) {
    return error_of([&] {
      ReadOptions options;
      options.vocabulary = std::make_shared<Vocabulary>();
      open_rows(path, options, make_feature_map())->block(0);
    });
  }

  ScratchDir dir_;
};

TEST_F(CacheWordsTest, AreRefusedWhenCutShort) {
  for (const std::string& whole : small_caches()) {
    for (std::size_t size = 8; size < whole.size(); size += 5) {
      const std::string cut = dir_.write("cut", whole.substr(0, size));
      ASSERT_EQ(error_in(cut), cut + ": not a valid cache: it is truncated (create it again)");
    }
    EXPECT_EQ(error_in(dir_.write("whole", whole)), "");
  }
}

TEST_F(CacheWordsTest, AreRefusedWithABitFlippedInAnyByte) {
  for (std::string bytes : small_caches()) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const char good = bytes[at];
      bytes[at] = static_cast<char>(good ^ (1 << (at % 8)));
      const std::string error = error_in(dir_.write("flipped", bytes));
      ASSERT_NE(error, "") << "byte " << at;
      ASSERT_EQ(error.find('\n'), std::string::npos);
      bytes[at] = good;
    }
  }
}

TEST_F(CacheWordsTest, DamagedNamesAreCalledThat) {
  std::string bytes = ScratchDir::slurp(cache("a.vw", "1 |a long-name\n-1 |a z\n"));
  bytes[bytes.find("long-name")] = 'L';
  const std::string path = dir_.write("cache", bytes);
  EXPECT_EQ(error_in(path), path + ": not a valid cache: its names are damaged (create it again)");
}

// Checksums keep chance away, but not someone who computes them.
TEST_F(CacheWordsTest, ThatWereForgedAreRefused) {
  const auto features = make_feature_map();
  std::string data = dir_.write("a.svm", "1 1:1\n0 2:1\n");
  const auto forged = [&](const std::string& words, const std::string& names) {
    TextSource rows(data, {}, features);
    const std::string path = dir_.file("forged");
    write_cache(path, rows, *features, {}, [] { return CacheOrigin{}; },
                {words, [&](const CacheWords::Write& write) { write(names); }});
    const std::string error = error_in(path);
    const std::string before = path + ": not a valid cache: ";
    return error.starts_with(before) ? error.substr(before.size()) : error;
  };
  const auto words = [](const std::string& format, const std::string& labels, int bits, int terms) {
    return R"({"format":")" + format + R"(","asked":"{}","hash_bits":)" + std::to_string(bits) +
           R"(,"labels":)" + labels + R"(,"reading":"{}","note":"","dimension":2,"terms":)" +
           std::to_string(terms) + "}";
  };
  std::string names;
  append_name(0, "x", names);
  append_name(1, "y", names);
  EXPECT_EQ(forged(words("vw", "[]", 0, 0), names), "");
  EXPECT_EQ(forged("{", names), "its words are damaged (create it again)");
  EXPECT_EQ(forged("{}", names), "its words are damaged (create it again)");
  EXPECT_EQ(forged(words("avro", "[]", 0, 0), names),
            "it is of a format that this version does not know (create it again)");
  EXPECT_EQ(forged(words("vw", R"(["only"])", 0, 0), names),
            "a label has no name (create it again)");
  EXPECT_EQ(forged(words("vw", "[]", 31, 0), names), "its hashes are too long (create it again)");
  EXPECT_EQ(forged(words("vw", "[]", 0, 99), names), "its terms are truncated (create it again)");
  EXPECT_EQ(forged(words("vw", "[]", 0, 0), names + "z"), "a name is truncated (create it again)");
  EXPECT_EQ(forged(words("vw", "[]", 0, 0), names.substr(0, names.size() - 1)),
            "a name is truncated (create it again)");
  for (const char* const count : {R"("hash_bits":0)", R"("dimension":2)", R"("terms":0)"}) {
    const std::string good = words("vw", "[]", 0, 0);
    const std::size_t digit = good.find(count) + std::string_view(count).size() - 1;
    for (const char* const bad : {"-1", "1.5", "true", R"("1")"}) {
      EXPECT_EQ(forged(std::string(good).replace(digit, 1, bad), names),
                "its words are damaged (create it again)")
          << count << " is " << bad;
    }
  }
  for (const char* const object : {R"("asked":"{}")", R"("reading":"{}")"}) {
    std::string bad = words("vw", "[]", 0, 0);
    const std::size_t end = bad.find(object) + std::string_view(object).size();
    EXPECT_EQ(forged(bad.replace(end - 3, 2, "[]"), names),
              "its words are damaged (create it again)");
  }
  EXPECT_EQ(forged(words("vw", "[]", 0, 0), names.substr(0, names.size() / 2)),
            "a feature has no name (create it again)");
  EXPECT_EQ(forged(words("vw", "[]", 0, 0), names.substr(names.size() / 2)),
            "a name has a number that is not its own (create it again)");
  append_name(2, "z", names);
  EXPECT_EQ(forged(words("vw", "[]", 1, 0), names),
            "a name has a number that is too large (create it again)");
  EXPECT_EQ(forged(words("text", "[]", 0, 0), names), "the header is damaged (create it again)");
  data = dir_.write("a.svm", "1 1:1\n0.5 2:1\n");
  EXPECT_EQ(forged(words("vw", R"(["no","yes"])", 0, 0), names),
            "a label has no name (create it again)");
  data = dir_.write("a.svm", "1 3:1\n");
  EXPECT_EQ(forged(words("text", "[]", 0, 0), names), "a feature has no name (create it again)");
}

TEST_F(CacheWordsTest, FactsThatWereForgedAreRefused) {
  const std::string whole = ScratchDir::slurp(cache("a.vw", "1 2 |a x:3 y\n-1 |a x:0.5 z\n"));
  const auto forged = [&](std::size_t offset, auto value) {
    std::string bytes = whole;
    char* const end = bytes.data() + bytes.size() - 24;  // offset of the tail, its checksum, magic
    std::uint64_t tail = 0;
    std::memcpy(&tail, end, sizeof tail);
    std::memcpy(bytes.data() + tail + offset, &value, sizeof value);
    const std::uint64_t checksum =
        XXH3_64bits(bytes.data() + tail, static_cast<std::size_t>(end - bytes.data()) - tail);
    std::memcpy(end + 8, &checksum, sizeof checksum);
    const std::string error = error_in(dir_.write("forged", bytes));
    return error.substr(std::min(error.size(), error.rfind(": ") + 2));
  };
  constexpr std::size_t kDimension = 56, kMeanWeight = 88, kFirstLabel = 128;
  EXPECT_EQ(forged(kDimension, std::uint64_t{3}), "") << "as it is";
  EXPECT_EQ(forged(kDimension, std::uint64_t{2}), "its dimension is invalid (create it again)");
  EXPECT_EQ(forged(kDimension, std::uint64_t{4}), "a feature has no name (create it again)");
  EXPECT_EQ(forged(kMeanWeight, 1.5), "") << "as it is";
  EXPECT_EQ(forged(kMeanWeight, -1.5), "its end is damaged (create it again)");
  EXPECT_EQ(forged(kFirstLabel, 1.0), "") << "as it is";
  EXPECT_EQ(forged(kFirstLabel, 2.0), "its labels are invalid (create it again)");
}

// Whoever knows the words already compares no options, but another program may read otherwise.
TEST_F(CacheWordsTest, BesideDataAreThoseOfThisProgram) {
  const std::string data = dir_.write("a.vw", "1 |a x y\n-1 |b x |c z\n");
  const std::string beside = data + ".thresh-cache";
  ReadOptions options;
  options.cache = ReadOptions::Cache::always;
  options.vocabulary = std::make_shared<Vocabulary>();
  const auto features = make_feature_map();
  const auto rows = open_rows(data, options, features);
  options.once = true;
  const auto is_used = [&] {
    const auto again = open_rows(data, options, features);
    return std::dynamic_pointer_cast<TranslatedRows>(again) != nullptr;
  };
  EXPECT_TRUE(is_used());
  const auto file = std::make_shared<const CacheFile>(beside);
  const auto rewrite = [&](const std::string& from, const std::string& to) {
    std::string words = file->words();
    words.replace(words.find(from), from.size(), to);
    write_cache(beside, *rows, *features, {}, [&] { return file->origin(); },
                {words, [&](const CacheWords::Write& write) { write(file->names()); }});
  };
  const std::string version = R"("version":")" + CachedWords(file).version() + '"';
  rewrite(version, R"("version":"0.0.1")");
  EXPECT_FALSE(is_used());
  rewrite(version + ",", "");
  EXPECT_FALSE(is_used()) << "it does not say";
  rewrite(version, version);
  EXPECT_TRUE(is_used());
}

TEST_F(CacheWordsTest, NamesAreFoundAgain) {
  for (const unsigned bits : {0U, 10U}) {
    ReadOptions options;
    options.hash_bits = bits;
    const std::string path = cache("a.vw", "1 |a x y\n-1 |b x |c z\n", options);
    options.vocabulary = std::make_shared<Vocabulary>();
    open_rows(path, options, make_feature_map());
    Vocabulary& restored = *options.vocabulary;
    Vocabulary fresh(bits);
    for (const char* name : {"a^x", "a^y", "b^x", "c^z"}) {
      EXPECT_EQ(restored.find(name), fresh.id(name)) << name;
    }
    EXPECT_EQ(restored.find("other"), Vocabulary::kUnknown);
    EXPECT_EQ(restored.id_end(), fresh.id_end());
    EXPECT_EQ(restored.id("other"), fresh.id("other")) << "it can still learn";
    std::vector<std::pair<std::uint64_t, std::string>> told, expected;
    const auto into = [](auto& list) {
      return [&list](std::uint64_t id, std::string_view name) { list.emplace_back(id, name); };
    };
    restored.for_each(into(told));
    fresh.for_each(into(expected));
    EXPECT_EQ(told, expected);
  }
}

}  // namespace
}  // namespace thresh::cache_words_edge
