// A stream of bytes in memory, read in pieces of any size.
#pragma once

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "data/read/bytes.hpp"

class MemoryBytes : public thresh::ByteStream {
 public:
  // `piece` gives the most bytes that a read returns. It is called once per read.
  using Piece = std::function<std::size_t()>;

  explicit MemoryBytes(std::string_view text, Piece piece = nullptr)
      : rest_(text), piece_(std::move(piece)) {}

  std::size_t read(char* out, std::size_t n) override {
    if (piece_) n = std::min(n, std::max<std::size_t>(1, piece_()));
    n = rest_.copy(out, n);
    rest_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view rest_;
  Piece piece_;
};
