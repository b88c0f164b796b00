// Bytes as a file with a path, for readers that take a path.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <string>

#include "files/fd.hpp"
#include "require.hpp"
#include "thresh/files.hpp"

namespace thresh {

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : fd_(::memfd_create("fuzz", 0)) {
    require(fd_ && !write_all(fd_.get(), data, size), "a file in memory");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  Fd fd_;
};

}  // namespace thresh
