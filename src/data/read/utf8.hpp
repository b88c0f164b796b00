// Checks, quotes and escapes text from files, which may contain anything.
#pragma once

#include <string>
#include <string_view>

namespace thresh {

// Whether the text is valid UTF-8, as JSON requires.
bool is_utf8(std::string_view text);

// The text in quotes for a message: short and always printable.
std::string shown(std::string_view text);

// The reverse of escaped(), see thresh/names.hpp.
std::string unescaped(std::string_view text);

}  // namespace thresh
