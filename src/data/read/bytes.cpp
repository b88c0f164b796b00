#include "data/read/bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "files/fd.hpp"
#include "thresh/rows.hpp"

namespace thresh {

namespace {

using namespace std::string_view_literals;

struct Magic {
  Packing packing;
  std::string_view bytes;
};

constexpr std::string_view kSkippableZstd = "\x50\x2a\x4d\x18"sv;
constexpr Magic kMagics[] = {{Packing::gzip, "\x1f\x8b"sv},
                             {Packing::zstd, "\x28\xb5\x2f\xfd"sv},
                             {Packing::zstd, kSkippableZstd},
                             {Packing::xz, "\xfd\x37\x7a\x58\x5a\x00"sv},
                             {Packing::cache, kCacheMagic}};
constexpr std::size_t kLongestMagic = 8;

// The magic number that `head` starts with or is a prefix of. No two share a first byte.
const Magic* find_magic(std::string_view head) {
  for (const Magic& magic : kMagics) {
    std::string start(head.substr(0, magic.bytes.size()));
    // Sixteen numbers mark a skippable frame: the low half of the first byte is free.
    if (magic.bytes == kSkippableZstd && !start.empty()) start[0] &= '\xf0';
    if (magic.bytes.starts_with(start)) return &magic;
  }
  return nullptr;
}

bool is_undecided(std::string_view head) {
  const Magic* magic = find_magic(head);
  return magic != nullptr && head.size() < magic->bytes.size();
}

// `head` must be decided, or be the whole input. A truncated magic number still identifies its
// format, which then reports the truncation. But "(" or "P*" is text that only looks like one.
Packing recognise(std::string_view head) {
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  const Magic* magic = find_magic(head);
  const bool is_text = std::all_of(head.begin(), head.end(), is_printable);
  return magic == nullptr || is_text ? Packing::plain : magic->packing;
}

// The unchanged bytes of a descriptor.
class RawStream final : public ByteStream {
 public:
  RawStream(const std::string& path, const std::atomic<bool>* stop)
      : name_(path == "-" ? "<stdin>" : path), stop_(stop) {
    if (path != "-") {
      // Non-blocking, so that waiting for a pipe's writer can be interrupted like any other wait.
      owned_ = Fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
      if (!owned_) fail(last_error().message());
      fd_ = owned_.get();
    }
    struct stat info {};
    if (::fstat(fd_, &info) != 0) fail(last_error().message());
    if (S_ISDIR(info.st_mode)) fail("is a directory");
    regular_ = S_ISREG(info.st_mode);
    if (regular_) opened_ = stamp_of(fd_);
  }

  const std::string& name() const { return name_; }

  std::size_t read(char* out, std::size_t n) override {
    if (peeked_.empty()) return read_descriptor(out, n);
    n = peeked_.copy(out, n);
    peeked_.erase(0, n);
    return n;
  }

  bool would_wait() const override {
    if (regular_ || ended_ || !peeked_.empty()) return false;
    pollfd now{fd_, POLLIN, 0};
    return ::poll(&now, 1, 0) == 0;
  }

  // The first bytes, as many as needed to recognise the format. If a terminal has given a short
  // line that decides it, no more is read.
  std::string_view peek() {
    char bytes[kLongestMagic];
    while (is_undecided(peeked_)) {
      const std::size_t got = read_descriptor(bytes, kLongestMagic - peeked_.size());
      if (got == 0) break;
      peeked_.append(bytes, got);
    }
    return peeked_;
  }

 private:
  std::size_t read_descriptor(char* out, std::size_t n) {
    while (!ended_ && n > 0) {
      if (!regular_) wait();
      const ssize_t got = ::read(fd_, out, n);
      if (got > 0) return static_cast<std::size_t>(got);
      if (got == 0) end();
      if (got < 0 && errno != EINTR && errno != EAGAIN) fail(last_error().message());
    }
    return 0;
  }

  void end() {
    ended_ = true;  // a terminal would continue after its end-of-file key
    if (!regular_) return;
    const FileStamp now = stamp_of(fd_);
    if (now != opened_ && now.bytes <= opened_.bytes) throw_changed(name_);
  }

