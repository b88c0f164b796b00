#include "data/table/cells.hpp"

#include <algorithm>

#include "data/read/bad_row.hpp"
#include "data/read/number.hpp"

namespace thresh {

void Cells::cut(const char* begin, const char* end, char delimiter) {
  cells_.clear();
  mended_.clear();
  mended_.reserve(static_cast<std::size_t>(end - begin) + kTextPadding);  // cells must stay valid
  const auto blank = [&](char c) { return (c == ' ' || c == '\t') && c != delimiter; };
  for (const char* p = begin;; ++p) {
    if (p < end && *p == '"') {
      p = cut_quoted(p + 1, end);
      if (p < end && *p != delimiter) throw BadRow{"text after the closing quote of a cell"};
    } else {
      const char* const stop = std::find(p, end, delimiter);
      const char* last = stop;
      while (p < last && blank(*p)) ++p;
      while (last > p && blank(last[-1])) --last;
      cells_.emplace_back(p, static_cast<std::size_t>(last - p));
      p = stop;
    }
    if (p == end) return;
  }
}

// Starts after the opening quote; returns the position after the closing one.
const char* Cells::cut_quoted(const char* p, const char* end) {
  const char* const begin = p;
  const std::size_t mended = mended_.size();
  bool doubled = false;
  for (;; p += 2) {
    const char* const quote = std::find(p, end, '"');
    if (quote == end) throw BadRow{"a quote is opened and not closed"};
    const bool closes = quote + 1 == end || quote[1] != '"';
    if (!closes || doubled) mended_.append(p, closes ? quote : quote + 1);
    p = quote;
    if (closes) break;
    doubled = true;
  }
  cells_.push_back(doubled ? std::string_view(mended_).substr(mended)
                           : std::string_view(begin, static_cast<std::size_t>(p - begin)));
  return p + 1;
}

bool is_number(std::string_view cell, double& value) {
  const char* p = cell.data();
  const char* const end = p + cell.size();
  return !cell.empty() && parse_number_padded(p, end, value) && p == end;
}

}  // namespace thresh
