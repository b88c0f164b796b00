// Turns a text into a row: maps its terms to features and computes their values.
//
// A vectorizer identifies its terms by a sorted vocabulary, where feature i is the i-th term, or
// only by their hashes. It is saved in the model file.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/term_map.hpp"
#include "text/tokenizer.hpp"
#include "thresh/text.hpp"

namespace thresh {

// The features in ascending order, and for each the number of documents that have it.
struct TermList {
  std::string names;                // concatenated; all empty if terms are hashed
  std::vector<std::uint64_t> ends;  // of the names
  std::vector<std::uint32_t> features;
  std::vector<std::uint64_t> counts;

  std::size_t size() const { return features.size(); }
  std::string_view name(std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(names).substr(begin, ends[i] - begin);
  }
  void add(std::string_view name, std::uint32_t feature, std::uint64_t count);
};

class TextVectorizer {
 public:
  struct Entry {
    std::uint32_t feature;  // counted from 0
    double value;
  };
  struct Scratch {  // reused for each text
    CutText cut;
    std::vector<std::uint32_t> hits;
  };

  // `documents` is the number of documents behind the counts. Terms outside the list are not
  // features. If needs_terms() is false there is no list, and every hash is a feature.
  TextVectorizer(TextOptions options, std::uint64_t documents, std::uint64_t dimension,
                 TermList terms);
  TextVectorizer(const TextVectorizer&) = delete;  // the table points into the list
  TextVectorizer& operator=(const TextVectorizer&) = delete;

  const TextOptions& options() const { return options_; }
  std::uint64_t documents() const { return documents_; }
  std::uint64_t dimension() const { return dimension_; }
  const TermList& terms() const { return terms_; }
  static bool needs_terms(const TextOptions& options);
  // The feature of a term, if it is one.
  std::optional<std::uint32_t> find(std::string_view term) const;

  // The row of a text, by ascending feature.
  void weigh(std::string_view text, Scratch& scratch, std::vector<Entry>& row) const;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t place(std::string_view term) const;
  double value(std::uint32_t place, std::uint64_t occurrences) const;

  TextOptions options_;
  std::uint64_t documents_;
  std::uint64_t dimension_;
  TermList terms_;
  bool listed_;  // only terms in the list are features
  Tokenizer tokenizer_;
  // The place of a term in the list.
  TermMap<std::uint32_t> by_name_;
  tsl::robin_map<std::uint32_t, std::uint32_t> by_hash_;
};

// The smallest vectorizer that gives these ascending features the same values. With rows of unit
// length it needs all features, otherwise only these.
std::shared_ptr<const TextVectorizer> reduced_to(std::span<const std::uint32_t> features,
                                                 std::shared_ptr<const TextVectorizer> all);

}  // namespace thresh
