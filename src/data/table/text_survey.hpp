// The columns of text of a table, while all rows are surveyed: their terms are counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/table/columns.hpp"
#include "text/named_terms.hpp"
#include "text/tokenizer.hpp"

namespace thresh {

class TextSurvey {
 public:
  // What some rows say.
  struct Facts {
    std::vector<NamedTerms::Part> terms;  // of each text column
    std::uint32_t documents = 0;
  };

  TextSurvey(const std::vector<std::size_t>& columns, const TextOptions& how);

  // Adds a row to the facts. Threads may do this at the same time.
  void look(RowCells& row, Facts& facts) const;
  void take(const Facts& facts);
  // Gives each column its vectorizer. Throws Error if it has no term.
  void finish(const std::string& file, Columns& columns);

 private:
  struct Text {
    std::size_t column;
    NamedTerms terms;
  };

  TextOptions how_;
  std::vector<Text> texts_;
  std::optional<Tokenizer> tokenizer_;
  std::uint64_t documents_ = 0;
};

}  // namespace thresh
