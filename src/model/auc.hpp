// The exact area under the ROC curve, in memory that does not grow with the rows.
//
// AUC needs the rows in order of margin. They are sorted in runs of a fixed size; from the second
// run on the runs live in a temporary file and are merged at the end.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "files/temp_file.hpp"

namespace thresh {

class ExactAuc {
 public:
  static constexpr size_t kRunSize = size_t{1} << 20;

  explicit ExactAuc(size_t run_size = kRunSize) : run_size_(run_size) {}

  // Infinite margins are ordinary extremes. NaN has no place in the order: throws thresh::Error.
  void add(double margin, bool positive, double weight);

  // The weighted share of (positive, negative) pairs in the right order, ties counting one half;
  // std::nullopt if a class has no weight. Once, at the end. The result depends on neither the
  // order of the rows nor the run size, to the last bit.
  std::optional<double> finish();

 private:
  // The class is the sign of the weight. Rows without weight are not kept, so the sign is there.
  struct Entry {
    double margin;
    double weight;
    // A total order, so that every way to the sorted sequence sums it in the same order.
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
};

}  // namespace thresh
