#include "data/cache/translation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Reads rows as in the data. They are scaled, if at all, after their names are translated.
ReadOptions as_they_are() {
  ReadOptions options;
  options.once = true;
  return options;
}

}  // namespace

TranslatedRows::TranslatedRows(std::string name, const std::shared_ptr<const CacheFile>& file,
                               const CachedWords& words, const ReadOptions& options,
                               std::shared_ptr<FeatureMap> features)
    : name_(std::move(name)),
      options_(options),
      features_(std::move(features)),
      cached_features_(make_feature_map()),
      cached_(name_, file, as_they_are(), cached_features_),
      labels_(words.labels()) {
  find_ids(words);
}

// Names get ids in the order of their first appearance in the data, as if they were read again. A
// hash is the same everywhere, but a vocabulary that is still learning must get the name.
void TranslatedRows::find_ids(const CachedWords& words) {
  Vocabulary& vocabulary = *options_.vocabulary;
  if (vocabulary.text) return;
  Vocabulary cached;
  words.restore(cached);
  dimensions_ = {0};
  cached.for_each([&](std::uint64_t, std::string_view name) {
    const std::uint64_t id = vocabulary.id(name);
    if (vocabulary.hash_bits() > 0) return;
    const bool known = id != Vocabulary::kUnknown;
    ids_.push_back(known ? id : unknown_id(name));
    dimensions_.push_back(std::max(dimensions_.back(), known ? id + 1 : 0));
  });
}

std::uint64_t TranslatedRows::id(std::uint64_t cached) const {
  if (const TextVectorizer* const text = options_.vocabulary->text.get()) {
    const std::vector<std::uint32_t>& known = text->terms().features;
    const bool listed = TextVectorizer::needs_terms(text->options());
    return !listed || std::binary_search(known.begin(), known.end(), cached) ? cached : kUnknownIds;
  }
  if (options_.vocabulary->hash_bits() > 0) return cached;
  return cached < ids_.size() ? ids_[cached] : kUnknownIds;
}

std::uint64_t TranslatedRows::dimension(std::uint64_t cached) const {
  if (options_.vocabulary->text || options_.vocabulary->hash_bits() > 0) return cached;
  return dimensions_[std::min<std::uint64_t>(cached, dimensions_.size() - 1)];
}

double TranslatedRows::label(double cached) const {
  if (options_.labels_optional) return 0;
  LabelNames& known = options_.vocabulary->labels;
  if (labels_.empty() && known.words().empty()) return cached;
  const bool has_word = cached >= 0 && cached < static_cast<double>(labels_.size());
  if (!labels_.empty() && !has_word) throw Error("the label has no word");
  return known.code(label_text(labels_, cached));
}

BlockPtr TranslatedRows::block(std::size_t) {
  check_stop(options_.stop, name_);
  const BlockPtr block = cached_.block(next_++);
  if (!block) return nullptr;
  auto out = std::make_shared<RowBlock>();
  out->dimension = dimension(block->dimension);
  out->source_bytes = block->source_bytes;
  out->bad_rows = block->bad_rows;
  for (std::size_t i = 0; i < block->rows(); ++i) append(*block, i, *out);
  if (options_.on_read) options_.on_read(block->source_bytes);
  return out;
}

void TranslatedRows::append(const RowBlock& block, std::size_t row, RowBlock& out) {
  double label = 0;
  try {
    label = this->label(block.labels[row]);
  } catch (const Error& error) {
    if (!options_.skip_bad_rows) {
      throw Error(fmt::format("{}:{}: {}", name_, block.lines[row], error.what()));
    }
    ++out.bad_rows;
    return;
  }
  row_.clear();
  for (std::size_t k = block.starts[row]; k < block.starts[row + 1]; ++k) {
    row_.push_back({id(cached_features_->id(block.slots[k])), block.values[k]});
  }
  append_row(row_, options_.normalize_l2, *features_, out);
  out.labels.push_back(label);
  if (!block.weights.empty()) out.weights.push_back(block.weights[row]);
  out.ids.push_back(block.ids[row]);
  out.lines.push_back(block.lines[row]);
}

}  // namespace thresh
