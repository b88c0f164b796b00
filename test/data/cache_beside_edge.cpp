// The cache beside a text: made when it is wanted, used while it fits, never when it does not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "data/cached.hpp"
#include "tools/error_of.hpp"
#include "tools/pack.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::cache_beside_edge {
namespace {

namespace fs = std::filesystem;

class CacheBeside : public testing::Test {
 protected:
  CacheBeside() {
    options_.cache = ReadOptions::Cache::always;
    options_.on_note = [this](const std::string& line) { notes_.push_back(line); };
  }

  std::shared_ptr<RowSource> open() const { return open_rows(path_, options_, make_feature_map()); }
  static bool is_cached(const std::shared_ptr<RowSource>& source) {
    return std::dynamic_pointer_cast<CachedSource>(source) != nullptr;
  }
  bool is_there() const { return fs::exists(name_); }
  // Which file it is: a new one has another number.
  std::uint64_t inode() const {
    struct stat info {};
    EXPECT_EQ(::stat(name_.c_str(), &info), 0);
    return info.st_ino;
  }
  void expect_rows_of(const std::string& text) {
    const auto source = open();
    const ScratchDir other;
    TextSource plain(other.write("plain", text), options_, make_feature_map());
    ASSERT_EQ(source->survey()->blocks, plain.survey()->blocks);
    for (std::size_t k = 0; k < plain.survey()->blocks; ++k) {
      EXPECT_TRUE(same_block(*source->block(k), *plain.block(k))) << k;
    }
  }
  // Same length, same time of change.
  void replace_secretly(const std::string& text) {
    const auto time = fs::last_write_time(path_);
    scratch_.write("data", text);
    fs::last_write_time(path_, time);
  }

  ScratchDir scratch_;
  const std::string text_ = random_rows(1, 2500).text();
  const std::string path_ = scratch_.write("data", text_);
  const std::string name_ = path_ + ".thresh-cache";
  ReadOptions options_;
  std::vector<std::string> notes_;
};

TEST_F(CacheBeside, IsMadeOnceAndUsed) {
  EXPECT_TRUE(is_cached(open()));
  const std::uint64_t first = inode();
  EXPECT_TRUE(is_cached(open()));
  EXPECT_EQ(inode(), first);
  expect_rows_of(text_);
  EXPECT_EQ(open()->name(), path_) << "messages speak of the data";
  EXPECT_EQ(notes_, std::vector<std::string>{});
}

TEST_F(CacheBeside, IsMadeOfCompressedText) {
  for (const std::string& packed : {pack::gzip(text_), pack::zstd(text_), pack::xz(text_)}) {
    scratch_.write("data", packed);
    EXPECT_TRUE(is_cached(open()));
    expect_rows_of(text_);
  }
}

TEST_F(CacheBeside, IsNotMadeUnasked) {
  for (const auto cache :
       {ReadOptions::Cache::none, ReadOptions::Cache::existing, ReadOptions::Cache::large}) {
    options_.cache = cache;  // which this text is not
    EXPECT_FALSE(is_cached(open()));
  }
  options_.cache = ReadOptions::Cache::always;
  options_.once = true;
  EXPECT_FALSE(is_cached(open()));
  EXPECT_FALSE(is_there());
}

TEST_F(CacheBeside, ThatExistsIsUsedUnlessThatIsForbidden) {
  open();
  options_.cache = ReadOptions::Cache::existing;
  EXPECT_TRUE(is_cached(open()));
  options_.once = true;
  EXPECT_TRUE(is_cached(open()));
  options_.cache = ReadOptions::Cache::none;
  EXPECT_FALSE(is_cached(open()));
}

TEST_F(CacheBeside, IsMadeAnewWhenTheTextWasTouched) {
  open();
  const std::uint64_t first = inode();
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::seconds(1));
  options_.cache = ReadOptions::Cache::existing;
  EXPECT_FALSE(is_cached(open()));
  options_.cache = ReadOptions::Cache::always;
  EXPECT_TRUE(is_cached(open()));
  EXPECT_NE(inode(), first);
}

TEST_F(CacheBeside, IsMadeAnewWhenTheContentIsAnother) {
  open();
  for (const std::size_t place : {std::size_t{0}, text_.size() / 2, text_.size() - 10}) {
    std::string other = text_;
    const std::size_t digit = other.find_first_of("12345678", place);
    ++other[digit];
    replace_secretly(other);
    expect_rows_of(other);
    EXPECT_TRUE(is_cached(open()));
  }
}

TEST_F(CacheBeside, IsMadeAnewForOtherOptions) {
  open();
  std::uint64_t last = inode();
  for (bool ReadOptions::*option : {&ReadOptions::allow_unsorted, &ReadOptions::skip_bad_rows}) {
    options_.*option = true;
    EXPECT_TRUE(is_cached(open()));
    EXPECT_NE(inode(), last);
    last = inode();
    expect_rows_of(text_);
  }
  options_.normalize_l2 = true;  // done when rows are unpacked
  expect_rows_of(text_);
  EXPECT_EQ(inode(), last);
  options_.zero_based = true;
  expect_rows_of(text_);
  EXPECT_NE(inode(), last);
}

TEST_F(CacheBeside, LeavesRefusalsToTheText) {
  const std::uint64_t dimension = open()->survey()->dimension;
  options_.dim = dimension;
  EXPECT_TRUE(is_cached(open()));
  options_.dim = dimension - 1;
  EXPECT_FALSE(is_cached(open()));
  options_.dim = 0;
  scratch_.write("data", "1 1:1\n-1 1:x\n");
  EXPECT_EQ(error_of([&] { open(); }), path_ + ":2: value of feature 1 is not a number: 'x'");
  EXPECT_EQ(scratch_.slurp(name_).empty(), false) << "the old one is still there";
}

TEST_F(CacheBeside, ThatIsDamagedIsMadeAnew) {
  open();
  const std::string whole = ScratchDir::slurp(name_);
  for (const std::size_t place :
       {std::size_t{3}, std::size_t{9}, whole.size() / 2, whole.size() - 30}) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 4);
    scratch_.write("data.thresh-cache", damaged);
    notes_.clear();
    expect_rows_of(text_);
    ASSERT_EQ(notes_.size(), 1U) << place;
    EXPECT_TRUE(notes_[0].starts_with(name_ + ": not a valid cache: ")) << notes_[0];
    EXPECT_TRUE(notes_[0].ends_with("; rebuilding it")) << notes_[0];
    EXPECT_EQ(ScratchDir::slurp(name_), whole);
  }
  scratch_.write("data.thresh-cache", whole.substr(0, whole.size() - 1));
  options_.cache = ReadOptions::Cache::existing;
  notes_.clear();
  expect_rows_of(text_);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_TRUE(notes_[0].ends_with("; reading " + path_ + " instead")) << notes_[0];
}

TEST_F(CacheBeside, ThatCannotBeWrittenIsDoneWithout) {
  fs::create_directory(name_);  // even the superuser cannot write that
  expect_rows_of(text_);
  ASSERT_EQ(notes_.size(), 2U);
  EXPECT_EQ(notes_[1], name_ + ": is a directory; continuing without a cache");
}

TEST_F(CacheBeside, IsWholeWhoeverWritesIt) {
  options_.on_note = nullptr;  // one may find that another has just removed the file
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([this] {
      for (int round = 0; round < 5; ++round) {
        fs::remove(name_);
        EXPECT_EQ(open()->survey()->rows, 2500U);
      }
    });
  }
  writers.clear();
  expect_rows_of(text_);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path), {}), 2) << "nothing is left over";
}

}  // namespace
}  // namespace thresh::cache_beside_edge
