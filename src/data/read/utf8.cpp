#include "data/read/utf8.hpp"

#include <cstdint>

#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

constexpr std::string_view kSpecial = "\\\n\r\t";
constexpr std::string_view kLetters = "\\nrt";

// Length of the sequence at the start of the text, or 0 if it is invalid (RFC 3629).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) > 0x9f;
  const bool too_large = first == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string shown(std::string_view text) {
  std::string clean;
  while (!text.empty() && clean.size() < 40) {
    const std::size_t length = sequence_length(text);
    const bool printable = length > 1 || (text[0] >= 0x20 && text[0] < 0x7f);
    clean += printable ? text.substr(0, length) : "?";
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return "'" + clean + (text.empty() ? "'" : "...'");
}

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const std::size_t at = kSpecial.find(c);
    if (at == std::string_view::npos) {
      text += c;
    } else {
      text.append("\\") += kLetters[at];
    }
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    const std::size_t at = ++i < text.size() ? kLetters.find(text[i]) : std::string_view::npos;
    if (at == std::string_view::npos) throw Error("bad name");
    name += kSpecial[at];
  }
  return name;
}

}  // namespace thresh
