// Margins as sums over slices of features, see sparse/slices.hpp: one number per slice, in index
// order within it, added up over a fixed tree. Other ranks may have some of the slices. Their parts
// of the tree travel; the sum is the same to the bit wherever a slice is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sparse/feature_map.hpp"
#include "sparse/weight_array.hpp"
#include "thresh/cluster.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// What ranks count, each for its own features.
struct OwnCounts {
  std::uint64_t nonzeros = 0;
  std::uint64_t accesses = 0;
};

class SliceSums {
 public:
  // Throws UsageError unless the features are divided into so many slices, or not divided.
  SliceSums(std::uint64_t slices, const FeatureMap& features);

  // Whether other ranks have some of the slices.
  bool shared() const { return comm_ != nullptr; }
  // Slots 0 .. n-1 may occur.
  void ensure_slots(std::size_t n);

  // Begins a block of rows.
  void clear();
  // Adds a row to the block. `weights` is by slot.
  template <class Weights>
  void add(const Weights& weights, const Row& row) {
    double* const sums = next_row(row.size);
    for (std::size_t i = 0; i < row.size; ++i) {
      sums[slice_of_slot_[row.slots[i]]] += weights[row.slots[i]] * row.values[i];
    }
  }
  // Adds a row's squares instead, for its length.
  void add_squares(const Row& row) {
    double* const sums = next_row(row.size);
    for (std::size_t i = 0; i < row.size; ++i) {
      sums[slice_of_slot_[row.slots[i]]] += row.values[i] * row.values[i];
    }
  }
  // Adds a row with so many entries, of which each(add) gives those that are here: add(slot, term).
  template <class Each>
  void add_terms(std::size_t entries, const Each& each) {
    double* const sums = next_row(entries);
    each([&](std::uint32_t slot, double term) { sums[slice_of_slot_[slot]] += term; });
  }
  // Adds up the sums of the rows of the block. If shared, one exchange with the other ranks.
  void total(const OwnCounts& mine) {
    start(mine);
    finish();
  }
  // The same in two steps: between them the next block begins, while this one's sums travel.
  void start(const OwnCounts& mine);
  void finish();
  // Between the two: whether finish() need not wait.
  bool arrived() const { return !shared() || comm_->arrived(); }

  // <w, x> of the i-th row of the finished block, and the number of its entries on all ranks.
  double operator[](std::size_t i) const { return totals_[i]; }
  std::uint64_t entries(std::size_t i) const { return row_entries_[i]; }

  // Blocks of all rows: add(i) adds row i, and take(i, sum) gets its sum later. While the sums of a
  // block travel, the next one's are computed.
  template <class Add, class Take>
  void for_each_row(std::size_t rows, const Add& add, const Take& take) {
    const auto end_of = [&](std::size_t first) { return std::min(rows, first + kBlock); };
    const auto add_block = [&](std::size_t first) {
      clear();
      for (std::size_t i = first; i < end_of(first); ++i) {
        add(i);
        if (first > 0 && i % kRowsPerLook == 0) arrived();  // MPI may move bytes only if called
      }
    };
    const OwnCounts known = others_;
    add_block(0);
    for (std::size_t first = 0; first < rows; first += kBlock) {
      start({});
      if (end_of(first) < rows) add_block(end_of(first));
      finish();
      for (std::size_t i = first; i < end_of(first); ++i) take(i, totals_[i - first]);
    }
    others_ = known;
  }
  // What the other ranks counted before the last exchange of margins to learn from.
  const OwnCounts& others() const { return others_; }

  // <w, x> of all these rows, appended to `dots`.
  void dots(const WeightArray& weights, std::span<const Row> rows, std::vector<double>& dots);

  const FeatureMap& features() const { return features_; }
  // The sum of a number that each rank has. An exchange if shared.
  std::uint64_t everywhere(std::uint64_t mine);
  // The sum of terms over features, as of a row; the same order of each slice's terms gives the
  // same sum. It ends the block. An exchange if shared.
  template <class Each>
  double sum(const Each& each) {
    const OwnCounts known = others_;
    clear();
    add_terms(0, each);
    total({});
    others_ = known;
    return totals_[0];
  }
  // The largest of 0 and what the ranks have. An exchange if shared.
  double largest(double mine) const;
  // Each rank has pairs of a magnitude and a feature's id. Of all of them, the n smallest (of
  // equals the higher ids): how many of these are of this rank. An exchange if shared.
  std::uint64_t smallest_here(std::uint64_t n, const Message& mine) const;

 private:
  // What each rank has, by rank. An exchange if shared.
  std::vector<Message> all(const Message& mine) const;

  struct Node {  // slices begin .. end-1, counted from this rank's first
    std::size_t begin, end;
  };
  double* next_row(std::size_t entries);
  void find_nodes(std::uint64_t begin, std::uint64_t end);
  double sum_nodes(std::uint64_t begin, std::uint64_t end, const double*& next) const;
  void take(const std::vector<Message>& all);

  std::uint64_t slices_;
  std::uint64_t first_, owned_;  // the slices that are here
  const FeatureMap& features_;
  Comm* comm_;
  std::vector<std::uint16_t> slice_of_slot_;  // counted from first_

  static constexpr std::size_t kBlock = 1024;
  static constexpr std::size_t kRowsPerLook = 64;

  std::size_t rows_ = 0;
  std::vector<double> sums_;  // of each row, `owned_` numbers
  std::vector<std::uint64_t> entries_;

  std::vector<double> totals_;  // of the block before
  std::vector<std::uint64_t> row_entries_;

  std::vector<Node> nodes_;           // the largest parts of the tree that are here
  std::vector<std::uint16_t> ranks_;  // by slice
  OwnCounts others_;
  Message message_;
  std::vector<Message> all_;
  std::vector<double> row_nodes_;  // of all ranks, in order
};

// Sets to 0 all but the k of largest magnitude, of a weight for each feature of all ranks; among
// equals the lower ids stay. Two exchanges, of k numbers at most.
void keep_largest_anywhere(const FeatureMap& features, std::uint64_t k,
                           std::span<const std::uint32_t> slots, std::span<double> weights);

// Adds up, for each count, what all ranks have. An exchange if there are several.
void add_up_on_all_ranks(const FeatureMap& features, std::span<std::uint64_t> counts);

// The sum of a number that each rank has for the features of its share.
std::uint64_t on_all_ranks(const FeatureMap& features, std::uint64_t mine);

}  // namespace thresh
