// Shared by all files we write: an owned descriptor, and writes that complete or report an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

namespace thresh {

// Owns a file descriptor; -1: none.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  // A network file system may report a lost write only here.
  [[nodiscard]] std::error_code close();

 private:
  int fd_;
};

// Tells whether a file was replaced or written to. Times are as exact as the kernel's clock tick.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t modified = 0;  // nanoseconds
  bool operator==(const FileStamp&) const = default;
};
// All zero if there is no such file.
FileStamp stamp_of(int fd);
FileStamp stamp_of(const std::string& path);

// `errno` as a value, so that the caller can name the file in the message.
std::error_code last_error();

// Combines small writes into large ones. The destructor does not flush, because it could not report
// an error.
class WriteBuffer {
 public:
  explicit WriteBuffer(Fd fd = Fd()) : fd_(std::move(fd)) {}

  [[nodiscard]] std::error_code append(const void* data, std::size_t size);
  [[nodiscard]] std::error_code flush();
  [[nodiscard]] std::error_code close() { return fd_.close(); }
  int fd() const { return fd_.get(); }
  void open(Fd fd) { fd_ = std::move(fd); }

 private:
  Fd fd_;
  std::string pending_;
};

}  // namespace thresh
