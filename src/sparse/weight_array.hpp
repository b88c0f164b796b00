// The weights of a model during training, by slot, zero until they are written.
//
// A solver that needs more numbers per feature has them here too, directly after the feature's
// weight. So a feature costs one cache line, however many numbers it has. They are 1, 2 or 4 per
// feature: then no feature lies in two lines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sparse/zeroed_array.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Read access where the number of numbers is known to the compiler.
template <std::size_t Numbers>
struct WeightView {
  const double* numbers;
  double operator[](std::size_t slot) const { return numbers[slot * Numbers]; }
};

class WeightArray {
 public:
  explicit WeightArray(std::size_t numbers = 1) : numbers_(numbers) {}

  // Makes slots 0 .. n-1 usable; invalidates pointers.
  void ensure(std::size_t n) {
    array_.ensure(n * numbers_);
    size_ = std::max(size_, n);
  }
  std::size_t size() const { return size_; }

  double& operator[](std::size_t slot) { return array_[slot * numbers_]; }
  const double& operator[](std::size_t slot) const { return array_[slot * numbers_]; }

  // All numbers of a feature: the weight, then those of the solver.
  std::size_t numbers() const { return numbers_; }
  double* at(std::size_t slot) { return array_.data() + slot * numbers_; }
  const double* at(std::size_t slot) const { return array_.data() + slot * numbers_; }

  // Calls work(view) with the WeightView of this array, for loops that read many weights.
  template <class Work>
  auto viewed(const Work& work) const {
    switch (numbers_) {
      case 1:
        return work(WeightView<1>{array_.data()});
      case 2:
        return work(WeightView<2>{array_.data()});
      default:
        return work(WeightView<4>{array_.data()});
    }
  }

  // Frees all numbers but the weights.
  void keep_weights_only() {
    if (numbers_ == 1) return;
    WeightArray weights;
    weights.ensure(size_);
    for (std::size_t slot = 0; slot < size_; ++slot) {
      const double weight = std::as_const(*this)[slot];
      if (weight != 0) weights[slot] = weight;
    }
    *this = std::move(weights);
  }

  // What it reads has as many numbers for each feature as before, or the weights only.
  template <class Archive>
  void archive(Archive& a) {
    std::uint64_t numbers = numbers_;
    std::uint64_t size = size_;
    if (a.by_feature()) {
      a(numbers);
      a.require(numbers == numbers_ || numbers == 1);
      a.by_slot(array_, numbers);
      numbers_ = numbers;
      if (a.reads()) size_ = array_.size() / numbers;
      return;
    }
    a(numbers, size, array_);
    a.require((numbers == numbers_ || numbers == 1) && array_.size() / numbers == size &&
              array_.size() % numbers == 0);
    numbers_ = numbers;
    size_ = size;
  }

 private:
  std::size_t numbers_;
  std::size_t size_ = 0;
  ZeroedArray<double> array_;
};

// Prefetches the numbers of a row's features, a few at a time, while another row is learned from.
class Ahead {
 public:
  // Null: there is no next row.
  void begin(const Row* next) {
    next_ = next;
    done_ = 0;
  }
  // The next n features. Of a very long row only the beginning: the rest would not stay in the
  // cache.
  void fetch(const WeightArray& weights, std::size_t n) {
    if (next_ == nullptr) return;
    const std::size_t end = std::min({done_ + n, next_->size, kMost});
    // Copies, or the compiler fears that they change with every prefetch.
    const double* const first = weights.at(0);
    const std::size_t numbers = weights.numbers();
    const std::uint32_t* const slots = next_->slots;
    for (std::size_t i = done_; i < end; ++i) __builtin_prefetch(first + slots[i] * numbers, 1);
    done_ = std::max(done_, end);
  }

 private:
  static constexpr std::size_t kMost = 8192;

  const Row* next_ = nullptr;
  std::size_t done_ = 0;
};

}  // namespace thresh
