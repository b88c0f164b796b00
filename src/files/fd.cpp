#include "files/fd.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "thresh/files.hpp"

namespace thresh {

namespace {
constexpr std::size_t kBufferSize = 1 << 20;
}

Fd& Fd::operator=(Fd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

int Fd::release() {
  return std::exchange(fd_, -1);
}

std::error_code Fd::close() {
  if (fd_ < 0) return {};
  // Linux frees the descriptor even if it reports EINTR, so there is nothing to retry.
  return ::close(release()) == 0 || errno == EINTR ? std::error_code{} : last_error();
}

namespace {

FileStamp stamp_from(const struct stat& info) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
          info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec};
}

}  // namespace

FileStamp stamp_of(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? stamp_from(info) : FileStamp{};
}

FileStamp stamp_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? stamp_from(info) : FileStamp{};
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

std::error_code write_all(int fd, const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(fd, from, size);
    if (written < 0 && errno == EAGAIN) {
      // An inherited pipe can be in non-blocking mode.
      pollfd waiting{fd, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_error();
    from += written;
    size -= static_cast<std::size_t>(written);
  }
  return {};
}

std::error_code WriteBuffer::append(const void* data, std::size_t size) {
  if (pending_.size() + size > kBufferSize) {
    if (const auto error = flush()) return error;
    if (size >= kBufferSize) return write_all(fd_.get(), data, size);
  }
  pending_.append(static_cast<const char*>(data), size);
  return {};
}

std::error_code WriteBuffer::flush() {
  const auto error = write_all(fd_.get(), pending_.data(), pending_.size());
  pending_.clear();
  return error;
}

}  // namespace thresh
