// Bytes out to what is not quite a file: links, devices, pipes and descriptors the shell handed
// down.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <numeric>
#include <thread>

#include "files/fd.hpp"
#include "files/replace.hpp"
#include "thresh/files.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace {

namespace fs = std::filesystem;
using thresh::AtomicFile;
using thresh::Fd;
using thresh::replace;

class SpecialFiles : public testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(scratch_.path), {}));
  }
  ScratchDir scratch_;
};

TEST_F(SpecialFiles, SymbolicLinksSurvive) {
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

TEST_F(SpecialFiles, DevicesAreWrittenToDirectly) {
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

TEST_F(SpecialFiles, PipesAreWrittenToDirectly) {
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

TEST_F(SpecialFiles, ANonBlockingPipeIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const Fd from(ends[0]);
  Fd to(ends[1]);
  ::fcntl(from.get(), F_SETFL, 0);
  std::string got;
  std::thread reader([&] {
    char piece[5000];
    while (const ssize_t size = ::read(from.get(), piece, sizeof piece)) got.append(piece, size);
  });
  std::string sent(3 << 20, '\0');
  std::iota(sent.begin(), sent.end(), '\0');
  EXPECT_EQ(error_of([&] { replace("/dev/fd/" + std::to_string(to.get()), sent); }), "");
  EXPECT_FALSE(to.close());
  reader.join();
  EXPECT_TRUE(got == sent);
}

TEST_F(SpecialFiles, AnInheritedDescriptorIsContinued) {
  const std::string path = scratch_.file("redirected");
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_FALSE(thresh::write_all(fd.get(), "before ", 7));
  replace("/dev/fd/" + std::to_string(fd.get()), "within ");
  ASSERT_FALSE(thresh::write_all(fd.get(), "after", 5));
  EXPECT_EQ(ScratchDir::slurp(path), "before within after");
  EXPECT_EQ(error_of([] { AtomicFile("/dev/fd/98765"); }),
            "/dev/fd/98765: cannot write: Bad file descriptor");
}

TEST_F(SpecialFiles, RedirectedStdoutIsContinued) {
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

}  // namespace
