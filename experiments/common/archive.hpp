// Reads the files of a tar archive, compressed or not.
#pragma once

#include <string>
#include <vector>

namespace thresh::experiments {

struct ArchivedFile {
  std::string path, content;
};

// All bytes of a file, decompressed.
std::string read_bytes(const std::string& path);
// Files in the order of their paths. Throws Error if the file is not a tar archive.
std::vector<ArchivedFile> read_archive(const std::string& path);

}  // namespace thresh::experiments
