// Temporary files that never outlive the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "files/fd.hpp"

namespace thresh {

// A file without a name, in $TMPDIR or /tmp. Its space is freed however the process ends.
class TempFile {
 public:
  TempFile();

  void append(const void* data, std::size_t size);
  // Makes everything appended so far visible to pread() and to users of fd().
  void flush();
  // Reads exactly `size` bytes that were flushed. Any number of threads may read at once.
  void pread(void* out, std::size_t size, std::uint64_t offset) const;

  // Bytes appended so far, flushed or not.
  std::uint64_t size() const { return size_; }
  int fd() const { return out_.fd(); }

 private:
  Fd open() const;
  void check_write(std::error_code error) const;

  std::string folder_;
  WriteBuffer out_;
  std::uint64_t size_ = 0;
};

}  // namespace thresh
