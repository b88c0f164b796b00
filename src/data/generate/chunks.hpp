// Collects the lines of a generated data set into chunks that are large enough for the sink.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>

#include "thresh/generate.hpp"

namespace thresh {

class Chunks {
 public:
  explicit Chunks(const Sink& sink) : sink_(sink) {}

  // Where to append the current line.
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  void end_line() {
    text_.push_back('\n');
    if (text_.size() >= kChunk) finish();
  }

  // Not in a destructor, because the sink may throw.
  void finish() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

 private:
  static constexpr size_t kChunk = size_t{1} << 16;

  const Sink& sink_;
  std::string text_;
};

}  // namespace thresh
