// Bytes out: a file is replaced whole or not at all, and scratch space leaves no trace.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "files/atomic_file.hpp"
#include "files/temp_file.hpp"
#include "scratch.hpp"
#include "thresh/error.hpp"

namespace {

namespace fs = std::filesystem;
using thresh::AtomicFile;
using thresh::Fd;
using thresh::TempFile;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const thresh::Error& error) {
    return error.what();
  }
  return "";
}

void replace(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

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
    EXPECT_EQ(files(), 2u);
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

TEST_F(AtomicFiles, ALeftoverWithTheNextNameIsNoObstacle) {
  const std::string path = scratch_.file("model");
  for (int i = 0; i < 200; ++i) {
    scratch_.write("model.tmp." + std::to_string(::getpid()) + "." + std::to_string(i), "stale");
  }
  replace(path, "new");
  EXPECT_EQ(ScratchDir::slurp(path), "new");
  EXPECT_EQ(files(), 201u);
}

TEST_F(AtomicFiles, SymbolicLinksSurvive) {
  fs::create_directory(scratch_.path / "real");
  fs::create_symlink("real/model", scratch_.path / "one");  // leads nowhere yet
  fs::create_symlink("one", scratch_.path / "two");
  for (const std::string content : {"new", "newer"}) {
    replace(scratch_.file("two"), content);
    EXPECT_TRUE(fs::is_symlink(scratch_.path / "two"));
    EXPECT_TRUE(fs::is_symlink(scratch_.path / "one"));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(scratch_.path / "real" / "model")));
    EXPECT_EQ(ScratchDir::slurp(scratch_.path / "real" / "model"), content);
  }
  fs::create_symlink("loop", scratch_.path / "loop");
  EXPECT_EQ(error_of([&] { AtomicFile(scratch_.file("loop")); }),
            scratch_.file("loop") + ": cannot write: Too many levels of symbolic links");
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
  AtomicFile file(path);
  fs::create_directory(path);
  EXPECT_EQ(error_of([&] { file.commit(); }), path + ": cannot write: Is a directory");
}

TEST_F(AtomicFiles, DevicesAreWrittenToDirectly) {
  {
    // First without a commit: were it to rename, a test run as root would destroy the device.
    const AtomicFile file("/dev/full");
    for (const auto& entry : fs::directory_iterator("/dev")) {
      ASSERT_EQ(entry.path().string().find(".tmp."), std::string::npos) << entry.path();
    }
  }
  const std::string full = "/dev/full: cannot write: No space left on device";
  EXPECT_EQ(error_of([] { replace("/dev/full", "x"); }), full);
  EXPECT_EQ(error_of([] { AtomicFile("/dev/full").write(std::string(3 << 20, 'x')); }), full);
  fs::create_symlink("/dev/full", scratch_.path / "link");
  EXPECT_NE(error_of([&] { replace(scratch_.file("link"), "x"); }), "");
  EXPECT_EQ(error_of([] { replace("/dev/null", "x"); }), "");
}

TEST_F(AtomicFiles, PipesAreWrittenToDirectly) {
  const std::string path = scratch_.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = ScratchDir::slurp(path); });
  replace(path, "through the pipe");
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, AnInheritedDescriptorIsContinued) {
  const std::string path = scratch_.file("redirected");
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_FALSE(thresh::write_all(fd.get(), "before ", 7));
  replace("/dev/fd/" + std::to_string(fd.get()), "within ");
  ASSERT_FALSE(thresh::write_all(fd.get(), "after", 5));
  EXPECT_EQ(ScratchDir::slurp(path), "before within after");
  EXPECT_EQ(error_of([] { AtomicFile("/dev/fd/98765"); }),
            "/dev/fd/98765: cannot write: Bad file descriptor");
}

TEST_F(AtomicFiles, RedirectedStdoutIsContinued) {
  const std::string path = scratch_.file("redirected");
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  const Fd saved(::dup(STDOUT_FILENO));
  ::fflush(stdout);
  ::dup2(fd.get(), STDOUT_FILENO);
  const std::string error = error_of([] {
    replace("/dev/stdout", "one ");
    replace("/dev/stdout", "two");
  });
  ::dup2(saved.get(), STDOUT_FILENO);
  EXPECT_EQ(error, "");
  EXPECT_EQ(ScratchDir::slurp(path), "one two");
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
