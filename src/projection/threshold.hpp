// Shared by the methods that find a threshold. A method only selects entries that can lie above
// theta; a few too many do no harm. solve_threshold() then finds theta from those alone, with sums
// so accurate that every method gives the same number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <span>

#include "thresh/projection.hpp"

namespace thresh {

// A vector of doubles that are not zeroed before they are written.
class Candidates {
 public:
  double* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<double> values() { return {data_.get(), size_}; }
  double& operator[](std::size_t i) { return data_[i]; }
  void push(double v) {
    if (size_ == capacity_) make_room(1);
    data_[size_++] = v;
  }
  void resize(std::size_t size) { size_ = size; }  // at most the capacity
  void clear() { size_ = 0; }

  // Reserves room for `more` further values.
  void make_room(std::size_t more) {
    if (capacity_ - size_ >= more) return;
    const std::size_t capacity = std::max(size_ + more, 2 * capacity_);
    auto moved = std::make_unique_for_overwrite<double[]>(capacity);
    if (size_ > 0) std::memcpy(moved.get(), data_.get(), size_ * sizeof(double));
    data_ = std::move(moved);
    capacity_ = capacity;
  }

  // Appends the entries above the cut, without a branch on the data, which would be mispredicted.
  void append_above(std::span<const double> values, double cut) {
    make_room(values.size());
    double* out = data_.get() + size_;
    for (const double v : values) {
      *out = v;
      out += static_cast<std::ptrdiff_t>(v > cut);
    }
    size_ = static_cast<std::size_t>(out - data_.get());
  }

  void keep_above(double cut) {
    double* out = data_.get();
    for (const double v : values()) {
      *out = v;
      out += static_cast<std::ptrdiff_t>(v > cut);
    }
    size_ = static_cast<std::size_t>(out - data_.get());
  }

 private:
  std::unique_ptr<double[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

constexpr std::size_t kEntryBlock = 1024;  // fits in the first-level cache
// Any number of entries up to this size can be summed without overflow. Larger ones take the exact
// path, so methods need not handle them.
constexpr double kLargestEntry = 0x1p960;

// The entries of a vector as a projection sees them. For a ball these are magnitudes above the
// floor only, since zeros stay zeros.
struct Entries {
  std::span<const double> values;
  bool magnitudes = false;
  double floor = -std::numeric_limits<double>::infinity();

  // A block of them, in place or in `scratch`. Empty if one is NaN or beyond kLargestEntry.
  std::span<const double> block(std::size_t at, double (&scratch)[kEntryBlock]) const {
    const std::size_t size = std::min(kEntryBlock, values.size() - at);
    const double* in = values.data() + at;
    long long beyond = 0;
    for (std::size_t i = 0; i < size; ++i) beyond |= !(std::fabs(in[i]) <= kLargestEntry);
    if (beyond != 0) return {};
    if (!magnitudes) return {in, size};
    for (std::size_t i = 0; i < size; ++i) scratch[i] = std::fabs(in[i]);
    return {scratch, size};
  }
};

// A bound on the relative error of a method's own rounded sums, with a wide margin for 10^7
// additions. Rejected values must be below the threshold by this much.
constexpr double kSlack = 0x1p-28;

// The methods. Each fills `kept` with some entries above the floor, including all above the
// threshold. They return false if entries are too large to be summed. The radius is positive.
bool candidates_by_sort(const Entries& entries, double radius, Candidates& kept);
bool candidates_by_pivot(const Entries& entries, double radius, Candidates& kept);
bool candidates_by_condat(const Entries& entries, double radius, Candidates& kept);
bool candidates_by_filter(const Entries& entries, double radius, Candidates& kept);

// Copies all entries above the floor, for methods that rearrange them.
bool copy_entries(const Entries& entries, Candidates& copy);

// The theta of some values, and of a vector; 0 if no value is above the floor.
double solve_threshold(Candidates& kept, double radius);
double find_threshold(const Entries& entries, double radius, ProjectionMethod method);

}  // namespace thresh
