// Which thresh this is. CMake refuses to configure if it is not the version of the project.
#pragma once

#define THRESH_VERSION_MAJOR 0
#define THRESH_VERSION_MINOR 1
#define THRESH_VERSION_PATCH 0

namespace thresh {

// The version of the library that is linked, "0.1.0": it may differ from that of the headers.
const char* version();

}  // namespace thresh
