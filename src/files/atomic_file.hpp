// A file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "files/fd.hpp"

namespace thresh {

// Writes to a temporary file beside `path` that replaces it on commit(). Without a commit the old
// content stays and the temporary file is removed. A symbolic link is followed and survives. A
// device, a pipe or an inherited descriptor (/dev/stdout, /dev/fd/N) cannot be replaced by a
// rename, so it is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  // Durable once it returns. Nothing may be written afterwards.
  void commit();

 private:
  Fd open();
  Fd open_temporary();
  void check(std::error_code error) const;

  std::string path_;       // as the user wrote it, for messages
  std::string target_;     // after following links; empty if there is nothing to rename
  std::string temporary_;  // empty if there is nothing to unlink
  WriteBuffer out_;        // last, because opening it sets the names above
};

// Throws if the file cannot be written, so that the user learns it before the work. Pipes and other
// files that cannot be replaced are not touched.
void check_writable(const std::string& path);

// Writes a whole file at once.
void write_file(const std::string& path, std::string_view text);

}  // namespace thresh
