// Files that appear whole or not at all, and files that grow line by line.
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

// Writes to a temporary neighbour of `path` that takes its place on commit(); without a commit the
// old content stays and the temporary goes. A symbolic link is followed and survives. A device, a
// pipe or an inherited descriptor (/dev/stdout, /dev/fd/N) cannot be replaced by renaming, so
// those are written to directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  // Durable once it returns. Nothing may be written after it.
  void commit();

 private:
  Fd open();
  Fd open_temporary();
  void check(std::error_code error) const;

  std::string path_;                  // as the user wrote it, for messages
  std::string target_;                // where links lead; empty when there is nothing to rename
  std::string temporary_;             // empty when there is nothing to unlink
  std::unique_ptr<WriteBuffer> out_;  // last: opening it fills in the names above
};

// Whether it could be written, which is better known before the work than after it. What cannot be
// replaced, such as a pipe, is not touched.
void check_writable(const std::string& path);

// The whole of a file at once.
void write_file(const std::string& path, std::string_view text);

// A file that grows line by line and can be followed meanwhile.
class LogFile {
 public:
  // What is in the file is replaced, or stays and is added to.
  enum class Start { empty, at_end };
  LogFile(std::string path, Start start);

  void write(const std::string& text);
  // What was written will survive the end of the process.
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// Writes all of it to a descriptor: short writes continue, those that would block wait, interrupted
// ones are retried.
[[nodiscard]] std::error_code write_all(int fd, const void* data, std::size_t size);

}  // namespace thresh
