#include "thresh/version.hpp"

namespace thresh {

const char* version() {
  return THRESH_VERSION;
}

}  // namespace thresh
