#include "diagnose/exponents.hpp"

#include <algorithm>
#include <cmath>

#include "sparse/feature_map.hpp"
#include "sparse/zeroed_array.hpp"

namespace thresh {
namespace {

constexpr int kWindow = 51;

using Counts = std::map<int, std::uint64_t>;

// Adds numbers that belong to one sum.
void add(Exponents& all, const Counts& counts) {
  for (const auto& [exponent, count] : counts) {
    all.counts[exponent] += count;
    all.total += count;
    if (exponent >= counts.rbegin()->first - kWindow) all.within += count;
  }
}

// The weights of one sum by slot, or 1 for all slots.
class Weights {
 public:
  Weights() = default;
  Weights(const std::vector<Coefficient>& coefficients, bool zero_based, FeatureMap& features)
      : given_(true) {
    for (const Coefficient& c : coefficients) {
      const std::uint32_t slot = features.slot(c.index - (zero_based ? 0 : 1));
      by_slot_.ensure(std::size_t{slot} + 1);
      by_slot_[slot] = c.weight;
    }
  }
  double operator[](std::uint32_t slot) const {
    return !given_ ? 1 : slot < by_slot_.size() ? by_slot_[slot] : 0;
  }

 private:
  bool given_ = false;
  ZeroedArray<double> by_slot_;
};

template <class Number>
Absorbed absorbed(const Row& row, const Weights& weights, double largest) {
  const auto term = [&](std::size_t k) {
    return std::fabs(static_cast<Number>(weights[row.slots[k]]) *
                     static_cast<Number>(row.values[k]));
  };
  Number top = 0;
  for (std::size_t k = 0; k < row.size; ++k) top = std::max(top, term(k));
  Absorbed found;
  for (std::size_t k = 0; k < row.size; ++k) {
    if (weights[row.slots[k]] == 0) continue;
    const double mass = std::fabs(row.values[k]) / largest;
    ++found.terms;
    found.mass += mass;
    const Number t = term(k);
    const bool lost = t == 0 || (t < top && top + t == top);
    found.lost += lost;
    found.beyond += !std::isfinite(t);
    if (lost) found.lost_mass += mass;
  }
  return found;
}

struct BlockStats {
  Counts exponents;
  Absorbed in_double, in_float;
};

BlockStats measure_block(const RowBlock& block, const std::vector<Weights>& parts, double largest) {
  BlockStats stats;
  for (const double value : block.values) ++stats.exponents[std::ilogb(value)];
  for (std::size_t i = 0; i < block.rows(); ++i) {
    for (const Weights& weights : parts) {
      stats.in_double.add(absorbed<double>(block.row(i), weights, largest));
      stats.in_float.add(absorbed<float>(block.row(i), weights, largest));
    }
  }
  return stats;
}

}  // namespace

double Exponents::mean() const {
  double sum = 0;
  for (const auto& [exponent, count] : counts) sum += exponent * static_cast<double>(count);
  return total == 0 ? 0 : sum / static_cast<double>(total);
}

double Exponents::deviation() const {
  const double center = mean();
  double sum = 0;
  for (const auto& [exponent, count] : counts) {
    sum += (exponent - center) * (exponent - center) * static_cast<double>(count);
  }
  return total == 0 ? 0 : std::sqrt(sum / static_cast<double>(total));
}

void Absorbed::add(const Absorbed& other) {
  terms += other.terms;
  mass += other.mass;
  lost += other.lost;
  lost_mass += other.lost_mass;
  beyond += other.beyond;
}

Exponents exponents_of(const Model& model) {
  Exponents all;
  const auto add_part = [&](const std::vector<Coefficient>& coefficients) {
    Counts counts;
    for (const Coefficient& c : coefficients) ++counts[std::ilogb(c.weight)];
    add(all, counts);
  };
  add_part(model.coefficients);
  for (const ClassPart& part : model.classes) add_part(part.coefficients);
  return all;
}

ValueStats measure_values(RowSource& source, const Model* model, FeatureMap& features,
                          double largest, const Watch& watch) {
  std::vector<Weights> parts;
  if (model == nullptr) parts.emplace_back();
  if (model != nullptr && model->classes.empty()) {
    parts.emplace_back(model->coefficients, model->zero_based, features);
  }
  for (std::size_t i = 0; model != nullptr && i < model->classes.size(); ++i) {
    parts.emplace_back(model->classes[i].coefficients, model->zero_based, features);
  }
  ValueStats all;
  Counts exponents;
  each_block(
      source, watch, [&](const RowBlock& block) { return measure_block(block, parts, largest); },
      [&](const RowBlock&, const BlockStats& stats) {
        for (const auto& [exponent, count] : stats.exponents) exponents[exponent] += count;
        all.in_double.add(stats.in_double);
        all.in_float.add(stats.in_float);
      });
  add(all.values, exponents);
  return all;
}

}  // namespace thresh
