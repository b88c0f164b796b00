// Reads bytes from a file, a pipe or standard input, compressed or not.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "thresh/error.hpp"

namespace thresh {

// The user asked to stop while input was being read.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// A stream of bytes after decompression.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Reads up to `n` bytes and returns how many: fewer if no more are available yet, 0 only at the
  // end.
  virtual std::size_t read(char* out, std::size_t n) = 0;
};

// Opens a path, or standard input for "-". gzip, zstd and xz are recognised by content, never by
// name. Waiting for a pipe or a terminal ends with Interrupted soon after `stop` is set.
std::unique_ptr<ByteStream> open_bytes(const std::string& path,
                                       const std::atomic<bool>* stop = nullptr);

// Whether `path` is an uncompressed regular file, which pread can read in any order. Also false if
// it cannot be opened; open_bytes reports why.
bool is_plain_file(const std::string& path);

// Whether `path` is a regular file that starts like a cache, see cache/file.hpp.
inline constexpr std::string_view kCacheMagic = "\x8bthresh\n";
bool is_cache_file(const std::string& path);

}  // namespace thresh
