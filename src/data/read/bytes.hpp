// Reads bytes from a file, a pipe or standard input, compressed or not.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "thresh/error.hpp"

namespace thresh {

// Throws Interrupted, with the name of what is read, once `stop` is true.
inline void check_stop(const std::atomic<bool>* stop, const std::string& name) {
  if (stop != nullptr && *stop) throw Interrupted(name + ": interrupted");
}

// A stream of plain bytes, whatever the compression behind it.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Reads up to `n` bytes and returns how many: fewer if no more are available yet, 0 only at the
  // end.
  virtual std::size_t read(char* out, std::size_t n) = 0;
  // Whether read() would have to wait for a pipe or a terminal. False if that is not known.
  virtual bool would_wait() const { return false; }
};

enum class Packing { plain, gzip, zstd, xz, cache };
// Decodes a stream, which may be several concatenated compressed files. `name` is for messages.
std::unique_ptr<ByteStream> make_decoder(Packing packing, std::unique_ptr<ByteStream> in,
                                         std::string name);

// Opens a path, or standard input for "-". gzip, zstd and xz are recognised by content, never by
// name. A byte order mark of UTF-8 is left out. A file that is overwritten meanwhile is an error at
// its end; one that only grows is not. Waiting for a pipe or a terminal ends with Interrupted soon
// after `stop` is set.
std::unique_ptr<ByteStream> open_bytes(const std::string& path,
                                       const std::atomic<bool>* stop = nullptr);

// Whether `path` is a regular file that begins like a cache, see cache/file.hpp.
inline constexpr std::string_view kCacheMagic = "\x8bthresh\n";
bool is_cache_file(const std::string& path);

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8

// Throws Error: the file changed while it was being read.
[[noreturn]] void throw_changed(const std::string& name);

// Calls `visit` for every line of a file, compressed or not, without its line end. Lines longer
// than 16 MB are an error.
void for_each_line(const std::string& path, const std::function<void(std::string_view)>& visit);

}  // namespace thresh
