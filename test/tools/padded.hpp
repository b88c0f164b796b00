// Text followed by bytes that parsers may read but must not use: digits, to provoke errors.
#pragma once

#include <string>
#include <string_view>

#include "data/read/number.hpp"

class Padded {
 public:
  explicit Padded(std::string_view text)
      : size_(text.size()), storage_(std::string(text) + std::string(thresh::kTextPadding, '7')) {}
  std::string_view text() const { return std::string_view(storage_).substr(0, size_); }

 private:
  std::size_t size_;
  std::string storage_;
};
