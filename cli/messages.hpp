// Messages on standard error: progress, notes, warnings. A failure to write them is ignored.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace thresh::cli {

// Opens descriptors 0 to 2 if they are closed; call it first. Otherwise the next opened file would
// get such a descriptor and receive messages. Reading from a closed standard input and writing to a
// closed standard output remain errors.
void fill_standard_descriptors();

// Writes to standard error. If that fails (a full disk, a pipe without a reader), the text is lost.
void say_text(std::string_view text);

// A text that is safe on a terminal: control characters appear as \n, \t, \x1b and so on. With
// `lines`, line feeds and tabs stay.
std::string printable(std::string_view text, bool lines = false);

// Says one line; its format ends with the line feed.
template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  std::string line = fmt::format(format, std::forward<Args>(args)...);
  line.pop_back();
  say_text(printable(line) + '\n');
}

// A terminal line that is overwritten in place, at most ten times per second. Does nothing if
// standard error is not a terminal.
class LiveLine {
 public:
  explicit LiveLine(bool enabled);
  ~LiveLine() { clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool enabled() const { return enabled_; }
  // Whether a new text would be shown now. If not, callers need not format one.
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
