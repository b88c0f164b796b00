#include "diagnose/exponents.hpp"

#include <algorithm>
#include <cmath>

#include "model/slot_weights.hpp"

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

template <class Number>
Absorbed absorbed(const Row& row, const SlotWeights* weights, double largest) {
  const auto weight = [&](std::size_t k) {
    return weights == nullptr ? 1 : weights->at(row.slots[k]);
  };
  const auto term = [&](std::size_t k) {
    return std::fabs(static_cast<Number>(weight(k)) * static_cast<Number>(row.values[k]));
  };
  Number top = 0;
  for (std::size_t k = 0; k < row.size; ++k) top = std::max(top, term(k));
  Absorbed found;
  for (std::size_t k = 0; k < row.size; ++k) {
    if (weight(k) == 0) continue;
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

BlockStats measure_block(const RowBlock& block, const std::vector<const SlotWeights*>& sums,
                         double largest) {
  BlockStats stats;
  for (const double value : block.all_values()) ++stats.exponents[std::ilogb(value)];
  for (std::size_t i = 0; i < block.rows(); ++i) {
    for (const SlotWeights* weights : sums) {
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
  std::vector<SlotWeights> parts;
  if (model != nullptr) parts = slot_weights(*model, features);
  std::vector<const SlotWeights*> sums;  // null: all weights are 1
  if (model == nullptr) sums.push_back(nullptr);
  for (const SlotWeights& part : parts) sums.push_back(&part);
  ValueStats all;
  Counts exponents;
  each_block(
      source, watch, [&](const RowBlock& block) { return measure_block(block, sums, largest); },
      [&](const RowBlock&, const BlockStats& stats) {
        for (const auto& [exponent, count] : stats.exponents) exponents[exponent] += count;
        all.in_double.add(stats.in_double);
        all.in_float.add(stats.in_float);
      });
  add(all.values, exponents);
  return all;
}

}  // namespace thresh
