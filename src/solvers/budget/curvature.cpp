#include "solvers/budget/curvature.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "sparse/dense_loops.hpp"
#include "sparse/parallel.hpp"

namespace thresh {

Curvature::Curvature(std::vector<std::uint32_t> candidates, double unit, bool learns_intercept,
                     bool remembers)
    : rows_(std::move(candidates), unit, remembers),
      unit_(unit),
      learns_intercept_(learns_intercept),
      side_(rows_.size() + 2),
      room_(rows_.size() / 4),
      times_(rows_.size()),
      squares_(rows_.size()) {}

void Curvature::clear() {
  matrix_.clear();
  values_.clear();
  curvatures_.clear();
  responses_.clear();
  added_ = 0;
  times_.assign(rows_.size(), 0);
  squares_.assign(rows_.size(), 0);
}

void Curvature::add(double margin, double slope, double curvature) {
  const double response = curvature * margin - slope;
  ++added_;
  for (const Met& met : met_) {
    times_[met.place] += met.value != 0 ? 1 : 0;
    // Values are capped at the length of a typical row. Otherwise a few very long rows would
    // dominate.
    squares_[met.place] += std::min(met.value * met.value, 1.0);
  }
  // If a row has many of the candidates, adding whole lines of the matrix is faster than pairs.
  const bool dense = met_.size() > rows_.size() / 4;
  if (dense || has_few_rows()) {
    wait(curvature, response);
  } else {
    add_pairs(curvature, response);
  }
}

void Curvature::wait(double curvature, double response) {
  values_.resize(values_.size() + rows_.size());
  double* const row = values_.data() + values_.size() - rows_.size();
  for (const Met& met : met_) row[met.place] = met.value;
  curvatures_.push_back(curvature);
  responses_.push_back(response);
  if (waiting() <= room_) return;
  matrix_.resize(side_ * side_);
  add_waiting(matrix_);
  values_.clear();
  curvatures_.clear();
  responses_.clear();
}

void Curvature::add_pairs(double curvature, double response) {
  double* const intercept = &matrix_[rows_.size() * side_];
  double* const target = intercept + side_;
  for (std::size_t i = 0; i < met_.size(); ++i) {
    const double scaled = curvature * met_[i].value;
    double* const line = &matrix_[met_[i].place * side_];
    for (std::size_t k = 0; k <= i; ++k) line[met_[k].place] += scaled * met_[k].value;
    intercept[met_[i].place] += scaled;
    target[met_[i].place] += response * met_[i].value;
  }
  intercept[rows_.size()] += curvature;
  target[rows_.size()] += response;
}

void Curvature::add_waiting(std::vector<double>& matrix) const {
  constexpr std::size_t kTogether = 32;  // rows that fit in the cache
  const std::size_t n = rows_.size();
  // Cores share the lines of the matrix, so each of its numbers is summed as on one core.
  constexpr std::size_t kLines = 32;
  const auto add_lines = [&](std::size_t share, std::size_t first, std::size_t end) {
    std::array<Scaled, kTogether + 1> parts{};
    for (std::size_t i = share * kLines; i < std::min((share + 1) * kLines, side_); ++i) {
      std::size_t met = 0;
      for (std::size_t r = first; r < end; ++r) {
        const double* const row = values_.data() + r * n;
        const double factor = i < n    ? curvatures_[r] * row[i]
                              : i == n ? curvatures_[r]
                                       : responses_[r];
        parts[met] = {factor, row};  // no branch: it would be unpredictable
        met += factor != 0 ? 1 : 0;
      }
      add_scaled(&matrix[i * side_], std::span(parts.data(), met), std::min(i + 1, n));
    }
  };
  parallel_for((side_ + kLines - 1) / kLines, [&](std::size_t share) {
    for (std::size_t first = 0; first < waiting(); first += kTogether) {
      add_lines(share, first, std::min(first + kTogether, waiting()));
    }
  });
  for (std::size_t r = 0; r < waiting(); ++r) {
    matrix[n * side_ + n] += curvatures_[r];
    matrix[(n + 1) * side_ + n] += responses_[r];
  }
}

std::vector<double> Curvature::ridges() const {
  std::vector<double> ridges(rows_.size() + 1, kRidge);
  ridges.back() = kInterceptRidge;
  std::vector<double> sizes(rows_.size());  // mean squares over the rows where they occur
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (times_[i] > 0) sizes[i] = squares_[i] / times_[i];
  }
  const auto met = std::count_if(sizes.begin(), sizes.end(), [](double size) { return size > 0; });
  if (met == 0) return ridges;
  const double mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(met);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double share = times_[i] / added_;
    ridges[i] *= share * std::max(sizes[i] / mean, kLeastSize) + (1 - share);
  }
  return ridges;
}

std::vector<double> Curvature::system(double scale) const {
  std::vector<double> scaled(matrix_);
  scaled.resize(side_ * side_);
  add_waiting(scaled);
  for (double& value : scaled) value *= scale;
  const std::vector<double> rho = ridges();
  for (std::size_t i = 0; i < rho.size(); ++i) scaled[i * side_ + i] += rho[i];
  return scaled;
}

}  // namespace thresh
