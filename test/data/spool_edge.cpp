// A spool file that was damaged behind our back.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "data/feed/drawn_passes.hpp"
#include "data/read/sources.hpp"
#include "sparse/feature_map.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace {

using namespace thresh;
namespace fs = std::filesystem;

// The descriptor of the only unnamed file in a folder.
int unnamed_file_in(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (fs::read_symlink(entry, ignored).string().starts_with(folder.string() + "/")) {
      return std::stoi(entry.path().filename());
    }
  }
  return -1;
}

TEST(Spools, EveryDamagedByteIsNoticed) {
  ScratchDir scratch, temporary;
  const char* const saved = ::getenv("TMPDIR");
  const std::string before = saved != nullptr ? saved : "/tmp";
  ::setenv("TMPDIR", temporary.path.c_str(), 1);
  StreamSource stream(scratch.write("a.svm", "1 1:1 5:2.5\n-1 2:1\n"), {},
                      std::make_shared<FeatureMap>());
  SpooledSource spool(stream);
  ::setenv("TMPDIR", before.c_str(), 1);
  EXPECT_EQ(spool.block(0)->rows(), 2u);
  const int fd = unnamed_file_in(fs::canonical(temporary.path));
  ASSERT_GE(fd, 0);
  const off_t size = ::lseek(fd, 0, SEEK_END);
  ASSERT_GT(size, 100);
  for (off_t at = 0; at < size; ++at) {
    char byte = 0;
    ASSERT_EQ(::pread(fd, &byte, 1, at), 1);
    const char damaged = static_cast<char>(byte ^ 0xff);
    ASSERT_EQ(::pwrite(fd, &damaged, 1, at), 1);
    EXPECT_EQ(error_of([&] { spool.block(0); }),
              stream.name() + ": the temporary file with its rows is damaged")
        << at;
    ASSERT_EQ(::pwrite(fd, &byte, 1, at), 1);
  }
  EXPECT_EQ(spool.block(0)->rows(), 2u);
}

// The same for rows that are drawn: a row is checked when it is read back.
TEST(Spools, EveryDamagedByteOfADrawnRowIsNoticed) {
  ScratchDir scratch, temporary;
  const char* const saved = ::getenv("TMPDIR");
  const std::string before = saved != nullptr ? saved : "/tmp";
  const auto rows = std::make_shared<TextSource>(scratch.write("a.svm", "1 1:1 5:2.5\n"),
                                                 ReadOptions(), std::make_shared<FeatureMap>());
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  const std::atomic<bool> never = false;
  DrawnPasses drawn(*rows, view, {.order = Order::replacement, .passes = UINT64_MAX, .memory = 0},
                    never);
  ::setenv("TMPDIR", temporary.path.c_str(), 1);
  Window window;
  EXPECT_TRUE(drawn.next(window));
  ::setenv("TMPDIR", before.c_str(), 1);
  const int fd = unnamed_file_in(fs::canonical(temporary.path));
  ASSERT_GE(fd, 0);
  const off_t size = ::lseek(fd, 0, SEEK_END);
  ASSERT_EQ(size, 8 + 2 * 12);
  for (off_t at = 0; at < size; ++at) {
    char byte = 0;
    ASSERT_EQ(::pread(fd, &byte, 1, at), 1);
    const char damaged = static_cast<char>(byte ^ 0xff);
    ASSERT_EQ(::pwrite(fd, &damaged, 1, at), 1);
    EXPECT_EQ(error_of([&] { drawn.next(window); }),
              rows->name() + ": the temporary file with its rows is damaged")
        << at;
    ASSERT_EQ(::pwrite(fd, &byte, 1, at), 1);
  }
  EXPECT_TRUE(drawn.next(window));
  ASSERT_EQ(window.rows.size(), 1U);
  EXPECT_EQ(window.rows.front().values[1], 2.5);
}

}  // namespace
