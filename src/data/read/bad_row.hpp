#pragma once

#include <string>

namespace thresh {

// Why a row is bad. The caller adds the position.
struct BadRow {
  std::string reason;
};

}  // namespace thresh
