// The version of the headers. CMake checks that it equals the version of the project.
#pragma once

#define THRESH_VERSION_MAJOR 0
#define THRESH_VERSION_MINOR 2
#define THRESH_VERSION_PATCH 0

namespace thresh {

// The version of the linked library, such as "0.2.0". It may differ from that of the headers.
const char* version();

}  // namespace thresh
