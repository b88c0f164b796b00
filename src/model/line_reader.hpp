// One line of data, without its label, as a row for a Predictor.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/read/libsvm.hpp"
#include "data/read/named_rows.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/model.hpp"

namespace thresh {

// Nothing in it changes after the constructor: threads may share one.
class LineReader {
 public:
  // `features` are those of the model's predictor.
  LineReader(const Model& model, std::shared_ptr<FeatureMap> features);

  // A block of one row. Throws Error for a line that is none, UsageError for more than one.
  std::shared_ptr<const RowBlock> read(std::string_view line) const;

 private:
  std::shared_ptr<const RowBlock> read_numbers(std::string_view line) const;
  std::shared_ptr<const RowBlock> read_named(std::string_view line) const;
  std::shared_ptr<const RowBlock> read_text(std::string_view text) const;
  NamedRows parse_table(std::string_view line) const;
  void know_columns();

  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<LibsvmParser> numbers_;  // of libsvm text
  std::unique_ptr<NamedParser> named_;     // of vw; of a table only if its columns are known
  std::shared_ptr<const TextVectorizer> text_;
  std::string reading_;  // of a table with the names of columns in front; "": it had none
  LineRule rule_;        // where a row of a table ends
};

}  // namespace thresh
