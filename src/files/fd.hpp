// Shared by all files we write: an owned descriptor, and writes that complete or report an error.
#pragma once

#include <cstddef>
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

// `errno` as a value, so that the caller can name the file in the message.
std::error_code last_error();

// Combines small writes into large ones. The destructor does not flush, because it could not report
// an error.
class WriteBuffer {
 public:
  explicit WriteBuffer(Fd fd) : fd_(std::move(fd)) {}

  [[nodiscard]] std::error_code append(const void* data, std::size_t size);
  [[nodiscard]] std::error_code flush();
  [[nodiscard]] std::error_code close() { return fd_.close(); }
  int fd() const { return fd_.get(); }

 private:
  Fd fd_;
  std::string pending_;
};

}  // namespace thresh
