// Any bytes into the reader. The first chooses the options, the second how the rest arrives.
//
// Whatever they are, the reader throws thresh::Error or gives rows that keep their promises, and
// the same ones however the stream is chopped. A slow twin reads the same rows and refuses the
// same.
#include <cmath>
#include <string>
#include <vector>

#include "data/libsvm_twin.hpp"
#include "data/read/cutter.hpp"
#include "data/read/libsvm.hpp"
#include "require.hpp"
#include "tools/memory_bytes.hpp"
#include "tools/random_rows.hpp"

namespace {

using namespace thresh;

ReadOptions options_from(std::uint8_t bits) {
  ReadOptions options;
  options.zero_based = (bits & 1) != 0;
  options.allow_unsorted = (bits & 2) != 0;
  options.skip_bad_rows = (bits & 4) != 0;
  options.normalize_l2 = (bits & 8) != 0;
  options.dim = (bits & 16) != 0 ? 100 : 0;
  return options;
}

struct Outcome {
  std::vector<std::shared_ptr<RowBlock>> blocks;
  std::string error;
};

// A small identity limit, so that most rows use both ways to a slot.
Outcome read(std::string_view text, const ReadOptions& options, FeatureMap& map,
             MemoryBytes::Piece piece) {
  const std::shared_ptr<FeatureMap> features(&map, [](FeatureMap*) {});
  Outcome outcome;
  BlockCutter cutter(std::make_unique<MemoryBytes>(text, std::move(piece)), "data");
  const LibsvmParser parser("data", options, features);
  try {
    for (TextBlock block; cutter.next(block);) outcome.blocks.push_back(parser.parse(block));
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

void check_row(const Row& row, const FeatureMap& features, const ReadOptions& options) {
  require(std::isfinite(row.label), "labels are finite");
  double squares = 0;
  for (std::size_t i = 0; i < row.size; ++i) {
    require(std::isfinite(row.values[i]) && row.values[i] != 0, "values are finite and not zero");
    const std::uint64_t id = features.id(row.slots[i]);
    require(id < FeatureMap::kMaxIndex, "indices are below 2^40");
    require(options.dim == 0 || id < options.dim, "indices are below the dimension");
    require(i == 0 || features.id(row.slots[i - 1]) < id, "indices ascend");
    squares += row.values[i] * row.values[i];
  }
  require(!options.normalize_l2 || row.size == 0 || std::fabs(squares - 1) < 1e-12, "unit length");
}

void check_block(const RowBlock& block, const FeatureMap& features, const ReadOptions& options) {
  require(block.starts.size() == block.rows() + 1 && block.ids.size() == block.rows() &&
              block.starts.back() == block.slots.size() &&
              block.values.size() == block.slots.size(),
          "arrays fit together");
  require(block.bad_rows == 0 || options.skip_bad_rows, "bad rows are left out only if asked to");
  for (std::size_t i = 0; i < block.rows(); ++i) {
    require(i == 0 || block.ids[i - 1] < block.ids[i], "row numbers ascend");
    const Row row = block.row(i);
    check_row(row, features, options);
    for (std::size_t k = 0; k < row.size; ++k) require(row.slots[k] < block.slot_end, "slot_end");
  }
}

using libsvm_twin::TwinRow;

void require_row(const Row& row, const TwinRow& twin, const FeatureMap& features, bool normalized) {
  require(row.label == twin.label, "the twin's label");
  if (normalized) return;  // the twin rounds differently
  const auto entries = libsvm_twin::expected_entries(twin, false);
  require(row.size == entries.size(), "as many entries as the twin's");
  for (std::size_t i = 0; i < row.size; ++i) {
    require(std::pair(features.id(row.slots[i]), row.values[i]) == entries[i],
            "the twin's entries");
  }
}

void require_twin(const Outcome& got, std::string_view text, const ReadOptions& options,
                  const FeatureMap& features) {
  std::vector<TwinRow> twins = libsvm_twin::twin_rows(std::string(text), options);
  const auto is_bad = [](const TwinRow& row) { return row.bad; };
  const auto bad = std::find_if(twins.begin(), twins.end(), is_bad);
  if (!options.skip_bad_rows && bad != twins.end()) {
    require(got.error.starts_with("data:" + std::to_string(bad->line) + ": "), "the twin's error");
    return;
  }
  require(got.error.empty(), "no error, as the twin");
  std::erase_if(twins, is_bad);
  std::size_t at = 0;
  for (const auto& block : got.blocks) {
    for (std::size_t i = 0; i < block->rows(); ++i) {
      require(at < twins.size(), "no more rows than the twin's");
      require_row(block->row(i), twins[at++], features, options.normalize_l2);
    }
  }
  require(at == twins.size(), "all rows of the twin");
}

void require_same(const Outcome& a, const Outcome& b) {
  require(a.error == b.error, "the same error");
  require(a.blocks.size() == b.blocks.size(), "the same number of blocks");
  for (std::size_t k = 0; k < a.blocks.size(); ++k) {
    require(same_block(*a.blocks[k], *b.blocks[k]), "the same blocks");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const ReadOptions options = options_from(data[0]);
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  FeatureMap features(0, 32);
  const Outcome whole = read(text, options, features, nullptr);
  for (const auto& block : whole.blocks) check_block(*block, features, options);
  require_twin(whole, text, options, features);

  FeatureMap again(0, 32);
  Random random(data[1]);
  const auto piece = [&] { return 1 + random.below(1 + data[1]); };
  require_same(whole, read(text, options, again, piece));
  return 0;
}
