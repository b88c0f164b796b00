// The exact area under the ROC curve, with memory independent of the number of rows.
//
// AUC needs the rows in order of margin. They are sorted in chunks ("runs") of a fixed size. If
// there are several, all are in a temporary file and are merged at the end.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "files/temp_file.hpp"
#include "thresh/metrics.hpp"

namespace thresh {

class ExactAuc {
 public:
  static constexpr size_t kRunSize = size_t{1} << 20;

  explicit ExactAuc(size_t run_size = kRunSize) : run_size_(run_size) {}

  // Infinite margins are valid. NaN has no order: throws thresh::Error.
  void add(double margin, bool positive, double weight);

  // The weighted share of correctly ordered (positive, negative) pairs, with ties counted as one
  // half; std::nullopt if a class has no weight. Call it once, at the end. The result does not
  // depend on the order of the rows or the run size, to the last bit.
  std::optional<double> finish();
  // After finish(): the weights above thresholds, from none to all, at most 2 * kCurve of them.
  const std::vector<CurvePoint>& curve() const { return curve_; }

  static constexpr size_t kCurve = 256;

 private:
  // The class is the sign of the weight, which exists because rows without weight are dropped.
  struct Entry {
    double margin;
    double weight;
    // A total order, so that the sorted entries are always summed in the same order.
    bool operator<(const Entry& other) const {
      return margin < other.margin || (margin == other.margin && weight < other.weight);
    }
  };
  class Sweep;
  class RunReader;

  void spill();
  void merge_into(Sweep& sweep);

  size_t run_size_;
  std::vector<Entry> buffer_;
  std::optional<TempFile> spilled_;
  std::vector<CurvePoint> curve_;
};

}  // namespace thresh
