// Writes a whole file, as the program does.
#pragma once

#include <string>
#include <string_view>

#include "files/atomic_file.hpp"

namespace thresh {

inline void replace(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace thresh
