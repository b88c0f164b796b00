// libsvm/svmlight text: one row a line, `LABEL [qid:Q] INDEX:VALUE ... [# comment]`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Some consecutive lines of a file. The text ends in a line feed, and kTextPadding more bytes (see
// number.hpp) can be read behind it.
struct TextBlock {
  std::string_view text;
  std::uint64_t first_line = 1;  // for messages, counted from 1
  std::uint64_t first_row = 0;   // rows before this block, bad ones included
  std::uint64_t entries = 0;     // at most so many INDEX:VALUE pairs
};

// Behind the blanks at p, or `end`.
const char* skip_space(const char* p, const char* end);

// Whether the line is empty or only a comment, and so not a row.
bool is_blank_line(const char* begin, const char* end);

class LibsvmParser {
 public:
  LibsvmParser(std::string file, const ReadOptions& options, std::shared_ptr<FeatureMap> features)
      : file_(std::move(file)),
        options_(options),
        features_(std::move(features)),
        first_index_(options.zero_based ? 0 : 1),
        id_end_(options.dim != 0 ? options.dim : FeatureMap::kMaxIndex) {}

  // Thread-safe. Throws Error("FILE:LINE: reason") at the first bad row, or counts it if asked to.
  std::shared_ptr<RowBlock> parse(const TextBlock& block) const;

 private:
  struct Entries;
  void parse_line(const char* p, const char* end, Entries& row, double& label) const;
  void parse_entries(const char* p, const char* end, Entries& row) const;
  [[noreturn]] void refuse_index(const char* token, const char* end) const;
  [[noreturn]] void refuse_value(const char* token, const char* end) const;
  bool allow_descent(std::uint64_t id, std::uint64_t next_id) const;
  [[noreturn]] void throw_changed() const;
  void sort_entries(Entries& row) const;
  void append(Entries& row, double label, RowBlock& out) const;

  std::string file_;
  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::uint64_t first_index_;
  std::uint64_t id_end_;  // features are 0 .. id_end_ - 1, counted from first_index_ in the file
};

}  // namespace thresh
