// Bytes out: a file is replaced whole or not at all, and scratch space leaves no trace.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numeric>
#include <thread>
#include <vector>

#include "files/replace.hpp"
#include "files/temp_file.hpp"
#include "thresh/files.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace {

namespace fs = std::filesystem;
using thresh::AtomicFile;
using thresh::replace;
using thresh::TempFile;

// Every write past `bytes` fails, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &saved_);
    const rlimit lower{bytes, saved_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &lower);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &saved_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit saved_{};
  sighandler_t handler_;
};

class TmpdirAt {
 public:
  explicit TmpdirAt(const std::string& folder) {
    if (const char* old = ::getenv("TMPDIR")) saved_ = old;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TmpdirAt() { saved_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", saved_.c_str(), 1); }

 private:
  std::string saved_;
};

class AtomicFiles : public testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(scratch_.path), {}));
  }
  ScratchDir scratch_;
};

TEST_F(AtomicFiles, CreatesAndReplaces) {
  const std::string path = scratch_.file("model");
  replace(path, "first");
  EXPECT_EQ(ScratchDir::slurp(path), "first");
  replace(path, "");
  EXPECT_EQ(ScratchDir::slurp(path), "");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, WritesOfAnySizeArriveInOrder) {
  std::string expected;
  AtomicFile file(scratch_.file("model"));
  for (const std::size_t size : {0, 1, 1000, 1 << 20, (1 << 20) - 1, 1, 3 << 20, 5}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    expected += piece;
    file.write(piece);
  }
  file.commit();
  EXPECT_TRUE(ScratchDir::slurp(scratch_.file("model")) == expected);
}

TEST_F(AtomicFiles, HonoursTheUmask) {
  const mode_t old = ::umask(027);
  replace(scratch_.file("model"), "x");
  ::umask(old);
  EXPECT_EQ(static_cast<int>(fs::status(scratch_.file("model")).permissions()), 0640);
}

