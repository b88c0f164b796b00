// Rows from a cache file, given as data or saved beside them.
#pragma once

#include <memory>
#include <string>

#include "data/cache/file.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class CachedWords;
class CacheParts;

class CachedSource : public RowSource {
 public:
  // Weights are relative, unless options.once. `label_names` are the words for labels 0, 1, ...
  CachedSource(std::string name, std::shared_ptr<const CacheFile> file, const ReadOptions& options,
               std::shared_ptr<FeatureMap> features, std::vector<std::string> label_names = {});
  ~CachedSource() override;
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return name_; }
  // If indices are slots. Rows whose indices go through a hash table are better unpacked by all
  // cores, block by block.
  const CachedSource* packed_rows() const override {
    return !parts_ && survey_.dimension <= features_->identity_end() ? this : nullptr;
  }

  // The same rows, for unpacking one by one.
  PackedBlock packed(std::size_t k) const { return file_->block(k); }
  std::size_t unpack(const PackedBlock& block, std::size_t row, std::uint32_t* slots,
                     double* values) const {
    return block.unpack(row, *features_, normalize_, slots, values);
  }
  double weight(const PackedBlock& block, std::size_t row) const {
    return block.weight(row) / mean_weight_;
  }

 private:
  std::string name_;
  std::shared_ptr<const CacheFile> file_;
  Survey survey_;
  bool normalize_;
  double mean_weight_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<const CacheParts> parts_;  // null: the file has none
};

// Opens a cache that was given as data.
std::shared_ptr<RowSource> open_cache(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features);

// Opens the cache beside the data `path`, which have this format. Makes it first if wanted. Null if
// there is none.
std::shared_ptr<RowSource> open_cache_beside(const std::string& path, Format format,
                                             const ReadOptions& options,
                                             std::shared_ptr<FeatureMap> features);

// The rows of a cache of data with names, numbered by options.vocabulary. If that is new, it gets
// everything that the cache knows. `words` must fit it.
std::shared_ptr<RowSource> open_named_cache(const std::string& name,
                                            std::shared_ptr<const CacheFile> file,
                                            const CachedWords& words, const ReadOptions& options,
                                            std::shared_ptr<FeatureMap> features);

}  // namespace thresh
