// The rows of texts, with the names of their features.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/learn.hpp"
#include "tools/scratch.hpp"

using NamedRow = std::map<std::string, double>;

// The name of a hashed feature is its hash.
inline std::vector<NamedRow> rows_of_texts(const std::vector<std::string>& texts,
                                           const thresh::TextOptions& options) {
  const ScratchDir dir;
  std::string lines;
  for (const std::string& text : texts) lines += "x\t" + text + "\n";
  const thresh::Documents documents(dir.write("t", lines), {});
  const auto vectorizer = thresh::learn_terms(documents, options);
  std::vector<NamedRow> rows;
  thresh::TextVectorizer::Scratch scratch;
  std::vector<thresh::TextVectorizer::Entry> entries;
  const auto stream = documents.open();
  while (const auto work = stream->next()) {
    const thresh::DocumentBlock block = (*work)();
    for (const thresh::Document& document : block.documents) {
      vectorizer->weigh(document.text, scratch, entries);
      NamedRow& row = rows.emplace_back();
      for (const auto& [feature, value] : entries) {
        row[options.hash_bits == 0 ? std::string(vectorizer->terms().name(feature))
                                   : std::to_string(feature)] = value;
      }
      if (row.size() != entries.size()) throw std::logic_error("a feature comes twice");
    }
  }
  return rows;
}
