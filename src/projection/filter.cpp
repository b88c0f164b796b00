// The threshold by blocks: Condat's sweep (2016) adapted to modern processors.
//
// The mean excess of any subset is a lower bound of theta, so the bound need not change with every
// value. A whole group of values is compared with one bound, and mostly nothing else is needed. If
// a value is above it, such values are appended without a branch, and the bound is recomputed from
// the sum of all kept. When their number has doubled, those below the bound are removed.
//
// Cost: O(n) in practice, near the speed of memory if few values survive.

#include "projection/threshold.hpp"
#include "sparse/wide.hpp"

namespace thresh {
namespace {

constexpr std::size_t kGroup = 64;

// Result of comparing a group of values, in types that a compiler can hold in vector registers.
struct Scan {
  long long above = 0;   // not 0 if a value is above the cut
  long long beyond = 0;  // not 0 if one is NaN or beyond kLargestEntry
};

template <bool kMagnitudes>
[[gnu::always_inline]] inline Scan scan_plainly(const double* values, std::size_t size,
                                                double cut) {
  Scan found;
  for (std::size_t i = 0; i < size; ++i) {
    const double magnitude = std::fabs(values[i]);
    found.above |= (kMagnitudes ? magnitude : values[i]) > cut;
    found.beyond |= !(magnitude <= kLargestEntry);
  }
  return found;
}

// The same loop, compiled for wider registers where the processor has them.
#if defined(__x86_64__)
template <bool kMagnitudes>
[[gnu::target("avx2")]] Scan scan_widely(const double* values, std::size_t size, double cut) {
  return scan_plainly<kMagnitudes>(values, size, cut);
}

template <bool kMagnitudes>
Scan scan(const double* values, std::size_t size, double cut) {
  return kHasAvx2 ? scan_widely<kMagnitudes>(values, size, cut)
                  : scan_plainly<kMagnitudes>(values, size, cut);
}
#else
template <bool kMagnitudes>
Scan scan(const double* values, std::size_t size, double cut) {
  return scan_plainly<kMagnitudes>(values, size, cut);
}
#endif

struct Guess {
  double cut;             // probably at or below theta
  std::size_t count = 0;  // of the values above it
};

// Guesses from a sample: pieces from all over the vector. The guess is used only if many of the
// sample are in the support; otherwise the sweep is fast without it.
Guess guess_from_sample(const Entries& entries, double radius) {
  constexpr std::size_t kPieces = 32;
  constexpr std::size_t kPiece = 32;
  constexpr std::size_t kMany = 64;
  Guess guess{entries.floor};
  const std::size_t size = entries.values.size();
  if (size < 16 * kPieces * kPiece) return guess;
  Candidates sample;
  for (std::size_t i = 0; i < kPieces; ++i) {
    for (const double v : entries.values.subspan(i * (size / kPieces), kPiece)) {
      const double entry = entries.magnitudes ? std::fabs(v) : v;
      if (!(std::fabs(entry) <= kLargestEntry)) return guess;
      if (entry > entries.floor) sample.push(entry);
    }
  }
  // A larger radius makes the cut more likely too low than too high.
  const double share = static_cast<double>(kPieces * kPiece) / static_cast<double>(size);
  const double cut = solve_threshold(sample, 1.5 * radius * share);
  if (sample.size() < kMany) return guess;
  guess.cut = std::max(guess.cut, cut);
  guess.count = static_cast<std::size_t>(static_cast<double>(sample.size()) / share);
  return guess;
}

class Filter {
 public:
  Filter(const Guess& guess, double radius, Candidates& kept)
      : radius_(radius), cut_(guess.cut), limit_(std::max(2 * guess.count, kGroup)), kept_(kept) {}

  template <bool kMagnitudes>
  bool visit(std::span<const double> values) {
    for (std::size_t at = 0; at < values.size(); at += kGroup) {
      const double* group = values.data() + at;
      const std::size_t size = std::min(kGroup, values.size() - at);
      const Scan found = scan<kMagnitudes>(group, size, cut_);
      if (found.beyond != 0) return false;
      if (found.above != 0) keep<kMagnitudes>({group, size});
    }
    if (kept_.size() > 0) take_out();
    return true;
  }

  // A lower bound of theta, even if the guess was wrong.
  double bound() const { return bound_; }

 private:
  template <bool kMagnitudes>
  void keep(std::span<const double> values) {
    const std::size_t before = kept_.size();
    double magnitudes[kGroup];
    if (kMagnitudes) {
      for (std::size_t i = 0; i < values.size(); ++i) magnitudes[i] = std::fabs(values[i]);
      values = {magnitudes, values.size()};
    }
    kept_.append_above(values, cut_);
    add(kept_.values().subspan(before));
    raise();
    if (kept_.size() >= limit_) take_out();
  }

  // Repeats until it hardly helps. A round is a pass over the values kept.
  void take_out() {
    std::size_t before = 0;
    do {
      before = kept_.size();
      kept_.keep_above(cut_);
      sum_ = size_ = 0;
      add(kept_.values());
      raise();
    } while (kept_.size() < before - before / 8);
    limit_ = std::max(2 * kept_.size(), 2 * kGroup);
  }

  // Uses four accumulators, because the processor adds to them in parallel.
  void add(std::span<const double> values) {
    double sum[4] = {};
    double size[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= values.size(); i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        sum[lane] += values[i + lane];
        size[lane] += std::fabs(values[i + lane]);
      }
    }
    for (; i < values.size(); ++i) {
      sum[0] += values[i];
      size[0] += std::fabs(values[i]);
    }
    sum_ += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    size_ += (size[0] + size[1]) + (size[2] + size[3]);
  }

  void raise() {
    if (kept_.size() == 0) return;
    const auto count = static_cast<double>(kept_.size());
    bound_ = std::max(bound_, (sum_ - radius_ - kSlack * (size_ + radius_)) / count);
    cut_ = std::max(cut_, bound_);
  }

  double radius_;
  double bound_ = -std::numeric_limits<double>::infinity();
  double cut_;       // nothing at or below it is kept
  double sum_ = 0;   // of the values kept
  double size_ = 0;  // of their magnitudes
  std::size_t limit_;
  Candidates& kept_;
};

}  // namespace

bool candidates_by_filter(const Entries& entries, double radius, Candidates& kept) {
  const auto sweep = [&](const Guess& guess, double& bound) {
    kept.clear();
    kept.make_room(guess.count);
    Filter filter(guess, radius, kept);
    const bool summable = entries.magnitudes ? filter.visit<true>(entries.values)
                                             : filter.visit<false>(entries.values);
    bound = filter.bound();
    return summable;
  };
  const Guess guess = guess_from_sample(entries, radius);
  double bound = 0;
  if (!sweep(guess, bound)) return false;
  // The values kept prove that the guess was low enough. If they do not, sweep again.
  if (guess.cut <= std::max(bound, entries.floor)) return true;
  return sweep({entries.floor}, bound);
}

}  // namespace thresh
