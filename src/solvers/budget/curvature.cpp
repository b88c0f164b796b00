#include "solvers/budget/curvature.hpp"

#include <algorithm>

#include "sparse/add_scaled.hpp"

namespace thresh {
Curvature::Curvature(std::vector<std::uint32_t> candidates, double unit, bool learns_intercept)
    : support_(std::move(candidates)),
      unit_(unit),
      learns_intercept_(learns_intercept),
      side_(support_.size() + 2),
      matrix_(side_ * side_),
      dense_(support_.size()) {}

void Curvature::clear() {
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
}

void Curvature::add(const Row& row, double margin, double slope, double curvature) {
  const std::size_t intercept = support_.size();
  const std::size_t target = intercept + 1;
  const double response = curvature * margin - slope;
  met_.clear();
  for (std::size_t i = 0; i < row.size; ++i) {
    const std::uint32_t place = support_.place(row.slots[i]);
    if (place != Support::kNone) met_.push_back({place, row.values[i] * unit_});
  }
  // Where most are met, adding whole rows of the matrix beats finding the places one by one.
  const bool dense = met_.size() > support_.size() / 4;
  if (dense) {
    for (const Met& met : met_) dense_[met.place] = met.value;
  }
  for (const Met& met : met_) {
    const double scaled = curvature * met.value;
    double* line = &at(met.place, 0);
    if (dense) {
      add_scaled(line, scaled, dense_.data(), met.place + std::size_t{1});
    } else {
      for (const Met& other : met_) line[other.place] += scaled * other.value;
    }
    at(intercept, met.place) += scaled;
    at(target, met.place) += response * met.value;
  }
  at(intercept, intercept) += curvature;
  at(target, intercept) += response;
  if (dense) {
    for (const Met& met : met_) dense_[met.place] = 0;
  }
}

std::vector<double> Curvature::system(double scale) const {
  std::vector<double> scaled(matrix_);
  for (double& value : scaled) value *= scale;
  for (std::size_t i = 0; i < side_; ++i) {
    scaled[i * side_ + i] += i < support_.size() ? kRidge : kInterceptRidge;
  }
  return scaled;
}

}  // namespace thresh
