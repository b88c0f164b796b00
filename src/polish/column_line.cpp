#include "polish/column_line.hpp"

#include "loss/row_losses.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {

void ColumnLine::gather(const SingleColumn& column, const MergedRows& merged,
                        std::span<const double> margins, std::span<const double> weights) {
  for (auto* all : {&margins_, &targets_, &weights_, &values_}) all->clear();
  const auto add = [&](std::uint32_t place, double weight, double value) {
    margins_.push_back(margins[place]);
    targets_.push_back(merged.targets[place]);
    weights_.push_back(weight);
    values_.push_back(value);
  };
  if (!column.one_value) {
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      const std::uint32_t i = column.rows[k];
      add(merged.place[i], weights[i], column.values[k]);
    }
    return;
  }
  sums_.resize(margins.size());
  for (const std::uint32_t i : column.rows) sums_[merged.place[i]] += weights[i];
  for (const std::uint32_t i : column.rows) {
    const std::uint32_t place = merged.place[i];
    if (sums_[place] == 0) continue;  // it was added
    add(place, sums_[place], column.values.front());
    sums_[place] = 0;
  }
}

ColumnLine::Best ColumnLine::best(const LossFunction& loss, double ridge) const {
  constexpr int kSteps = 3;
  const std::size_t n = margins_.size();
  std::vector<double> there(n), slopes(n), curvatures(n);
  double moved = 0;
  double before = 0;
  double after = 0;
  for (int step = 0; step <= kSteps; ++step) {
    for (std::size_t k = 0; k < n; ++k) there[k] = margins_[k] + moved * values_[k];
    after = row_losses(loss, n, there.data(), targets_.data(), weights_.data(), slopes.data(),
                       curvatures.data()) +
            0.5 * ridge * moved * moved;
    if (step == 0) before = after;
    if (step == kSteps) break;
    const double slope =
        ridge * moved + sum_in_four(n, [&](std::size_t k) { return slopes[k] * values_[k]; });
    const double bend = ridge + sum_in_four(n, [&](std::size_t k) {
                          return curvatures[k] * values_[k] * values_[k];
                        });
    moved -= slope / bend;
  }
  return {moved, before - after};
}

double ColumnLine::errors_saved(double weight) const {
  double saved = 0;
  for (std::size_t k = 0; k < margins_.size(); ++k) {
    const double moved = margins_[k] + weight * values_[k];
    saved += weights_[k] * (is_missed(margins_[k], targets_[k]) - is_missed(moved, targets_[k]));
  }
  return saved;
}

}  // namespace thresh
