// Collects the warnings of many runs, each once.

#include <algorithm>
#include <cctype>
#include <string_view>

#include "thresh/select.hpp"

namespace thresh {
namespace {

std::string without_numbers(const std::string& text) {
  constexpr std::string_view kInside = ".,e+-";
  std::string kept;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    in_number = digit || (in_number && kInside.find(c) != std::string_view::npos);
    if (!in_number) kept += c;
  }
  return kept;
}

}  // namespace

void add_warnings(std::vector<std::string>& all, const std::vector<std::string>& more) {
  // Warnings of one run are all added, even if they differ only in numbers.
  const std::vector<std::string> before = all;
  for (const std::string& text : more) {
    const auto same = [&](const std::string& told) {
      return without_numbers(told) == without_numbers(text);
    };
    if (std::none_of(before.begin(), before.end(), same)) all.push_back(text);
  }
}

}  // namespace thresh
