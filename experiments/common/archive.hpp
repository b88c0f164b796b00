// The files of a tar archive, compressed or not.
#pragma once

#include <string>
#include <vector>

namespace thresh::experiments {

struct ArchivedFile {
  std::string path, content;
};

// All bytes of a file, as they are without compression.
std::string read_bytes(const std::string& path);
// In the order of their paths. Throws Error for what is no tar archive.
std::vector<ArchivedFile> read_archive(const std::string& path);

}  // namespace thresh::experiments
