// Any bytes as a block of a cache, whose checksum is thus never in the way, and as a whole cache.
//
// They are refused, or give rows that a parser could have made.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <memory>
#include <string>

#include "data/cache/source.hpp"
#include "data/cache/translation.hpp"
#include "data/cache/words.hpp"
#include "data/read/sources.hpp"
#include "require.hpp"

namespace {

using namespace thresh;

void unpack_all(const PackedBlock& block) {
  const auto features = make_feature_map();
  for (std::size_t row = 0; row < block.rows(); ++row) {
    std::vector<std::uint32_t> slots(block.size(row) + kUnpackRoom);
    std::vector<double> values(block.size(row) + kUnpackRoom);
    const std::size_t n = block.unpack(row, *features, false, slots.data(), values.data());
    require(n == block.size(row), "nothing is left out");
    require(std::isfinite(block.label(row)), "labels are finite");
    require(std::isfinite(block.weight(row)), "weights are finite");
    for (std::size_t i = 0; i < n; ++i) {
      require(std::isfinite(values[i]) && values[i] != 0, "values are values");
      require(i == 0 || features->id(slots[i - 1]) < features->id(slots[i]), "indices ascend");
    }
  }
}

void read_block(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, data + size);
  bytes.resize(size + kPackPadding);
  try {
    const PackedBlock block({bytes.data(), size});
    block.check();
    unpack_all(block);
  } catch (const BadBlock&) {
  }
}

// The rows for someone who knows these words already: they fit, and none is left out.
void translate_all(const std::shared_ptr<const CacheFile>& cache, const CachedWords& words,
                   const std::shared_ptr<Vocabulary>& vocabulary) {
  require(words.misfit(*vocabulary).empty(), "its own words fit");
  ReadOptions options;
  options.once = true;
  options.vocabulary = vocabulary;
  TranslatedRows rows("cache", cache, words, options, make_feature_map());
  for (std::size_t k = 0; const BlockPtr block = rows.block(k); ++k) {
    require(block->rows() == cache->block(k).rows(), "all rows are translated");
  }
}

// The rows as their parts give them, to one who has all features and to a rank.
void read_parts(const std::shared_ptr<const CacheFile>& cache) {
  const Share share{cache->slices(), 0, (cache->slices() + 1) / 2, nullptr};
  for (const auto& features : {make_feature_map(), std::make_shared<FeatureMap>(share)}) {
    CachedSource rows("cache", cache, {}, features);
    for (std::size_t k = 0; k < cache->survey().blocks; ++k) {
      const BlockPtr block = rows.block(k);
      require(block->rows() == cache->block(k).rows(), "all rows have their parts");
      for (std::size_t i = 0; i < block->rows(); ++i) {
        const Row row = block->row(i);
        for (std::size_t j = 0; j < row.size; ++j) {
          require(std::isfinite(row.values[j]) && row.values[j] != 0, "values are values");
          const bool ascends =
              j == 0 || features->id(row.slots[j - 1]) < features->id(row.slots[j]);
          require(ascends, "indices ascend");
        }
      }
    }
  }
}

void read_file(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("cache", 0);
  require(::ftruncate(file, 0) == 0, "the file is emptied");
  require(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the file is written");
  try {
    const auto cache = std::make_shared<const CacheFile>("/proc/self/fd/" + std::to_string(file));
    for (std::size_t k = 0; k < cache->survey().blocks; ++k) unpack_all(cache->block(k));
    if (cache->slices() > 0) read_parts(cache);
    const CachedWords words(cache);
    const auto vocabulary = std::make_shared<Vocabulary>();
    words.restore(*vocabulary);
    vocabulary->find("a name");
    if (words.format() == Format::libsvm) return;
    translate_all(cache, words, vocabulary);
    words.check_asked({});
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_block(data, size);
  read_file(data, size);
  return 0;
}
