#pragma once

#include <string>

namespace thresh {

// Why a row is bad; the caller knows where.
struct BadRow {
  std::string reason;
};

}  // namespace thresh
