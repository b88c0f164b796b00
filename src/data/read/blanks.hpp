// The characters that separate the fields of a line.
#pragma once

namespace thresh {

inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Skips the blanks at p, up to `end`.
inline const char* skip_space(const char* p, const char* end) {
  while (p < end && is_space(*p)) ++p;
  return p;
}

// Whether the row ends at p: the line ends there, or a comment begins.
inline bool at_row_end(const char* p, const char* end) {
  return p == end || *p == '#';
}

inline bool ends_token(const char* p, const char* end) {
  return at_row_end(p, end) || is_space(*p);
}

// Whether the line is empty or only a comment, so not a row.
inline bool is_blank_line(const char* begin, const char* end) {
  return at_row_end(skip_space(begin, end), end);
}

}  // namespace thresh
