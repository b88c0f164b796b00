// Scales the features of a table and moves them near zero, for solvers that need this.
//
// The columns of a table have their own units: years, amounts, shares. Data count as a table if
// most values belong to features that a quarter of the rows have. Words and other sparse data do
// not, and stay unscaled. Everything is measured on a few blocks, spread over the file. Means leave
// out the largest hundredth (at least one). So neither sorted rows nor a few outliers do harm.
//
// - A feature far from zero is centred: one whose mean c over all rows is beyond 2.5 times the mean
//   of |x - c|, which for normal values is two standard deviations. Otherwise it would be little
//   more than a second intercept, and steps would follow that alone.
// - A feature is divided by sqrt(p s^2 + (1 - p)). p is the share of rows that have it, 1 if it is
//   centred. s is the mean size of its values there, in units of the median of all features. So
//   features of all rows get one scale, and rare ones stay on the scale of their encoding.
//
// Cost: the values of 16 blocks, counted; those of a table are sorted.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/slice_sums.hpp"
#include "data/feed/feature_scales.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {
namespace {

using Values = std::vector<double>;

struct Entry {
  std::uint32_t slot;
  double value;
};

// Rows from all parts of a source, as entries.
struct Sample {
  std::vector<BlockPtr> parts;
  std::vector<Entry> entries;  // once collected
  std::size_t size = 0;        // all of them
  std::size_t rows = 0;
  std::size_t slot_end = 0;

  explicit Sample(RowSource& source) {
    constexpr std::size_t kBlocks = 16;
    const std::size_t blocks = source.survey()->blocks;
    const std::size_t some = std::min(blocks, kBlocks);
    for (std::size_t i = 0; i < some; ++i) {
      parts.push_back(source.block(i * blocks / some));
      rows += parts.back()->rows();
      slot_end = std::max<std::size_t>(slot_end, parts.back()->slot_end);
      size += parts.back()->all_slots().size();
    }
  }

  // Text has millions of entries, which are not to be collected. Ranks count their own ones.
  bool is_of_table(const FeatureMap* features = nullptr) const {
    ZeroedArray<std::uint32_t> counts;
    counts.ensure(slot_end);
    for (const BlockPtr& block : parts) {
      for (const std::uint32_t slot : block->all_slots()) ++counts[slot];
    }
    std::size_t of_common = 0;
    for (const BlockPtr& block : parts) {
      for (const std::uint32_t slot : block->all_slots()) {
        of_common += 4 * std::size_t{counts[slot]} >= rows ? 1 : 0;
      }
    }
    std::array<std::uint64_t, 2> all = {of_common, size};
    if (features != nullptr) add_up_on_all_ranks(*features, all);
    return 2 * all[0] > all[1];
  }

  // All entries, by slot.
  void collect() {
    entries.reserve(size);
    for (const BlockPtr& block : parts) {
      const auto slots = block->all_slots();
      const auto values = block->all_values();
      for (std::size_t e = 0; e < slots.size(); ++e) entries.push_back({slots[e], values[e]});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.slot < b.slot; });
  }
  // Once it is sorted: calls `take` with each feature's slot and values.
  template <class Take>
  void for_each_feature(const Take& take) const {
    Values values;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      values.push_back(entries[e].value);
      if (e + 1 < entries.size() && entries[e + 1].slot == entries[e].slot) continue;
      take(entries[e].slot, values);
      values.clear();
    }
  }
};

double median(Values values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The mean without the largest hundredth (at least one value), so that a few outliers do not
// determine it.
double mean_of_usual(Values& values) {
  const auto by_size = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  const std::size_t usual = std::max<std::size_t>(1, values.size() - (values.size() + 99) / 100);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(usual - 1),
                   values.end(), by_size);
  double mean = 0;
  for (std::size_t i = 0; i < usual; ++i) mean += values[i] / static_cast<double>(usual);
  return mean;
}

// The same for the distances from the centre.
double usual_size(Values values, double centre) {
  for (double& value : values) value = std::fabs(value - centre);
  return mean_of_usual(values);
}

struct Measured {
  std::uint32_t slot;
  double share;  // of the rows that have it
  double size;   // of its values; 0 if it is centred and constant
  double centre;
};

Measured measure(std::uint32_t slot, Values values, std::size_t rows, bool may_be_centred) {
  const double share = static_cast<double>(values.size()) / static_cast<double>(rows);
  if (may_be_centred && share > 0.5) {
    Values all = values;
    all.resize(rows);
    const double centre = mean_of_usual(all);
    const double size = usual_size(all, centre);
    // Sums of equal values are rounded. Then the centre is that value and nothing remains.
    if (size <= 1e-9 * std::fabs(centre)) return {slot, 1, 0, values.front()};
    if (std::fabs(centre) > 2.5 * size) return {slot, 1, size, centre};
  }
  return {slot, share, usual_size(std::move(values), 0), 0};
}

// The median size of the features that vary.
std::optional<double> median_size(const std::vector<Measured>& features) {
  Values sizes;
  for (const Measured& each : features) {
    if (each.size > 0) sizes.push_back(each.size);
  }
  if (sizes.empty()) return std::nullopt;
  return median(std::move(sizes));
}

double scale_of(const Measured& feature, double unit) {
  // Limits divisors, because otherwise weights might leave the range of doubles.
  constexpr double kFarthest = 1e30;
  // Nothing remains of a constant feature to scale, except in rows outside the sample.
  const double own = feature.size > 0 ? feature.size : std::fabs(feature.centre);
  const double size = std::clamp(own / unit, 1 / kFarthest, kFarthest);
  return std::sqrt(feature.share * size * size + (1 - feature.share));
}

}  // namespace

bool looks_like_table(RowSource& source, const FeatureMap& features) {
  return Sample(source).is_of_table(&features);
}

std::shared_ptr<const FeatureScales> table_scales(RowSource& source, std::uint64_t centred_end) {
  Sample sample(source);
  if (sample.size == 0 || !sample.is_of_table()) return nullptr;
  sample.collect();
  std::vector<Measured> measured;
  sample.for_each_feature([&](std::uint32_t slot, const Values& values) {
    measured.push_back(measure(slot, values, sample.rows, slot < centred_end));
  });
  const std::optional<double> unit = median_size(measured);
  if (!unit) return nullptr;
  ZeroedArray<double> scales;
  scales.ensure(std::size_t{measured.back().slot} + 1);
  std::vector<FeatureScales::Centre> centres;
  for (const Measured& each : measured) {
    scales[each.slot] = scale_of(each, *unit);
    if (each.centre != 0) centres.push_back({each.slot, each.centre});
  }
  return std::make_shared<const FeatureScales>(FeatureScale::automatic, std::move(scales),
                                               std::move(centres));
}

}  // namespace thresh
