// Cuts a record of a table into its cells (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thresh {

class Cells {
 public:
  // Cuts a record. Blanks around an unquoted cell are dropped. Throws BadRow. The cells are valid
  // as long as the text and this object, and kTextPadding bytes after each can be read.
  void cut(const char* begin, const char* end, char delimiter);

  std::size_t size() const { return cells_.size(); }
  std::string_view operator[](std::size_t i) const { return cells_[i]; }

 private:
  const char* cut_quoted(const char* p, const char* end);

  std::vector<std::string_view> cells_;
  std::string mended_;  // cells with their doubled quotes made single
};

// Whether the cell is a finite number and nothing else.
bool is_number(std::string_view cell, double& value);

}  // namespace thresh
