// A histogram of positive numbers in steps of a sixteenth of a power of two: quantiles to within
// 5%, with memory independent of the count.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>

namespace thresh {

class LogHistogram {
 public:
  void add(double log2) {
    ++bins_[static_cast<int>(std::floor(kSteps * log2))];
    ++total_;
  }

  std::uint64_t total() const { return total_; }

  // The approximate base-2 logarithm of the q-quantile. 0 if there are no numbers.
  double quantile(double q) const {
    const double wanted = q * static_cast<double>(total_);
    std::uint64_t passed = 0;
    for (const auto& [bin, count] : bins_) {
      passed += count;
      if (static_cast<double>(passed) >= wanted) return (bin + 0.5) / kSteps;
    }
    return 0;
  }

  // The approximate number of values above / below a bound, given as a logarithm.
  std::uint64_t above(double log2) const {
    std::uint64_t count = 0;
    for (auto at = bins_.lower_bound(static_cast<int>(std::ceil(kSteps * log2))); at != bins_.end();
         ++at) {
      count += at->second;
    }
    return count;
  }
  std::uint64_t below(double log2) const {
    std::uint64_t count = 0;
    const auto end = bins_.lower_bound(static_cast<int>(std::floor(kSteps * log2)));
    for (auto at = bins_.begin(); at != end; ++at) count += at->second;
    return count;
  }

 private:
  static constexpr int kSteps = 16;
  std::map<int, std::uint64_t> bins_;
  std::uint64_t total_ = 0;
};

}  // namespace thresh
