// Messages on standard error: progress, notes, warnings. They never stop the work they are about.
#pragma once

#include <fmt/format.h>

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

}  // namespace thresh::cli
