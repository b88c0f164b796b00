#include "text/vectorizer.hpp"

#include <algorithm>
#include <cmath>

#include "data/read/name_table.hpp"
#include "math/elementary.hpp"

namespace thresh {

void TermList::add(std::string_view name, std::uint32_t feature, std::uint64_t count) {
  names += name;
  ends.push_back(names.size());
  features.push_back(feature);
  counts.push_back(count);
}

TextVectorizer::TextVectorizer(TextOptions options, std::uint64_t documents,
                               std::uint64_t dimension, TermList terms)
    : options_(std::move(options)),
      documents_(documents),
      dimension_(dimension),
      terms_(std::move(terms)),
      listed_(needs_terms(options_)),
      tokenizer_(options_) {
  if (options_.hash_bits > 0) {
    by_hash_.reserve(terms_.size());
    for (std::uint32_t i = 0; i < terms_.size(); ++i) by_hash_.emplace(terms_.features[i], i);
  } else {
    by_name_.reserve(terms_.size());
    for (std::uint32_t i = 0; i < terms_.size(); ++i) by_name_.emplace(terms_.name(i), i);
  }
}

bool TextVectorizer::needs_terms(const TextOptions& options) {
  const bool all_pass = !options.min_df.is_share && options.min_df.value <= 1 &&
                        options.max_df.is_share && options.max_df.value >= 1;
  return options.hash_bits == 0 || options.idf || !all_pass;
}

// The place in the list, or the hash itself if there is no list.
std::uint32_t TextVectorizer::place(std::string_view term) const {
  if (options_.hash_bits > 0) {
    const std::uint32_t hash = hash_of_name(term, options_.hash_bits);
    if (!listed_) return hash;
    const auto found = by_hash_.find(hash);
    return found == by_hash_.end() ? kNone : found->second;
  }
  const auto found = by_name_.find(term);
  return found == by_name_.end() ? kNone : found->second;
}

std::optional<std::uint32_t> TextVectorizer::find(std::string_view term) const {
  const std::uint32_t at = place(term);
  if (at == kNone) return std::nullopt;
  return listed_ ? terms_.features[at] : at;
}

// Uses a logarithm that is the same on every machine, so that rows are the same.
double TextVectorizer::value(std::uint32_t place, std::uint64_t occurrences) const {
  double value = 1;
  const auto n = static_cast<double>(occurrences);
  if (options_.tf == TextOptions::Tf::count) value = n;
  if (options_.tf == TextOptions::Tf::log) value = portable::log(n) + 1;
  if (!options_.idf) return value;
  const double rarity =
      (1 + static_cast<double>(documents_)) / (1 + static_cast<double>(terms_.counts[place]));
  return value * (portable::log(rarity) + 1);
}

void TextVectorizer::weigh(std::string_view text, Scratch& scratch, std::vector<Entry>& row) const {
  std::vector<std::uint32_t>& hits = scratch.hits;
  hits.clear();
  tokenizer_.for_each_term(text, scratch.cut, [&](std::string_view term) {
    if (const std::uint32_t at = place(term); at != kNone) hits.push_back(at);
  });
  std::sort(hits.begin(), hits.end());
  row.clear();
  double squares = 0;
  for (auto hit = hits.begin(); hit != hits.end();) {
    const auto next = std::upper_bound(hit, hits.end(), *hit);
    const double weight = value(*hit, static_cast<std::uint64_t>(next - hit));
    row.push_back({listed_ ? terms_.features[*hit] : *hit, weight});
    squares += weight * weight;
    hit = next;
  }
  if (!options_.l2) return;
  const double length = std::sqrt(squares);
  for (Entry& entry : row) entry.value /= length;
}

std::shared_ptr<const TextVectorizer> reduced_to(std::span<const std::uint32_t> features,
                                                 std::shared_ptr<const TextVectorizer> all) {
  if (all->options().l2) return all;
  const TermList& terms = all->terms();
  TermList kept;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (std::binary_search(features.begin(), features.end(), terms.features[i])) {
      kept.add(terms.name(i), terms.features[i], terms.counts[i]);
    }
  }
  return std::make_shared<TextVectorizer>(all->options(), all->documents(), all->dimension(),
                                          std::move(kept));
}

}  // namespace thresh
