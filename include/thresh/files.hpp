// Files that are replaced atomically, and log files.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace thresh {

class Fd;
class WriteBuffer;

// Writes to a file without a name, which commit() gives the name `path`. Without a commit the old
// file stays, however the process ends. (Where the file system has no unnamed files, a killed
// process leaves PATH.tmp.PID.N; the next commit to `path` deletes it.) Symbolic links are followed
// and preserved. A device, a pipe or an inherited descriptor (/dev/stdout, /dev/fd/N) cannot be
// replaced by renaming, so these are written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  // If this is a pipe or a device, its reader gets everything written so far.
  void hand_over();
  // The file is durable once this returns. Do not call write() after it.
  void commit();
  // Commits files that belong together. If one of them cannot be written, none is replaced, except
  // for devices and pipes.
  static void commit_together(const std::vector<AtomicFile*>& files);

 private:
  struct Opened;
  explicit AtomicFile(Opened opened);
  Fd open();
  Fd open_temporary();
  bool replaces() const { return !target_.empty(); }
  void prepare();          // everything that can fail for lack of space
  void save_old();         // so that undo() can bring it back
  void publish();          // the new file appears
  void undo() noexcept;    // it disappears again
  void finish() noexcept;  // removes what undo() would need
  void check(std::error_code error) const;

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // `path` with links resolved; empty if there is nothing to rename
  std::string temporary_;  // the new file's name for now; empty if it has none
  std::string old_;        // the old file's second name; empty if it has none
  bool published_ = false;
  std::unique_ptr<WriteBuffer> out_;
};

// Throws Error if `path` cannot be written; call it before long work. Leaves pipes, devices and
// other targets that cannot be replaced untouched.
void check_writable(const std::string& path);

// Replaces a file atomically.
void write_file(const std::string& path, std::string_view text);

// A file written line by line, which others can read while it grows.
class LogFile {
 public:
  // empty: replace the file. at_end: append to it.
  enum class Start { empty, at_end };
  LogFile(std::string path, Start start);
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  // A file that was replaced comes back, unless keep() was called.
  ~LogFile();

  void write(const std::string& text);
  // Everything written so far survives the end of the process.
  void flush();
  // The new file stays.
  void keep();

 private:
  void replace();
  void check(std::error_code error) const;

  std::string path_;
  std::string target_;  // `path` with links resolved; empty if keep() has nothing to do
  std::string old_;     // the replaced file's second name; empty if there was none
  std::unique_ptr<WriteBuffer> out_;
};

// Writes all bytes to a descriptor. Continues after short writes, waits if a write would block, and
// retries interrupted writes.
[[nodiscard]] std::error_code write_all(int fd, const void* data, std::size_t size);

}  // namespace thresh
