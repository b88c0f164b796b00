// A vectorizer as text: its options as JSON, and a line for each term. The model file has both.
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

// Reads what the two functions above write. Every function throws Error, with the reason, for
// anything else.
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
