#include "solvers/l1/newton_model.hpp"

#include <algorithm>
#include <numeric>

#include "solvers/batch/pieces.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {
namespace {

constexpr std::uint32_t kFlat = ~std::uint32_t{0};

// A row of the model: the root of its curvature, and its number among rows that are not flat.
struct BendingRow {
  float root;
  std::uint32_t number;  // or kFlat
};

std::vector<BendingRow> bending_rows(const std::vector<double>& curvatures, double flat,
                                     std::size_t& count) {
  const double least = flat * *std::max_element(curvatures.begin(), curvatures.end());
  std::vector<BendingRow> rows(curvatures.size());
  count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool bends = curvatures[i] > 0 && curvatures[i] >= least;
    rows[i] = {static_cast<float>(std::sqrt(curvatures[i])),
               bends ? static_cast<std::uint32_t>(count++) : kFlat};
  }
  return rows;
}

}  // namespace

void NewtonModel::start(const L1Objective& objective, const L1Objective::Point& point,
                        std::span<const std::uint32_t> set, std::span<const double> weights,
                        std::span<const double> gradients, double lambda, double trust,
                        double flat) {
  weights_.assign(weights.begin(), weights.end());
  gradients_.assign(gradients.begin(), gradients.end());
  move_.assign(set.size(), 0);
  prices_.clear();
  longest_.clear();
  first_violation_ = 0;
  for (std::size_t k = 0; k < set.size(); ++k) {
    prices_.push_back(objective.price(set[k], lambda));
    longest_.push_back(trust / objective.largest(set[k]));
    first_violation_ += prices_[k].violation(weights_[k], gradients_[k]);
  }
  scale_columns(objective, point, set, flat);
}

void NewtonModel::scale_columns(const L1Objective& objective, const L1Objective::Point& point,
                                std::span<const std::uint32_t> set, double flat) {
  std::size_t bending = 0;
  const std::vector<BendingRow> rows = bending_rows(point.curvatures, flat, bending);
  shift_.assign(bending, 0);
  bend_.resize(set.size());
  rest_.resize(set.size());
  ends_.resize(set.size());
  starts_.clear();
  std::size_t room = 0;
  for (const std::uint32_t j : set) {
    starts_.push_back(room);
    room += objective.column(j).size;
  }
  make_room(at_, room);
  make_room(values_, room);
  const auto scale = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const SparseVector x = objective.column(set[k]);
      std::size_t to = starts_[k];
      double all = 0, kept = 0;
      for (std::size_t e = 0; e < x.size; ++e) {
        const BendingRow row = rows[x.at[e]];
        const double scaled = row.root * x.values[e];
        all += scaled * scaled;
        at_[to] = row.number;
        values_[to] = static_cast<float>(scaled);
        to += static_cast<std::size_t>(row.number != kFlat);  // no branch: half may be flat
      }
      for (std::size_t e = starts_[k]; e < to; ++e) kept += double{values_[e]} * values_[e];
      ends_[k] = to;
      // Never zero, because coordinate descent divides by it.
      constexpr double kLeast = 1e-10;
      const double norm = objective.norm(set[k]);
      const double more = objective.l2(set[k]) + kLeast * objective.usual_curvature() * norm * norm;
      rest_[k] = std::max(0.0, all - kept) + more;  // rounding below zero would make H non-convex
      bend_[k] = kept + rest_[k];
    }
  };
  in_pieces(set.size(), room, scale, fine_piece(set.size()));
  entries_ = 0;
  for (std::size_t k = 0; k < set.size(); ++k) entries_ += ends_[k] - starts_[k];
}

double NewtonModel::gradient(std::size_t k) const {
  const std::size_t begin = starts_[k];
  const double sum = sum_in_four(
      ends_[k] - begin, [&](std::size_t e) { return values_[begin + e] * shift_[at_[begin + e]]; });
  return gradients_[k] + sum + rest_[k] * move_[k];
}

double NewtonModel::clamp(std::size_t k, double weight) const {
  return std::clamp(weight, weights_[k] - longest_[k], weights_[k] + longest_[k]);
}

void NewtonModel::set_weight(std::size_t k, double weight) {
  const double by = weight - this->weight(k);
  move_[k] = weight - weights_[k];
  for (std::size_t e = starts_[k]; e < ends_[k]; ++e) shift_[at_[e]] += by * values_[e];
}

std::size_t NewtonModel::sweep(int times) {
  std::vector<std::uint32_t> active(weights_.size());
  std::iota(active.begin(), active.end(), 0U);
  for (int i = 0; i < times && !stopped(); ++i) {
    std::size_t still = 0;
    for (const std::uint32_t k : active) {
      const double before = weight(k);
      const double wanted = before - gradient(k) / bend_[k];
      const double after = clamp(k, prices_[k].shrink(wanted, bend_[k]));
      if (before == 0 && after == 0) continue;
      active[still++] = k;
      if (after != before) set_weight(k, after);
    }
    active.resize(still);
  }
  std::size_t changed = 0;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    changed += (weights_[k] != 0) != (weight(k) != 0) ? 1 : 0;
  }
  return changed;
}

double NewtonModel::violation() const {
  double sum = 0;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    sum += prices_[k].violation(weight(k), gradient(k));
  }
  return sum;
}

double NewtonModel::decrease() const {
  double sum = 0;
  for (const double s : shift_) sum += 0.5 * s * s;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    sum += gradients_[k] * move_[k] + 0.5 * rest_[k] * move_[k] * move_[k] +
           prices_[k].of(weight(k)) - prices_[k].of(weights_[k]);
  }
  return sum;
}

}  // namespace thresh
