// Rows of a cache of data with names, for a user who numbers the names differently: a model, or
// other data that were read before.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/cache/source.hpp"
#include "data/cache/words.hpp"
#include "data/names/id_row.hpp"

namespace thresh {

// The rows that reading the data with this vocabulary would give, once and in order.
class TranslatedRows : public RowSource {
 public:
  // The words must fit options.vocabulary, see CachedWords::misfit().
  TranslatedRows(std::string name, const std::shared_ptr<const CacheFile>& file,
                 const CachedWords& words, const ReadOptions& options,
                 std::shared_ptr<FeatureMap> features);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return name_; }

 private:
  void find_ids(const CachedWords& words);
  // Translate the cache's ids, dimensions and labels.
  std::uint64_t id(std::uint64_t cached) const;
  std::uint64_t dimension(std::uint64_t cached) const;
  double label(double cached) const;
  void append(const RowBlock& block, std::size_t row, RowBlock& out);

  std::string name_;
  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::shared_ptr<FeatureMap> cached_features_;
  CachedSource cached_;
  std::vector<std::string> labels_;        // the cache's words for its labels
  std::vector<std::uint64_t> ids_;         // by the cache's ids; unused for hashes and texts
  std::vector<std::uint64_t> dimensions_;  // by the number of the cache's ids
  std::size_t next_ = 0;
  std::vector<IdEntry> row_;
};

}  // namespace thresh
