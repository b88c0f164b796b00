#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/sources.hpp"

namespace thresh {
namespace {

class MemorySource : public RowSource {
 public:
  explicit MemorySource(std::vector<BlockPtr> blocks) : blocks_(std::move(blocks)) {
    survey_.blocks = blocks_.size();
    for (const BlockPtr& block : blocks_) {
      survey_.rows += block->rows();
      count_block(*block, survey_);
    }
  }
  BlockPtr block(std::size_t k) override { return k < blocks_.size() ? blocks_[k] : nullptr; }
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return "rows in memory"; }

 private:
  std::vector<BlockPtr> blocks_;
  Survey survey_;
};

struct Csr {
  std::span<const std::size_t> starts;
  std::span<const std::uint64_t> indices;
  std::span<const double> values;
  std::span<const double> labels;
};

void check_entry(const Csr& csr, std::size_t row, std::size_t i) {
  if (!std::isfinite(csr.values[i])) {
    throw Error(fmt::format("row {}: value of feature {} is not finite", row, csr.indices[i]));
  }
  if (csr.indices[i] >= FeatureMap::kMaxIndex) {
    throw Error(fmt::format("row {}: feature index {} is above 2^40", row, csr.indices[i]));
  }
  if (i > csr.starts[row] && csr.indices[i] <= csr.indices[i - 1]) {
    throw Error(fmt::format("row {}: feature indices are not ascending", row));
  }
}

void append_row(const Csr& csr, std::size_t row, FeatureMap& features, RowBlock& block) {
  if (!std::isfinite(csr.labels[row])) throw Error(fmt::format("row {}: label is not finite", row));
  for (std::size_t i = csr.starts[row]; i < csr.starts[row + 1]; ++i) {
    check_entry(csr, row, i);
    block.dimension = std::max(block.dimension, csr.indices[i] + 1);
    if (csr.values[i] == 0) continue;
    const std::uint32_t slot = features.slot(csr.indices[i]);
    if (slot == FeatureMap::kUnknown) continue;
    block.slots.push_back(slot);
    block.values.push_back(csr.values[i]);
    block.slot_end = std::max(block.slot_end, std::uint64_t{slot} + 1);
  }
  block.starts.push_back(block.slots.size());
  block.labels.push_back(csr.labels[row]);
  block.ids.push_back(row);
}

void check_shape(const Csr& csr) {
  const bool ok = csr.starts.size() == csr.labels.size() + 1 && csr.starts.front() == 0 &&
                  csr.starts.back() == csr.indices.size() &&
                  csr.indices.size() == csr.values.size() &&
                  std::is_sorted(csr.starts.begin(), csr.starts.end());
  if (!ok) throw UsageError("the arrays of a CSR matrix do not fit together");
}

}  // namespace

std::shared_ptr<RowSource> memory_rows(std::span<const std::size_t> starts,
                                       std::span<const std::uint64_t> indices,
                                       std::span<const double> values,
                                       std::span<const double> labels,
                                       const std::shared_ptr<FeatureMap>& features) {
  const Csr csr{starts, indices, values, labels};
  if (starts.empty()) throw UsageError("the arrays of a CSR matrix do not fit together");
  check_shape(csr);
  std::vector<BlockPtr> blocks;
  for (std::size_t row = 0; row < labels.size();) {
    auto block = std::make_shared<RowBlock>();
    // The same cut as for text, see cutter.hpp, so that memory and file give the same order.
    const std::size_t first = starts[row];
    while (row < labels.size() && block->rows() < kBlockRows && starts[row] - first < kBlockEntries)
      append_row(csr, row++, *features, *block);
    blocks.push_back(std::move(block));
  }
  return std::make_shared<MemorySource>(std::move(blocks));
}

}  // namespace thresh
