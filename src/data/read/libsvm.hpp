// Parses libsvm/svmlight text: one row per line, `LABEL [qid:Q] INDEX:VALUE ... [# comment]`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sparse/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Some consecutive lines of a file. The text ends in a line feed, and kTextPadding more bytes (see
// number.hpp) can be read after it.
struct TextBlock {
  std::string_view text;
  std::uint64_t first_line = 1;  // for messages, counted from 1
  std::uint64_t first_row = 0;   // rows before this block, bad ones included
  std::uint64_t entries = 0;     // upper bound on INDEX:VALUE pairs
};

struct Entries;  // of a row, see entries.hpp

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
  void parse_line(const char* p, const char* end, Entries& row, double& label) const;
  [[noreturn]] void refuse(const char* token, const char* end, const Entries& row) const;
  void sort_entries(Entries& row) const;
  void append(Entries& row, double label, RowBlock& out) const;

  std::string file_;
  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::uint64_t first_index_;
  std::uint64_t id_end_;  // features are 0 .. id_end_ - 1, counted from first_index_ in the file
};

}  // namespace thresh
