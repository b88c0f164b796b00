#include "data/feed/feature_scales.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sparse/parallel.hpp"

namespace thresh {
namespace {

constexpr std::array kScales = {"auto", "none", "max", "rms",
                                "standard"};  // as FeatureScale counts

// The largest magnitude, and the sum of squares divided by its square, which cannot overflow.
struct Size {
  double largest;
  double squares;

  void add(double value) {
    const double size = std::fabs(value);
    if (size > largest) {
      const double share = largest / size;
      squares = 1 + squares * share * share;
      largest = size;
    } else {
      squares += (size / largest) * (size / largest);
    }
  }
};

// Mean and sum of squared deviations of a feature's values, by Welford's method.
struct Moments {
  std::uint64_t n;
  double mean;
  double squares;

  void add(double value) {
    const double from = value - mean;
    mean += from / static_cast<double>(++n);
    squares += from * (value - mean);
  }
  // The same with the zeros of the rows that lack the feature.
  Moments over(std::uint64_t rows) const {
    const auto all = static_cast<double>(rows);
    const double share = static_cast<double>(n) / all;
    return {rows, mean * share, squares + mean * mean * share * (all - static_cast<double>(n))};
  }
};

class ScaledSource : public RowSource {
 public:
  ScaledSource(std::shared_ptr<RowSource> source, std::shared_ptr<const FeatureScales> scales)
      : source_(std::move(source)), scales_(std::move(scales)) {}

  BlockPtr block(std::size_t k) override {
    const BlockPtr plain = source_->block(k);
    if (!plain) return nullptr;
    auto scaled = std::make_shared<RowBlock>(*plain);
    scaled->slots.clear();
    scaled->values.clear();
    scaled->lent_slots = nullptr;
    scaled->lent_values = nullptr;
    for (std::size_t i = 0; i < plain->rows(); ++i) {
      add_row(plain->row(i), *scaled);
      scaled->starts[i + 1] = scaled->values.size();
    }
    const auto& centres = scales_->centres();
    if (!centres.empty()) {
      scaled->slot_end = std::max<std::uint64_t>(scaled->slot_end, centres.back().slot + 1ULL);
    }
    return scaled;
  }
  const Survey* survey() const override { return source_->survey(); }
  std::string name() const override { return source_->name(); }

 private:
  // Merges the row's features and the centred ones by slot.
  void add_row(const Row& row, RowBlock& to) const {
    auto centre = scales_->centres().begin();
    const auto end = scales_->centres().end();
    for (std::size_t e = 0; e < row.size; ++e) {
      for (; centre != end && centre->slot < row.slots[e]; ++centre) {
        add(centre->slot, -centre->value, to);
      }
      const bool centred = centre != end && centre->slot == row.slots[e];
      add(row.slots[e], centred ? row.values[e] - centre->value : row.values[e], to);
      if (centred) ++centre;
    }
    for (; centre != end; ++centre) add(centre->slot, -centre->value, to);
  }

  void add(std::uint32_t slot, double value, RowBlock& to) const {
    const double scaled = value / scales_->at(slot);
    // A value may underflow beside a far larger one of its feature, and rows have no zeros.
    if (scaled == 0) return;
    to.slots.push_back(slot);
    to.values.push_back(scaled);
  }

  std::shared_ptr<RowSource> source_;
  std::shared_ptr<const FeatureScales> scales_;
};

}  // namespace

const char* name_of(FeatureScale scale) {
  return kScales.at(static_cast<std::size_t>(scale));
}

std::optional<FeatureScale> scale_named(std::string_view name) {
  const auto found = std::find(kScales.begin(), kScales.end(), name);
  if (found == kScales.end()) return std::nullopt;
  return static_cast<FeatureScale>(found - kScales.begin());
}

FeatureScales::FeatureScales(FeatureScale kind, RowSource& source,
                             const std::function<void()>& told, std::uint64_t centred_end)
    : kind_(kind) {
  if (kind == FeatureScale::standard) {
    standardise(source, told, centred_end);
    return;
  }
  ZeroedArray<Size> sizes;
  // Processed in the order of the rows, so that sums do not depend on the number of cores.
  parallel_in_order(
      source.survey()->blocks, [&](std::size_t k) { return source.block(k); },
      [&](std::size_t, const BlockPtr& block) {
        sizes.ensure(block->slot_end);
        const auto slots = block->all_slots();
        const auto values = block->all_values();
        for (std::size_t e = 0; e < values.size(); ++e) sizes[slots[e]].add(values[e]);
        if (told) told();
      });
  const auto rows = static_cast<double>(source.survey()->rows);
  by_slot_.ensure(sizes.size());
  for (std::size_t slot = 0; slot < sizes.size(); ++slot) {
    const Size size = std::as_const(sizes)[slot];
    if (size.largest == 0) continue;  // its page stays untouched
    by_slot_[slot] = kind == FeatureScale::max
                         ? size.largest
                         : std::max(size.largest * std::sqrt(size.squares / rows),
                                    std::numeric_limits<double>::denorm_min());
  }
}

void FeatureScales::standardise(RowSource& source, const std::function<void()>& told,
                                std::uint64_t centred_end) {
  ZeroedArray<Moments> moments;
  parallel_in_order(
      source.survey()->blocks, [&](std::size_t k) { return source.block(k); },
      [&](std::size_t, const BlockPtr& block) {
        moments.ensure(block->slot_end);
        const auto slots = block->all_slots();
        const auto values = block->all_values();
        for (std::size_t e = 0; e < values.size(); ++e) moments[slots[e]].add(values[e]);
        if (told) told();
      });
  const std::uint64_t rows = source.survey()->rows;
  by_slot_.ensure(moments.size());
  for (std::size_t slot = 0; slot < moments.size(); ++slot) {
    const Moments own = std::as_const(moments)[slot];
    if (own.n == 0) continue;
    const Moments all = own.over(rows);
    const double deviation = std::sqrt(all.squares / static_cast<double>(rows));
    // Of a constant feature only rounding is left.
    if (!(deviation > 1e-12 * std::fabs(all.mean))) continue;
    by_slot_[slot] = deviation;
    if (2 * own.n > rows && slot < centred_end && all.mean != 0) {
      centres_.push_back({static_cast<std::uint32_t>(slot), all.mean});
    }
  }
}

std::shared_ptr<RowSource> scaled_rows(std::shared_ptr<RowSource> source,
                                       std::shared_ptr<const FeatureScales> scales) {
  return std::make_shared<ScaledSource>(std::move(source), std::move(scales));
}

}  // namespace thresh
