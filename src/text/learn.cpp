#include "text/learn.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/read/name_table.hpp"
#include "sparse/parallel.hpp"
#include "sparse/zeroed_array.hpp"
#include "text/named_terms.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// The same by hash: one count for each possible hash.
class HashedTerms {
 public:
  class Part {
   public:
    explicit Part(const TextOptions& options) : bits_(options.hash_bits) {}
    void see(std::string_view term, std::uint32_t document) {
      const std::uint32_t hash = hash_of_name(term, bits_);
      auto found = hashes_.find(hash);
      if (found == hashes_.end()) found = hashes_.emplace(hash, First{store_.add(term), {}}).first;
      found.value().seen.in(document);
    }

   private:
    friend HashedTerms;
    struct First {
      std::string_view term;  // with this hash
      TermUse seen;
    };
    std::uint32_t bits_;
    TermStore store_;
    tsl::robin_map<std::uint32_t, First> hashes_;
  };

  HashedTerms(const TextOptions& options, const LearnHooks& hooks) : hooks_(hooks) {
    counts_.ensure(std::size_t{1} << options.hash_bits);
  }

  void add(const Part& part) {
    for (const auto& [hash, first] : part.hashes_) {
      if (hooks_.on_hashed && counts_[hash] == 0) hooks_.on_hashed(first.term);
      counts_[hash] += first.seen.documents;
    }
  }

  TermList finish(const CountRange& range) && {
    TermList list;
    for (std::uint32_t hash = 0; hash < counts_.size(); ++hash) {
      if (counts_[hash] > 0 && range.has(counts_[hash])) list.add("", hash, counts_[hash]);
    }
    return list;
  }

 private:
  const LearnHooks& hooks_;
  ZeroedArray<std::uint32_t> counts_;
};

// What a thread found in some documents.
template <class Terms>
struct Found {
  DocumentBlock block;
  typename Terms::Part terms;
};

template <class Terms>
Found<Terms> count_terms(DocumentBlock block, const Tokenizer& tokenizer,
                         const TextOptions& options) {
  Found<Terms> found{std::move(block), typename Terms::Part(options)};
  CutText cut;
  std::uint32_t number = 0;
  for (const Document& document : found.block.documents) {
    ++number;
    tokenizer.for_each_term(document.text, cut,
                            [&](std::string_view term) { found.terms.see(term, number); });
  }
  return found;
}

template <class Terms>
std::shared_ptr<const TextVectorizer> learn(const Documents& documents, const TextOptions& options,
                                            const LearnHooks& hooks) {
  const Tokenizer tokenizer(options);
  const auto stream = documents.open();
  Terms terms(options, hooks);
  std::uint64_t number = 0;
  parallel_stream(
      cores(), [&] { return stream->next(); },
      [&](const DocumentStream::Work& work) {
        return count_terms<Terms>(work(), tokenizer, options);
      },
      [&](std::size_t, const Found<Terms>& found) {
        terms.add(found.terms);
        number += found.block.documents.size();
        if (hooks.on_document) std::ranges::for_each(found.block.documents, hooks.on_document);
        if (hooks.on_read) hooks.on_read(found.block.bytes);
      });
  TermList list = std::move(terms).finish(CountRange(options, number));
  if (list.size() == 0) {
    throw Error(
        fmt::format("{}: no features: no term satisfies --min-df and --max-df", documents.name()));
  }
  const std::uint64_t dimension =
      options.hash_bits > 0 ? std::uint64_t{1} << options.hash_bits : list.size();
  if (!TextVectorizer::needs_terms(options)) list = {};
  return std::make_shared<TextVectorizer>(options, number, dimension, std::move(list));
}

}  // namespace

void check_text_options(const TextOptions& options) {
  constexpr std::uint32_t kLongest = 99;
  if (options.shortest == 0 || options.shortest > options.longest || options.longest > kLongest) {
    throw UsageError(fmt::format("n-grams {}:{}: write SHORTEST:LONGEST, from 1 to 99",
                                 options.shortest, options.longest));
  }
  if (options.hash_bits > 30) throw UsageError("at most 30 hash bits");
  if (options.unit == TextOptions::Unit::characters && !options.stop_words.empty()) {
    throw UsageError("stop words do not apply to character n-grams");
  }
  if (options.stem.empty()) return;
  if (options.unit == TextOptions::Unit::characters) {
    throw UsageError("--stem does not apply to character n-grams");
  }
  const std::vector<std::string> known = stemmers();
  if (std::find(known.begin(), known.end(), options.stem) == known.end()) {
    throw UsageError(fmt::format("--stem {}: use {}", options.stem, fmt::join(known, ", ")));
  }
}

std::shared_ptr<const TextVectorizer> learn_terms(const Documents& documents,
                                                  const TextOptions& options,
                                                  const LearnHooks& hooks) {
  check_text_options(options);
  return options.hash_bits > 0 ? learn<HashedTerms>(documents, options, hooks)
                               : learn<NamedTerms>(documents, options, hooks);
}

}  // namespace thresh
