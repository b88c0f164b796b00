// Bytes in: every compression, whole, repeated, cut and damaged; pipes; and paths that are none.
#include "data/read/bytes.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "data/read/same_bytes.hpp"
#include "files/fd.hpp"
#include "thresh/files.hpp"
#include "thresh/rows.hpp"
#include "tools/error_of.hpp"
#include "tools/pack.hpp"
#include "tools/scratch.hpp"

namespace {

using namespace pack;
using namespace std::string_literals;
using thresh::BytesSeen;
using thresh::ByteStream;
using thresh::is_plain_file;
using thresh::noted_bytes;
using thresh::open_bytes;
using thresh::same_bytes;

std::string read_all(ByteStream& stream, std::size_t step) {
  std::string all;
  std::string piece(step, '\0');
  while (const std::size_t got = stream.read(piece.data(), step)) all.append(piece, 0, got);
  EXPECT_EQ(stream.read(piece.data(), step), 0u) << "an end stays an end";
  return all;
}

std::string read_all(const std::string& path, std::size_t step = 1 << 16) {
  return read_all(*open_bytes(path), step);
}

std::string error_of_reading(const std::string& path) {
  return error_of([&] { read_all(path); });
}

TEST(SameBytes, AreThoseOfTheFirstTimeOrAnError) {
  ScratchDir scratch;
  const std::string text = sample(300'000);
  std::string other = text;
  ++other[123'456];
  for (const std::size_t step : {1'000, 1'000'000}) {
    const auto seen = std::make_shared<BytesSeen>();
    const auto first = noted_bytes(open_bytes(scratch.write("a", text)), seen);
    EXPECT_EQ(read_all(*first, step), text);
    EXPECT_EQ(seen->bytes, text.size());
    const auto again = [&](const std::string& now) {
      return read_all(*same_bytes(open_bytes(scratch.write("a", now)), *seen, "data"), step);
    };
    EXPECT_EQ(again(text), text);
    EXPECT_EQ(again(text + "more"), text);
    for (const std::string& now : {other, text.substr(1), text.substr(0, 10), std::string()}) {
      EXPECT_EQ(error_of([&] { again(now); }), "data: the file changed while it was being read");
    }
  }
}

struct Codec {
  std::string name;
  std::string (*pack)(const std::string&);
  std::size_t magic_size;
};

class CompressedBytes : public testing::TestWithParam<Codec> {
 protected:
  std::string pack(const std::string& plain) const { return GetParam().pack(plain); }
  std::string name() const { return GetParam().name; }
  ScratchDir scratch_;
};

INSTANTIATE_TEST_SUITE_P(Formats, CompressedBytes,
                         testing::Values(Codec{"gzip", gzip, 2}, Codec{"zstd", zstd, 4},
                                         Codec{"xz", xz, 6}),
                         [](const auto& each) { return each.param.name; });

TEST_P(CompressedBytes, RoundTripsWhateverTheName) {
  const std::string plain = sample(3 << 20);
  EXPECT_TRUE(read_all(scratch_.write("a.txt", pack(plain))) == plain);
  EXPECT_TRUE(read_all(scratch_.file("a.txt"), 5 << 20) == plain);
  EXPECT_FALSE(is_plain_file(scratch_.file("a.txt")));
}

TEST_P(CompressedBytes, GivesOneByteAtATime) {
  const std::string plain = sample(5000);
  EXPECT_EQ(read_all(scratch_.write("a", pack(plain)), 1), plain);
}

TEST_P(CompressedBytes, ReadsSeveralInARow) {
  const std::string first = sample(400'000);
  const std::string packed = pack(first) + pack("") + pack("second\n") + pack("");
  EXPECT_TRUE(read_all(scratch_.write("a", packed)) == first + "second\n");
  EXPECT_TRUE(read_all(scratch_.file("a"), 1) == first + "second\n");
}

TEST_P(CompressedBytes, HoldsNothing) {
  EXPECT_EQ(read_all(scratch_.write("a", pack(""))), "");
}

TEST_P(CompressedBytes, EveryCutIsReported) {
  const std::string first = pack("1 1:2 3:4\n");
  const std::string packed = first + pack("0 2:1\n");
  for (std::size_t cut = 1; cut < packed.size(); ++cut) {
    const std::string head = packed.substr(0, cut);
    const std::string path = scratch_.write("a", head);
    if (cut == first.size()) {
      EXPECT_EQ(read_all(path), "1 1:2 3:4\n");
    } else if (head == "(") {  // zstd's first byte alone is just text
      EXPECT_EQ(read_all(path), head);
    } else {
      EXPECT_EQ(error_of_reading(path), path + ": truncated " + name() + " data") << cut;
      EXPECT_FALSE(is_plain_file(path)) << cut;
    }
  }
}

TEST_P(CompressedBytes, DamageIsReportedOrHarmless) {
  const std::string plain = sample(400);
  const std::string packed = pack(plain);
  std::size_t reported = 0;
  for (std::size_t i = GetParam().magic_size; i < packed.size(); ++i) {
    std::string damaged = packed;
    damaged[i] = static_cast<char>(~damaged[i]);
    const std::string path = scratch_.write("a", damaged);
    std::string got;
    const std::string error = error_of([&] { got = read_all(path); });
    if (error.empty()) {
      EXPECT_TRUE(got == plain) << "wrong content passed off as right, byte " << i;
    } else {
      EXPECT_TRUE(error == path + ": corrupt " + name() + " data" ||
                  error == path + ": truncated " + name() + " data")
          << error;
      ++reported;
    }
  }
  EXPECT_GT(reported, packed.size() - 20) << "few bytes are as free as gzip's time stamp";
}

TEST_P(CompressedBytes, TrailingGarbageIsCorrupt) {
  const std::string path = scratch_.write("a", pack("1 1:1\n") + "garbage that is long enough");
  EXPECT_EQ(error_of_reading(path), path + ": corrupt " + name() + " data");
}

TEST(GzipBytes, ZeroPaddingIsSkipped) {
  ScratchDir scratch;
  const std::string zeros(300'000, '\0');
  EXPECT_EQ(read_all(scratch.write("a", gzip("x\n") + zeros + gzip("y\n") + zeros)), "x\ny\n");
}

TEST(ZstdBytes, SkippableFramesAreSkipped) {
  ScratchDir scratch;
  for (char low = 0; low < 16; ++low) {
    const std::string skip = static_cast<char>('\x50' + low) + "\x2a\x4d\x18\x03\0\0\0abc"s;
    EXPECT_EQ(read_all(scratch.write("a", skip + zstd("x\n") + skip + zstd("y\n"))), "x\ny\n");
  }
}

TEST(PlainBytes, RoundTrips) {
  ScratchDir scratch;
  // Among them: empty, shorter than any magic number, and text that starts like one.
  for (const std::string& plain : {""s, "\n"s, "("s, "(("s, "P*M"s, "P*M(abc"s, "1 1:1\n"s,
                                   "\x1fxyz"s, "\xfd\x37zXY..."s, "_"s, sample(3 << 20)}) {
    const std::string path = scratch.write("a.gz", plain);
    EXPECT_TRUE(read_all(path) == plain) << plain.substr(0, 10);
    EXPECT_TRUE(plain.size() > 1000 || read_all(path, 1) == plain) << plain.substr(0, 10);
    EXPECT_TRUE(is_plain_file(path)) << plain.substr(0, 10);
  }
}

TEST(BytePaths, ThatCannotBeReadSayWhy) {
  ScratchDir scratch;
  const std::string missing = scratch.file("missing");
  EXPECT_EQ(error_of_reading(missing), missing + ": No such file or directory");
  EXPECT_EQ(error_of_reading(scratch.path), scratch.path.string() + ": is a directory");
  EXPECT_FALSE(is_plain_file(missing));
  EXPECT_FALSE(is_plain_file(scratch.path));
  EXPECT_FALSE(is_plain_file("/dev/null"));
  EXPECT_FALSE(is_plain_file("-"));
}

TEST(BytePaths, UnreadableSaysWhy) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  ScratchDir scratch;
  const std::string path = scratch.write("a", "x");
  ::chmod(path.c_str(), 0);
  EXPECT_EQ(error_of_reading(path), path + ": Permission denied");
  EXPECT_FALSE(is_plain_file(path));
}

// A named pipe in a scratch folder.
class FifoBytes : public testing::Test {
 protected:
  FifoBytes() { EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0); }
  ScratchDir scratch_;
  std::string path_ = scratch_.file("fifo");
};

TEST_F(FifoBytes, IsReadWhateverThePieces) {
  const std::string plain = sample(200'000);
  for (const std::string& packed : {plain, gzip(plain), zstd(plain), xz(plain)}) {
    std::thread writer([&] {
      const thresh::Fd fd(::open(path_.c_str(), O_WRONLY));
      for (std::size_t i = 0; i < 10; ++i) {  // slow enough for the reader to see single bytes
        EXPECT_FALSE(thresh::write_all(fd.get(), packed.data() + i, 1));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      EXPECT_FALSE(thresh::write_all(fd.get(), packed.data() + 10, packed.size() - 10));
    });
    EXPECT_TRUE(read_all(path_) == plain);
    writer.join();
  }
  EXPECT_FALSE(is_plain_file(path_));
}

TEST_F(FifoBytes, GivesAShortLineWithoutWaitingForMore) {
  const thresh::Fd keeper(::open(path_.c_str(), O_RDWR));  // the pipe never ends
  ASSERT_FALSE(thresh::write_all(keeper.get(), "1\n", 2));
  char out[10];
  EXPECT_EQ(open_bytes(path_)->read(out, sizeof out), 2u);
}

TEST_F(FifoBytes, WaitingIsInterrupted) {
  for (const bool has_writer : {false, true}) {
    const thresh::Fd keeper(has_writer ? ::open(path_.c_str(), O_RDWR) : -1);
    std::atomic<bool> stop = false;
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop = true;
    });
    EXPECT_THROW(open_bytes(path_, &stop), thresh::Interrupted);
    stopper.join();
  }
}

TEST_F(FifoBytes, StopLeavesRegularFilesAlone) {
  const std::atomic<bool> stop = true;
  char out[10];
  EXPECT_EQ(open_bytes(scratch_.write("a", "1\n"), &stop)->read(out, sizeof out), 2u);
}

// Puts another descriptor in the place of standard input for a while.
class StdinFrom {
 public:
  explicit StdinFrom(int fd) : saved_(::dup(STDIN_FILENO)) { ::dup2(fd, STDIN_FILENO); }
  ~StdinFrom() { ::dup2(saved_.get(), STDIN_FILENO); }

 private:
  thresh::Fd saved_;
};

TEST(StdinBytes, IsReadAndLeftOpen) {
  ScratchDir scratch;
  const thresh::Fd file(::open(scratch.write("a", gzip("1 1:1\n")).c_str(), O_RDONLY));
  const StdinFrom redirected(file.get());
  EXPECT_EQ(read_all("-"), "1 1:1\n");
  EXPECT_EQ(::lseek(STDIN_FILENO, 0, SEEK_SET), 0) << "closed";
}

TEST(StdinBytes, IsNamedInMessages) {
  ScratchDir scratch;
  const thresh::Fd cut(::open(scratch.write("a", gzip("1\n").substr(0, 9)).c_str(), O_RDONLY));
  const thresh::Fd folder(::open(scratch.path.c_str(), O_RDONLY));
  {
    const StdinFrom redirected(cut.get());
    EXPECT_EQ(error_of_reading("-"), "<stdin>: truncated gzip data");
  }
  const StdinFrom redirected(folder.get());
  EXPECT_EQ(error_of_reading("-"), "<stdin>: is a directory");
}

}  // namespace
