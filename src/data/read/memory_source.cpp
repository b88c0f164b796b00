#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/memory_rows.hpp"
#include "data/read/row_scale.hpp"
#include "data/read/sources.hpp"

namespace thresh {
namespace {

using Blocks = std::vector<std::shared_ptr<RowBlock>>;

class MemorySource : public RowSource {
 public:
  MemorySource(const Blocks& blocks, bool weighted) : blocks_(blocks.begin(), blocks.end()) {
    survey_.blocks = blocks_.size();
    survey_.weighted = weighted;
    for (const BlockPtr& block : blocks_) {
      survey_.rows += block->rows();
      count_block(*block, survey_);
    }
  }
  BlockPtr block(std::size_t k) override { return k < blocks_.size() ? blocks_[k] : nullptr; }
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return "rows in memory"; }
  bool rereads_fast() const override { return true; }

 private:
  std::vector<BlockPtr> blocks_;
  Survey survey_;
};

void check_entry(const MemoryRows& rows, std::uint64_t first, std::size_t row, std::size_t i) {
  const std::uint64_t index = rows.indices[i];
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("row {}: {}", row, why));
  };
  if (!std::isfinite(rows.values[i])) {
    refuse(fmt::format("value of feature {} is not finite", index));
  }
  if (index < first) refuse("feature index 0, but indices start at 1 (see zero_based)");
  if (index - first >= FeatureMap::kMaxIndex) {
    refuse(fmt::format("feature index {} is above 2^40", index));
  }
  if (i == rows.starts[row]) return;
  const std::uint64_t before = rows.indices[i - 1];
  if (index == before) refuse(fmt::format("feature index {} twice", index));
  if (index < before) {
    refuse(fmt::format("feature index {} after {}: indices must ascend", index, before));
  }
}

void append_row(const MemoryRows& rows, const RowNumbering& numbering, std::size_t row,
                FeatureMap& features, RowBlock& block) {
  const std::size_t begin = rows.starts[row];
  const std::size_t end = rows.starts[row + 1];
  if (!std::isfinite(rows.labels[row])) {
    throw UsageError(fmt::format("row {}: label is not finite", row));
  }
  for (std::size_t i = begin; i < end; ++i) check_entry(rows, numbering.first_index, row, i);
  std::vector<double> values(rows.values.begin() + static_cast<std::ptrdiff_t>(begin),
                             rows.values.begin() + static_cast<std::ptrdiff_t>(end));
  if (numbering.normalize_l2) normalize_l2(values.data(), values.size());
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint64_t id = rows.indices[i] - numbering.first_index;
    block.dimension = std::max(block.dimension, id + 1);
    if (values[i - begin] == 0) continue;
    const std::uint32_t slot = features.slot(id);
    if (slot == FeatureMap::kUnknown) continue;
    block.slots.push_back(slot);
    block.values.push_back(values[i - begin]);
    block.slot_end = std::max(block.slot_end, std::uint64_t{slot} + 1);
  }
  block.starts.push_back(block.slots.size());
  block.labels.push_back(rows.labels[row]);
  block.ids.push_back(row);
  if (!rows.weights.empty()) block.weights.push_back(rows.weights[row]);
}

void check_shape(const MemoryRows& rows) {
  const std::size_t n = rows.starts.empty() ? 0 : rows.starts.size() - 1;
  if (rows.starts.empty() || rows.starts.front() != 0) {
    throw UsageError("rows in memory: starts must begin with 0");
  }
  if (rows.labels.size() != n) {
    throw UsageError(
        fmt::format("rows in memory: {} labels for {} rows (starts has one more entry "
                    "than there are rows)",
                    rows.labels.size(), n));
  }
  if (rows.indices.size() != rows.values.size()) {
    throw UsageError(fmt::format("rows in memory: {} values for {} indices", rows.values.size(),
                                 rows.indices.size()));
  }
  if (!std::is_sorted(rows.starts.begin(), rows.starts.end())) {
    throw UsageError("rows in memory: starts must not fall");
  }
  if (rows.starts.back() != rows.indices.size()) {
    throw UsageError(fmt::format("rows in memory: starts ends with {}, but there are {} indices",
                                 rows.starts.back(), rows.indices.size()));
  }
  if (!rows.weights.empty() && rows.weights.size() != n) {
    throw UsageError(fmt::format("rows in memory: {} weights for {} rows", rows.weights.size(), n));
  }
}

// Makes weights relative to the mean of those above zero, as solvers expect; see RowWeights.
void scale_weights(const MemoryRows& rows, Blocks& blocks) {
  MeanWeight weights;
  for (std::size_t row = 0; row < rows.weights.size(); ++row) {
    if (std::isfinite(rows.weights[row]) && rows.weights[row] >= 0) continue;
    throw UsageError(fmt::format("row {}: weight is not a finite number >= 0", row));
  }
  for (const auto& block : blocks) weights.add(*block);
  const double mean = weights.mean();
  if (weights.counting_rows == 0 || !std::isnormal(mean)) {
    throw UsageError(
        fmt::format("rows in memory: {}", weights.counting_rows == 0
                                              ? "no weight is above zero"
                                              : "the weights are too far from 1 to be compared"));
  }
  for (const auto& block : blocks) {
    for (double& weight : block->weights) weight /= mean;
  }
}

}  // namespace

std::shared_ptr<RowSource> memory_rows(const MemoryRows& rows, const RowNumbering& numbering,
                                       const std::shared_ptr<FeatureMap>& features) {
  check_shape(rows);
  Blocks blocks;
  for (std::size_t row = 0; row < rows.labels.size();) {
    auto block = std::make_shared<RowBlock>();
    // Cuts as for text, see cutter.hpp, so that memory and file give the same order.
    const std::size_t first = rows.starts[row];
    while (row < rows.labels.size() && block->rows() < kBlockRows &&
           rows.starts[row] - first < kBlockEntries) {
      append_row(rows, numbering, row++, *features, *block);
    }
    blocks.push_back(std::move(block));
  }
  const bool weighted = !rows.weights.empty();
  if (weighted) scale_weights(rows, blocks);
  return std::make_shared<MemorySource>(blocks, weighted);
}

}  // namespace thresh
