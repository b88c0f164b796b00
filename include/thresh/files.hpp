// Files that are replaced atomically, and log files.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace thresh {

class Fd;
class WriteBuffer;

// Writes to a temporary file in the same folder, which commit() renames to `path`. Without a commit
// the old file stays and the temporary is deleted. Symbolic links are followed and preserved. A
// device, a pipe or an inherited descriptor (/dev/stdout, /dev/fd/N) cannot be replaced by
// renaming, so these are written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  // The file is durable once this returns. Do not call write() after it.
  void commit();

 private:
  Fd open();
  Fd open_temporary();
  void check(std::error_code error) const;

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // `path` with links resolved; empty if there is nothing to rename
  std::string temporary_;  // empty if there is nothing to unlink
  std::unique_ptr<WriteBuffer> out_;  // declared last: opening it sets the names above
};

// Throws Error if `path` cannot be written; call it before long work. Leaves pipes, devices and
// other targets that cannot be replaced untouched.
void check_writable(const std::string& path);

// Replaces a file atomically.
void write_file(const std::string& path, std::string_view text);

// A file written line by line, which others can read while it grows.
class LogFile {
 public:
  // empty: replace the content of the file. at_end: append to it.
  enum class Start { empty, at_end };
  LogFile(std::string path, Start start);

  void write(const std::string& text);
  // Everything written so far survives the end of the process.
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// Writes all bytes to a descriptor. Continues after short writes, waits if a write would block, and
// retries interrupted writes.
[[nodiscard]] std::error_code write_all(int fd, const void* data, std::size_t size);

}  // namespace thresh
