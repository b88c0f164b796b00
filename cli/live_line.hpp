// One line on a terminal that says how far something is.
#pragma once

#include <chrono>
#include <string>

namespace thresh::cli {

// A line that is overwritten in place, at most ten times a second. Nothing off a terminal.
class LiveLine {
 public:
  explicit LiveLine(bool enabled);
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool enabled() const { return enabled_; }
  // Whether it is time for a new text, so that callers need not format one for nothing.
  bool due() const;
  void show(const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point last_;
};

}  // namespace thresh::cli
