// A file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "files/fd.hpp"

namespace thresh {

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

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // where links lead; empty when there is nothing to rename
  std::string temporary_;  // empty when there is nothing to unlink
  WriteBuffer out_;        // last: opening it fills in the names above
};

// Whether it could be written, which is better known before the work than after it. What cannot be
// replaced, such as a pipe, is not touched.
void check_writable(const std::string& path);

// The whole of a file at once.
void write_file(const std::string& path, std::string_view text);

}  // namespace thresh
