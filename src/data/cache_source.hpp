// Rows from a cache file, given as data or kept beside them.
#pragma once

#include <memory>
#include <string>

#include "data/cache_file.hpp"
#include "data/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class CachedSource : public RowSource {
 public:
  CachedSource(std::string name, std::shared_ptr<const CacheFile> file, const ReadOptions& options,
               std::shared_ptr<FeatureMap> features);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return &file_->survey(); }
  std::string name() const override { return name_; }

  // The same rows, to be unpacked one by one.
  PackedBlock packed(std::size_t k) const { return file_->block(k); }
  std::size_t unpack(const PackedBlock& block, std::size_t row, std::uint32_t* slots,
                     double* values) const {
    return block.unpack(row, *features_, normalize_, slots, values);
  }
  // Whether indices are slots, so that unpacking costs next to nothing.
  bool is_direct() const { return survey()->dimension <= features_->identity_end(); }

 private:
  std::string name_;
  std::shared_ptr<const CacheFile> file_;
  bool normalize_;
  std::shared_ptr<FeatureMap> features_;
};

// A cache that was given as data.
std::shared_ptr<RowSource> open_cache(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features);

// The cache beside the text `path`, made first if that is wanted; null if there is none.
std::shared_ptr<RowSource> open_cache_beside(const std::string& path, const ReadOptions& options,
                                             std::shared_ptr<FeatureMap> features);

}  // namespace thresh
