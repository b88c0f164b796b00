// Probabilities from margins (Platt 2000), for models whose loss does not define any.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sparse/random.hpp"
#include "thresh/model.hpp"

namespace thresh {

using Platt = Calibration;

// Maximum likelihood with Platt's regularised targets, which keep the fit finite on separable data,
// by the Newton method of Lin, Lin & Weng (2007). y is -1 or +1; a row of weight w counts as w
// rows. Throws thresh::Error if a class has no weight or a margin is not finite.
Platt fit_platt(std::span<const double> margins, std::span<const double> y,
                std::span<const double> weights);

// A uniform sample of bounded size from a stream of rows, enough to fit two parameters. The same
// stream and seed give the same sample.
class MarginSample {
 public:
  static constexpr size_t kCapacity = size_t{1} << 20;

  explicit MarginSample(size_t capacity = kCapacity, uint64_t seed = 0);

  void add(double margin, double y, double weight);
  size_t size() const { return margins_.size(); }
  Platt fit() const { return fit_platt(margins_, y_, weights_); }

  std::span<const double> margins() const { return margins_; }
  std::span<const double> y() const { return y_; }
  std::span<const double> weights() const { return weights_; }

 private:
  size_t capacity_;
  uint64_t seen_ = 0;
  Random random_;
  std::vector<double> margins_, y_, weights_;
};

}  // namespace thresh
