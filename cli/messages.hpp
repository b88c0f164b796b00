// Messages on standard error: progress, notes, warnings. They never stop the work they are about.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace thresh::cli {

// A file that is opened while standard input, output or error is closed would take its descriptor,
// and messages would go into that file. Call first: fills the gaps. Reading from a closed standard
// input and writing to a closed standard output stay errors.
void fill_standard_descriptors();

// Writes to standard error. If that fails (a full disk, a pipe that nobody reads), the text is
// lost.
void say_text(std::string_view text);

template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  say_text(fmt::format(format, std::forward<Args>(args)...));
}

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
