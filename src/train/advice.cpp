#include "train/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "data/names/vocabulary.hpp"
#include "train/shared_run.hpp"

namespace thresh {
namespace {

// Whether a feature makes up nearly all of the rows that have it beside others: then it is its
// scale that is wrong, and rows of unit length would be that feature alone. The first block will
// do.
bool outweighs(const RunContext& run, std::uint32_t slot) {
  constexpr double kFar = 10;
  if (run.problem.train->survey() == nullptr) return false;
  const BlockPtr block = run.setup.train->block(0);
  std::size_t rows = 0;
  std::size_t outweighed = 0;
  for (std::size_t i = 0; i < block->rows(); ++i) {
    const Row row = block->row(i);
    double own = 0;
    double others = 0;
    for (std::size_t k = 0; k < row.size; ++k) {
      (row.slots[k] == slot ? own : others) += std::fabs(row.values[k]);
    }
    if (own == 0 || others == 0) continue;
    ++rows;
    outweighed += own > kFar * others ? 1 : 0;
  }
  return 2 * outweighed > rows;
}

// Columns have units of their own: rows of unit length would mean nothing.
bool is_table(const RunContext& run) {
  return run.problem.vocabulary && run.problem.vocabulary->reading.has("numbers");
}

}  // namespace

std::string smaller_steps(const LoopInfo& info) {
  if (!info.halves_steps) return "";
  if (find_option(info, "gamma") != nullptr) return "a larger --gamma";
  return find_option(info, "alpha") != nullptr ? "a smaller --alpha" : "a smaller --eta";
}

void warn_of_scales(RunContext& run) {
  const bool penalised = run.entry.info.in_memory;
  const double far = penalised ? 1e3 : 1e5;
  constexpr std::size_t kRows = 100;
  if (!penalised && !run.entry.info.many_sizes) return;
  if (run.problem.scales || run.problem.train->survey() == nullptr) return;
  const BlockPtr block = run.setup.train->block(0);
  const std::size_t rows = std::min(block->rows(), kRows);
  std::unordered_map<std::uint32_t, std::pair<std::size_t, double>> met;  // how often, how large
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = block->row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      auto& [times, largest] = met[row.slots[k]];
      times += row.values[k] != 0 ? 1 : 0;
      largest = std::max(largest, std::fabs(row.values[k]));
    }
  }
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const auto& [slot, of] : met) {
    if (2 * of.first <= rows) continue;
    least = std::min(least, of.second);
    most = std::max(most, of.second);
  }
  least = lowest_on_all_ranks(least, *run.problem.features);
  most = -lowest_on_all_ranks(-most, *run.problem.features);
  if (!(most > far * least)) return;
  run.warn(
      fmt::format("some features' values are {:.1g} times as large as others': small ones may be "
                  "passed over (try --scale {})",
                  most / least, is_table(run) ? "standard" : "max"));
}

std::string advice(const RunContext& run, std::optional<std::uint32_t> slot) {
  // With slices, ranks have different features of a row.
  const bool one_feature = slot && slices_of(run.options) == 0 && outweighs(run, *slot);
  std::vector<std::string> ways;
  const bool texts = run.problem.vocabulary && run.problem.vocabulary->text;
  const bool again = run.problem.train->survey() != nullptr;  // rows come more than once
  const bool table = is_table(run);
  if (!run.problem.normalize_l2 && !one_feature && !table) {
    ways.emplace_back(texts ? "--norm l2" : "--normalize l2");
  }
  if (!run.problem.scales && again && (!slot || one_feature || table)) {
    ways.emplace_back(table && run.options.intercept ? "--scale standard" : "--scale max");
  }
  if (const std::string steps = smaller_steps(run.entry.info); !steps.empty())
    ways.push_back(steps);
  return ways.empty() ? "" : fmt::format(" (try {})", fmt::join(ways, " or "));
}

std::optional<std::uint64_t> line_of(const CachedSource& cache, std::uint64_t id) {
  std::size_t low = 0;
  std::size_t high = cache.survey()->blocks;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    std::size_t at = middle;  // a block whose rows were all bad does not know where it stands
    while (at < high && cache.packed(at).rows() == 0) ++at;
    if (at == high) {
      high = middle;
      continue;
    }
    const PackedBlock block = cache.packed(at);
    if (id < block.id(0)) {
      high = middle;
    } else if (id > block.id(block.rows() - 1)) {
      low = at + 1;
    } else {
      std::size_t row = 0;
      while (block.id(row) < id) ++row;  // the last one is not
      return block.id(row) == id ? std::optional(block.line(row)) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> line_of(const Window& window, const RowSource& source,
                                     std::uint64_t id) {
  if (const CachedSource* cache = source.packed_rows()) return line_of(*cache, id);
  for (const BlockPtr& block : window.blocks) {
    const auto found = std::find(block->ids.begin(), block->ids.end(), id);
    if (found == block->ids.end() || block->lines.empty()) continue;
    return block->lines[static_cast<std::size_t>(found - block->ids.begin())];
  }
  return std::nullopt;
}

}  // namespace thresh
