// The order in which a pass visits the rows.
//
// Shuffled: blocks in random order, kWindowBlocks of them at a time in memory, the rows of such a
// window in random order. The permutation depends only on seed, pass and block boundaries. So it is
// the same in memory, from a file and from a pipe. Any window can be made without the ones before
// it.
//
// With replacement: each step draws its row from all rows; a pass has as many draws as there are
// rows. The draws depend only on seed, pass and number of rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "sparse/cores.hpp"
#include "sparse/random.hpp"
#include "thresh/options.hpp"

namespace thresh {

inline constexpr std::size_t kWindowBlocks = 16;

// A place in the rows of all passes.
struct RowPlace {
  std::uint64_t pass = 1;
  std::uint64_t window = 0;  // of the pass; with replacement always 0
  std::uint64_t row = 0;     // of the window, in the order of visits; with replacement of the pass
  std::uint64_t met = 0;     // rows of the pass before this window, wanted or not

  template <class Archive>
  void archive(Archive& a) {
    a(pass, window, row, met);
    a.require(pass > 0);
  }
};

// The passes over a source.
struct PassPlan {
  Order order = Order::sequential;
  std::uint64_t seed = 0;
  std::uint64_t passes = 1;
  // Whether a separate thread unpacks a cache. On one core that would only slow things down.
  bool unpack_aside = has_second_core();
  // For rows drawn with replacement without a cache: the most bytes to hold in memory, and what
  // ends the first reading.
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
  const std::atomic<bool>* stop = nullptr;
  // Then, too: the rows that are handed over together, for ranks, which have different entries of
  // them; 0: as many as their entries allow.
  std::size_t piece_rows = 0;

  RowPlace from = {};  // the first row to show

  // In file order each block is passed on as it arrives.
  std::size_t window_blocks() const { return order == Order::shuffle ? kWindowBlocks : 1; }
};

class PassOrder {
 public:
  PassOrder(Order order, std::uint64_t seed, std::uint64_t pass, std::size_t blocks)
      : order_(order), seed_(mix(seed) + pass), blocks_(order == Order::shuffle ? blocks : 0) {
    std::iota(blocks_.begin(), blocks_.end(), std::size_t{0});
    Random random(seed_);
    shuffle(blocks_.begin(), blocks_.end(), random);
  }

  // The block at position k of the pass.
  std::size_t block(std::size_t k) const { return order_ == Order::shuffle ? blocks_[k] : k; }

  template <class Rows>
  void arrange(std::size_t window, Rows& rows) const {
    if (order_ != Order::shuffle) return;
    Random random(seed_, window + 1);
    shuffle(rows.begin(), rows.end(), random);
  }

 private:
  Order order_;
  std::uint64_t seed_;
  std::vector<std::size_t> blocks_;
};

// The rows that a pass draws with replacement, by their place among all of them.
class RowDraws {
 public:
  RowDraws(std::uint64_t seed, std::uint64_t pass, std::size_t rows)
      : random_(mix(seed) + pass), rows_(rows), left_(rows) {}

  std::size_t left() const { return left_; }  // in this pass
  std::size_t drawn() const { return rows_ - left_; }
  // Draws without a result.
  void skip(std::size_t draws) {
    for (draws = std::min(draws, left_); draws > 0; --draws, --left_) random_.below(rows_);
  }
  // The next window of draws from all rows.
  template <class Rows>
  void fill(Rows& window, const Rows& all) {
    constexpr std::size_t kMostRows = 4096;
    window.clear();
    for (; left_ > 0 && window.size() < kMostRows; --left_) {
      window.push_back(all[random_.below(rows_)]);
    }
  }

 private:
  Random random_;
  std::size_t rows_;
  std::size_t left_;
};

}  // namespace thresh