  void wait() const {
    constexpr int kPatience = 100;  // milliseconds between checks of stop_
    for (;;) {
      check_stop(stop_, name_);
      pollfd waiting{fd_, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, stop_ != nullptr ? kPatience : -1);
      if (ready > 0) return;
      if (ready < 0 && errno != EINTR) fail(last_error().message());
    }
  }

  [[noreturn]] void fail(std::string_view why) const {
    throw Error(fmt::format("{}: {}", name_, why));
  }

  std::string name_;
  const std::atomic<bool>* stop_;
  Fd owned_;  // empty for standard input, which we must not close
  int fd_ = STDIN_FILENO;
  bool regular_ = false;
  bool ended_ = false;
  FileStamp opened_;  // of a regular file
  std::string peeked_;
};

// Leaves out a byte order mark.
class UnmarkedStream final : public ByteStream {
 public:
  explicit UnmarkedStream(std::unique_ptr<ByteStream> in) : in_(std::move(in)) {}

  std::size_t read(char* out, std::size_t n) override {
    if (!begun_) begin();
    if (head_.empty()) return in_->read(out, n);
    n = head_.copy(out, n);
    head_.erase(0, n);
    return n;
  }

  bool would_wait() const override { return head_.empty() && in_->would_wait(); }

 private:
  // Reads no more than needed: a terminal may give one short line at a time.
  void begin() {
    begun_ = true;
    while (head_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(head_)) {
      char bytes[kByteOrderMark.size()];
      const std::size_t got = in_->read(bytes, kByteOrderMark.size() - head_.size());
      if (got == 0) return;
      head_.append(bytes, got);
    }
    if (head_ == kByteOrderMark) head_.clear();
  }

  std::unique_ptr<ByteStream> in_;
  bool begun_ = false;
  std::string head_;
};

// The packing of a regular file; none for anything else.
std::optional<Packing> packing_of(const std::string& path) {
  struct stat info {};
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char head[kLongestMagic];
  std::size_t size = 0;
  for (ssize_t got = 1; got != 0 && size < kLongestMagic;) {
    got = ::pread(fd.get(), head + size, kLongestMagic - size, static_cast<off_t>(size));
    if (got < 0 && fd && errno != EINTR) {
      throw Error(fmt::format("{}: {}", path, last_error().message()));
    }
    if (got < 0 && !fd) return {};  // opening it again reports why
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  return recognise({head, size});
}

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::string& path, const std::atomic<bool>* stop) {
  auto raw = std::make_unique<RawStream>(path, stop);
  const Packing packing = recognise(raw->peek());
  std::string name = raw->name();
  return std::make_unique<UnmarkedStream>(make_decoder(packing, std::move(raw), std::move(name)));
}

void throw_changed(const std::string& name) {
  throw Error(fmt::format("{}: the file changed while it was being read", name));
}

bool is_plain_file(const std::string& path) {
  return packing_of(path) == Packing::plain;
}

bool is_cache_file(const std::string& path) {
  return packing_of(path) == Packing::cache;
}

void for_each_line(const std::string& path, const std::function<void(std::string_view)>& visit) {
  const std::unique_ptr<ByteStream> bytes = open_bytes(path);
  constexpr std::size_t kLongestLine = std::size_t{16} << 20;
  std::vector<char> chunk(std::size_t{1} << 16);
  std::string line;
  std::uint64_t number = 1;
  while (const std::size_t got = bytes->read(chunk.data(), chunk.size())) {
    std::string_view text(chunk.data(), got);
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
      line.append(text.substr(0, end));
      if (line.ends_with('\r')) line.pop_back();
      visit(line);
      line.clear();
      ++number;
      text.remove_prefix(end + 1);
    }
    line.append(text);
    if (line.size() > kLongestLine) {
      throw Error(fmt::format("{}:{}: line is longer than 16 MB", path, number));
    }
  }
  if (!line.empty()) visit(line);
}

}  // namespace thresh