TEST_F(AtomicFiles, TheOldContentStaysUntilCommit) {
  const std::string path = scratch_.write("model", "old");
  {
    AtomicFile file(path);
    file.write(std::string(3 << 20, 'x'));
    EXPECT_EQ(ScratchDir::slurp(path), "old");
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(ScratchDir::slurp(path), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, AFullDiskLeavesTheOldContent) {
  const std::string path = scratch_.write("model", "old");
  const std::string expected = path + ": cannot write: File too large";
  {
    const FileSizeLimit limit(100'000);
    EXPECT_EQ(error_of([&] { replace(path, std::string(200'000, 'x')); }), expected);
    EXPECT_EQ(error_of([&] { replace(path, std::string(3 << 20, 'x')); }), expected);
  }
  EXPECT_EQ(ScratchDir::slurp(path), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, TwoAtOnceDoNotMeet) {
  const std::string path = scratch_.file("model");
  AtomicFile first(path);
  AtomicFile second(path);
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(ScratchDir::slurp(path), "first");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, LeftoversAreRemoved) {
  const std::string path = scratch_.file("model");
  for (int i = 0; i < 200; ++i) {
    scratch_.write("model.tmp." + std::to_string(::getpid()) + "." + std::to_string(i), "stale");
  }
  replace(path, "new");
  EXPECT_EQ(ScratchDir::slurp(path), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, TogetherOrNotAtAll) {
  const std::string first = scratch_.write("first", "old");
  const std::string second = scratch_.file("second");
  const std::string third = scratch_.write("third", "old");
  {
    AtomicFile a(first), b(second), c(third);
    for (AtomicFile* file : {&a, &b, &c}) file->write("new");
    fs::remove(third);
    fs::create_directory(third);  // cannot be replaced
    EXPECT_EQ(error_of([&] {
                AtomicFile::commit_together({&a, &b, &c});
              }),
              third + ": cannot write: Is a directory");
  }
  EXPECT_EQ(ScratchDir::slurp(first), "old");
  EXPECT_FALSE(fs::exists(second));
  EXPECT_EQ(files(), 2u);
  fs::remove(third);
  AtomicFile a(first), b(second), c(third);
  for (AtomicFile* file : {&a, &b, &c}) file->write("new");
  AtomicFile::commit_together({&a, &b, &c});
  for (const std::string& path : {first, second, third}) EXPECT_EQ(ScratchDir::slurp(path), "new");
  EXPECT_EQ(files(), 3u);
}

TEST_F(AtomicFiles, ALogBringsBackWhatItReplaced) {
  const std::string path = scratch_.write("log", "old");
  for (const bool keep : {false, true}) {
    thresh::LogFile log(path, thresh::LogFile::Start::empty);
    log.write("new");
    log.flush();
    EXPECT_EQ(ScratchDir::slurp(path), "new");
    if (keep) log.keep();
    EXPECT_EQ(files(), keep ? 1u : 2u);
  }
  EXPECT_EQ(ScratchDir::slurp(path), "new");
  { thresh::LogFile log(path, thresh::LogFile::Start::empty); }
  EXPECT_EQ(ScratchDir::slurp(path), "new");
  { thresh::LogFile log(scratch_.file("other"), thresh::LogFile::Start::empty); }
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, RelativePathsWork) {
  const fs::path old = fs::current_path();
  fs::current_path(scratch_.path);
  const std::string error = error_of([] { replace("model", "here"); });
  fs::current_path(old);
  EXPECT_EQ(error, "");
  EXPECT_EQ(ScratchDir::slurp(scratch_.file("model")), "here");
}

TEST_F(AtomicFiles, PathsThatCannotBeWrittenFailAtOnce) {
  const auto open = [](const std::string& path) {
    return error_of([&] { AtomicFile file(path); });
  };
  EXPECT_EQ(open(scratch_.path), scratch_.path.string() + ": is a directory");
  const std::string orphan = scratch_.file("no/model");
  EXPECT_EQ(open(orphan), orphan + ": cannot write: No such file or directory");
  const std::string under_file = scratch_.write("a", "") + "/model";
  EXPECT_EQ(open(under_file), under_file + ": cannot write: Not a directory");
  EXPECT_EQ(open(""), ": cannot write: No such file or directory");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, AFailingRenameLeavesNoTemporary) {
  const std::string path = scratch_.file("model");
  {
    AtomicFile file(path);
    fs::create_directory(path);
    EXPECT_EQ(error_of([&] { file.commit(); }), path + ": cannot write: Is a directory");
  }
  EXPECT_EQ(files(), 1u);
}

TEST(TempFiles, ThreadsReadBackABigFile) {
  constexpr std::size_t kNumbers = 1 << 20;
  std::vector<std::uint64_t> numbers(kNumbers);
  std::iota(numbers.begin(), numbers.end(), 0u);
  TempFile file;
  for (std::size_t i = 0; i < kNumbers; i += 1000) {  // not a divisor of the buffer
    file.append(&numbers[i], std::min<std::size_t>(1000, kNumbers - i) * sizeof numbers[0]);
  }
  file.flush();
  ASSERT_EQ(file.size(), kNumbers * sizeof numbers[0]);
  std::vector<std::thread> readers;
  for (std::size_t start = 0; start < 4; ++start) {
    readers.emplace_back([&, start] {
      std::vector<std::uint64_t> got(777);
      for (std::size_t at = start * 1013; at + got.size() < kNumbers; at += 4 * 1013) {
        file.pread(got.data(), got.size() * sizeof got[0], at * sizeof got[0]);
        ASSERT_TRUE(std::equal(got.begin(), got.end(), &numbers[at])) << at;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
}

TEST(TempFiles, GrowsAfterAFlushAndMoves) {
  TempFile first;
  first.append("abc", 3);
  first.flush();
  TempFile file = std::move(first);
  file.append("def", 3);
  EXPECT_EQ(file.size(), 6u);
  file.flush();
  char out[6];
  file.pread(out, 6, 0);
  EXPECT_EQ(std::string(out, 6), "abcdef");
  struct stat info {};
  ASSERT_EQ(::fstat(file.fd(), &info), 0);
  EXPECT_EQ(info.st_size, 6);
  EXPECT_TRUE(::fcntl(file.fd(), F_GETFD) & FD_CLOEXEC);
}

TEST(TempFiles, LivesInTmpdirWithoutAName) {
  ScratchDir scratch;
  const TmpdirAt tmpdir(scratch.path);
  const TempFile file;
  EXPECT_TRUE(fs::is_empty(scratch.path));
  const fs::path where = fs::read_symlink("/proc/self/fd/" + std::to_string(file.fd()));
  EXPECT_EQ(where.parent_path(), fs::canonical(scratch.path));
}

TEST(TempFiles, FailuresNameTheFolder) {
  ScratchDir scratch;
  const std::string missing = scratch.file("missing");
  {
    const TmpdirAt tmpdir(missing);
    EXPECT_EQ(error_of([] { TempFile file; }),
              "temporary file in " + missing +
                  ": No such file or directory (set TMPDIR to a folder with room)");
  }
  const TmpdirAt tmpdir(scratch.path);
  const std::string in = "temporary file in " + scratch.path.string();
  TempFile file;
  char out[4];
  file.append("abc", 3);
  file.flush();
  EXPECT_EQ(error_of([&] { file.pread(out, 4, 0); }), in + ": cannot read: past its end");
  const FileSizeLimit limit(100'000);
  const std::string big(200'000, 'x');
  file.append(big.data(), big.size());
  EXPECT_EQ(error_of([&] { file.flush(); }),
            in + ": File too large (set TMPDIR to a folder with room)");
}

}  // namespace
