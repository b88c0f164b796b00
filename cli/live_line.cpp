#include "live_line.hpp"

#include <unistd.h>

#include "messages.hpp"

namespace thresh::cli {

LiveLine::LiveLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) != 0) {}

bool LiveLine::due() const {
  return enabled_ && Clock::now() - last_ > std::chrono::milliseconds(100);
}

void LiveLine::show(const std::string& text) {
  if (!enabled_) return;
  say("\r\033[K{}", text);
  shown_ = true;
  last_ = Clock::now();
}

void LiveLine::clear() {
  if (shown_) say("\r\033[K");
  shown_ = false;
}

}  // namespace thresh::cli
