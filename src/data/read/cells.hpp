// A record of a table cut into its cells (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thresh {

class Cells {
 public:
  // Cuts a record. Blanks around a cell without quotes do not belong to it. Throws BadRow. The
  // cells live as long as the text and this, and kTextPadding bytes behind each can be read.
  void cut(const char* begin, const char* end, char delimiter);

  std::size_t size() const { return cells_.size(); }
  std::string_view operator[](std::size_t i) const { return cells_[i]; }

 private:
  const char* cut_quoted(const char* p, const char* end);

  std::vector<std::string_view> cells_;
  std::string mended_;  // cells whose doubled quotes are single again
};

// A finite number and nothing else.
bool is_number(std::string_view cell, double& value);

}  // namespace thresh
