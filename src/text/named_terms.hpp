// Counts the terms of documents by name: what TermList is made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "text/term_map.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {

struct LearnHooks;

// The number of documents with a term.
struct TermUse {
  std::uint32_t documents = 0;
  std::uint32_t last = 0;  // the last such document, counted from 1

  void in(std::uint32_t document) {
    documents += last != document ? 1 : 0;
    last = document;
  }
};

// The document counts that make a term a feature.
class CountRange {
 public:
  CountRange(const TextOptions& options, std::uint64_t documents)
      : least_(bound(options.min_df, documents)), most_(bound(options.max_df, documents)) {}
  bool has(std::uint64_t count) const {
    return static_cast<double>(count) >= least_ && static_cast<double>(count) <= most_;
  }

 private:
  static double bound(const DocumentLimit& limit, std::uint64_t documents) {
    return limit.is_share ? limit.value * static_cast<double>(documents) : limit.value;
  }
  double least_, most_;
};

// Terms are numbered at the end, after sorting.
class NamedTerms {
 public:
  // What one thread finds in some documents, counted from 1.
  class Part {
   public:
    Part() = default;
    explicit Part(const TextOptions&) {}
    void see(std::string_view term, std::uint32_t document) {
      auto found = terms_.find(term);
      if (found == terms_.end()) found = terms_.emplace(store_.add(term), TermUse{}).first;
      found.value().in(document);
    }

   private:
    friend NamedTerms;
    TermStore store_;
    TermMap<TermUse> terms_;
  };

  NamedTerms() = default;
  NamedTerms(const TextOptions&, const LearnHooks&) {}

  void add(const Part& part) {
    for (const auto& [term, seen] : part.terms_) {
      auto found = counts_.find(term);
      if (found == counts_.end()) found = counts_.emplace(store_.add(term), 0).first;
      found.value() += seen.documents;
    }
    constexpr std::size_t kMostTerms = std::numeric_limits<std::uint32_t>::max() - 1;
    if (counts_.size() > kMostTerms) throw Error("more than four billion different terms");
  }

  // Frees the largest structures as soon as they have been used.
  TermList finish(const CountRange& range) && {
    std::vector<std::pair<std::string_view, std::uint32_t>> kept;
    for (const auto& [term, count] : counts_) {
      if (range.has(count)) kept.emplace_back(term, count);
    }
    counts_ = {};
    std::sort(kept.begin(), kept.end());
    TermList list;
    for (const auto& [term, count] : kept) {
      list.add(term, static_cast<std::uint32_t>(list.size()), count);
    }
    return list;
  }

 private:
  TermStore store_;
  TermMap<std::uint32_t> counts_;
};

}  // namespace thresh
