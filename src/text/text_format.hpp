// Writes a vectorizer as text: options as JSON, and one line per term. The model file contains
// both.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "text/vectorizer.hpp"

namespace thresh {

nlohmann::ordered_json to_json(const TextOptions& options);
// The options, and the number of documents.
nlohmann::ordered_json to_json(const TextVectorizer& vectorizer);

// Appends INDEX<TAB>DOCUMENTS<TAB>TERM of the i-th term, without the last column for a hash.
void append_term(const TermList& terms, std::size_t i, std::string& text);

// Reads the output of the two functions above. Every function throws Error, with the reason, for
// invalid input.
class VectorizerReader {
 public:
  VectorizerReader(const nlohmann::ordered_json& json, std::uint64_t dimension);
  void add_term(std::string_view line);  // a line feed must follow it
  std::shared_ptr<const TextVectorizer> finish();

 private:
  TextOptions options_;
  std::uint64_t documents_ = 0;
  std::uint64_t dimension_;
  TermList terms_;
};

}  // namespace thresh
