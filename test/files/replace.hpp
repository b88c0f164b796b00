// Writes a whole file, as the program does.
#pragma once

#include <string>
#include <string_view>

#include "thresh/files.hpp"

namespace thresh {

inline void replace(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace thresh
