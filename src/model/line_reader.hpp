// Parses one line of data without a label into a row for a Predictor.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/read/libsvm.hpp"
#include "data/read/named_rows.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/model.hpp"

namespace thresh {

// Immutable after construction: threads may share it.
class LineReader {
 public:
  // `features` must be those of the model's predictor.
  LineReader(const Model& model, std::shared_ptr<FeatureMap> features);

  // A block of one row. Throws Error for an invalid line, UsageError for more than one line.
  std::shared_ptr<const RowBlock> read(std::string_view line) const;

 private:
  std::shared_ptr<const RowBlock> read_numbers(std::string_view line) const;
  std::shared_ptr<const RowBlock> read_named(std::string_view line) const;
  std::shared_ptr<const RowBlock> read_text(std::string_view text) const;
  NamedRows parse_table(std::string_view line) const;
  void know_columns();

  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<LibsvmParser> numbers_;  // for libsvm text
  std::unique_ptr<NamedParser> named_;     // for vw, and for tables whose columns are known
  std::shared_ptr<const TextVectorizer> text_;
  Record reading_;  // for a table with column names; empty if it had none
  LineRule rule_;   // where a row of a table ends
};

}  // namespace thresh
