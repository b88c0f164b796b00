// Writes a vectorizer as text: options as JSON, and one line per term. The model file contains
// both.
#pragma once

#include <functional>
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

// Calls write() with the list of terms, in lines: "packed COUNT BYTES" and these bytes in base64.
// If they do not pack well: "terms COUNT", and a line of append_term() for each.
void write_terms(const TermList& terms, const std::function<void(std::string_view)>& write);

// Reads the output of the two functions above. Every function throws Error, with the reason, for
// invalid input.
class VectorizerReader {
 public:
  VectorizerReader(const nlohmann::ordered_json& json, std::uint64_t dimension);
  void add_line(std::string_view line);  // of append_term(); a line feed must follow it
  // The list of terms. next_line() gives one line after the other, with a line feed behind each.
  void read_terms(const std::function<std::string_view()>& next_line);
  std::shared_ptr<const TextVectorizer> finish();

 private:
  void add_packed(std::uint64_t terms, std::uint64_t bytes,
                  const std::function<std::string_view()>& next_line);
  void add_term(std::uint64_t index, std::uint64_t documents, std::string_view name);

  TextOptions options_;
  std::uint64_t documents_ = 0;
  std::uint64_t dimension_;
  TermList terms_;
};

}  // namespace thresh
