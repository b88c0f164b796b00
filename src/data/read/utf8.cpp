#include "data/read/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>

#include "data/read/number.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

constexpr std::string_view kSpecial = "\\\n\r\t";
constexpr std::string_view kLetters = "\\nrt";

// Length of the sequence at the start of the text; below 1 if it is invalid.
std::ptrdiff_t sequence_length(std::string_view text) {
  utf8proc_int32_t character = 0;
  return utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                          static_cast<utf8proc_ssize_t>(text.size()), &character);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::ptrdiff_t length = sequence_length(text);
    if (length < 1) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

std::string shown(std::string_view text) {
  std::string clean;
  while (!text.empty() && clean.size() < 40) {
    const auto length =
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, sequence_length(text)));
    const bool printable = length > 1 || (text[0] >= 0x20 && text[0] < 0x7f);
    clean += printable ? text.substr(0, length) : "?";
    text.remove_prefix(length);
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

std::optional<double> parse_finite(std::string_view text) {
  const std::string ended = std::string(text) + "\n";
  const char* p = ended.data();
  const char* const end = p + text.size();
  double value = 0;
  const bool whole = parse_number(p, end, value) && p == end;
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace thresh
