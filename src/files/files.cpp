#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "files/fd.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh {

namespace {

namespace fs = std::filesystem;

// The descriptor that a /dev name stands for, or -1. It is duplicated: opening the name again would
// restart at offset 0 of a redirected file, and fails on a socket.
int inherited_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  constexpr std::string_view folder = "/dev/fd/";
  if (!path.starts_with(folder)) return -1;
  path.remove_prefix(folder.size());
  int fd = -1;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), fd);
  return error == std::errc{} && end == path.data() + path.size() ? fd : -1;
}

// The target of a chain of links, even if it does not exist yet (which fs::canonical refuses).
std::string follow_links(const std::string& path) {
  constexpr int kMaxLinks = 40;  // the kernel's limit
  fs::path target = path;
  std::error_code ignored;  // opening the path will report what is wrong with it
  for (int links = 0; links < kMaxLinks && fs::is_symlink(target, ignored); ++links) {
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target.string();
}

std::error_code sync(int fd) {
  // EINVAL: the file system does not support syncing. No write was lost.
  return ::fsync(fd) == 0 || errno == EINVAL ? std::error_code{} : last_error();
}

// A rename is durable only after its folder is synced.
std::error_code sync_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const Fd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) return sync(fd.get());
  // A folder may be writable but not readable. The file is in place anyway.
  return errno == EACCES ? std::error_code{} : last_error();
}

}  // namespace

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), out_(std::make_unique<WriteBuffer>(open())) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  check(out_->append(bytes.data(), bytes.size()));
}

void AtomicFile::commit() {
  check(out_->flush());
  if (!temporary_.empty()) check(sync(out_->fd()));
  check(out_->close());
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) check(last_error());
  temporary_.clear();
  check(sync_folder_of(target_));
}

Fd AtomicFile::open() {
  if (const int inherited = inherited_descriptor(path_); inherited >= 0) {
    Fd fd(::fcntl(inherited, F_DUPFD_CLOEXEC, 0));
    if (!fd) check(last_error());
    return fd;
  }
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (!exists && (errno != ENOENT || path_.empty())) check(last_error());
  if (exists && S_ISDIR(info.st_mode)) throw Error(fmt::format("{}: is a directory", path_));
  if (!exists) return open_temporary();
  if (S_ISREG(info.st_mode)) {  // the new file gets the same permissions
    Fd fd = open_temporary();
    struct stat fresh {};
    const bool same = ::fstat(fd.get(), &fresh) == 0 && fresh.st_mode == info.st_mode;
    if (!same && ::fchmod(fd.get(), info.st_mode & 07777) != 0) check(last_error());
    return fd;
  }
  Fd fd(::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!fd) check(last_error());
  return fd;
}

Fd AtomicFile::open_temporary() {
  static std::atomic<unsigned> counter{0};
  target_ = follow_links(path_);
  for (;;) {
    std::string name = fmt::format("{}.tmp.{}.{}", target_, ::getpid(), counter++);
    Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd) {
      temporary_ = std::move(name);
      return fd;
    }
    // A killed process with the same id (as in a container) may have left this file behind.
    if (errno != EEXIST) check(last_error());
  }
}

void AtomicFile::check(std::error_code error) const {
  if (error) throw Error(fmt::format("{}: cannot write: {}", path_, error.message()));
}

void check_writable(const std::string& path) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  const bool replaced = !exists || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
  if (replaced && inherited_descriptor(path) < 0) AtomicFile probe(path);
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

LogFile::LogFile(std::string path, Start start)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), start == Start::empty ? "w" : "a")) {
  if (!file_) fail();
}

void LogFile::write(const std::string& text) {
  if (std::fputs(text.c_str(), file_.get()) < 0) fail();
}

void LogFile::flush() {
  if (std::fflush(file_.get()) != 0) fail();
}

void LogFile::fail() const {
  throw Error(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
}

}  // namespace thresh
