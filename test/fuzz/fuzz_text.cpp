// Any bytes as lines LABEL<TAB>TEXT. The first byte chooses how terms are made.
//
// A reader throws thresh::Error, or gives sorted rows with finite values, and the same rows to a
// second reader.
#include <cmath>

#include "data/names/vocabulary.hpp"
#include "data/open/open_texts.hpp"
#include "memory_file.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"

namespace {

using namespace thresh;

struct Outcome {
  std::vector<std::uint32_t> slots;
  std::vector<double> values;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

Outcome read(const std::string& path, std::uint8_t bits) {
  Outcome outcome;
  ReadOptions options;
  options.format = Format::text;
  options.skip_bad_rows = (bits & 1) != 0;
  options.hash_bits = (bits & 2) != 0 ? 4 : 0;
  options.text.longest = (bits & 4) != 0 ? 2 : 1;
  try {
    const auto rows = open_texts(path, options, std::make_shared<FeatureMap>());
    for (std::size_t k = 0; k < rows->survey()->blocks; ++k) {
      const BlockPtr block = rows->block(k);
      for (std::size_t i = 0; i < block->rows(); ++i) {
        const Row row = block->row(i);
        for (std::size_t j = 0; j < row.size; ++j) {
          require(std::isfinite(row.values[j]), "values are finite");
          outcome.slots.push_back(row.slots[j]);
          outcome.values.push_back(row.values[j]);
        }
      }
    }
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const ThreadLimit one(1);
  const MemoryFile file(data + 1, size - 1);
  require(read(file.path(), data[0]) == read(file.path(), data[0]), "the same rows again");
  return 0;
}
