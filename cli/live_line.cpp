#include "live_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace thresh::cli {

LiveLine::LiveLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) != 0) {}

bool LiveLine::due() const {
  return enabled_ && Clock::now() - last_ > std::chrono::milliseconds(100);
}

void LiveLine::show(const std::string& text) {
  if (!enabled_) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  shown_ = true;
  last_ = Clock::now();
}

void LiveLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace thresh::cli
