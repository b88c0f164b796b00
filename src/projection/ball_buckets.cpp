// Orders a ball's values by their bits, in place of the tree of Duchi et al. 2008, section 6.
//
// The bits of positive doubles have the same order as the doubles. The exponent selects a binade. A
// bucket with too many loose values splits by the next four bits, so buckets are finer where values
// are crowded, be they around 1 or all in 1 .. 1.001. When no bits are left, the values are equal
// and a count suffices. A change visits three or four buckets, a cache line each.
//
// Within a binade fractions are integers, so a bucket's sum stays exact after any number of
// changes. The search for the shift takes whole buckets from the top down while their lower bound
// is above it; then the values of one bucket decide. Comparisons are exact too (ExactSum).
//
// Tried and rejected: splits by 5 to 8 bits and 64 to 256 loose values. All were within a third of
// this; the wider ones need several times the memory where values are sparse.
//
// Cost: O(1) for a change except for crowding (at most 13 splits), O(1) for a projection, and O(1)
// for each zero it makes; some 20 bytes a value, and 131 kB for the binades.

#include "projection/ball_buckets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr int kDigitBits = 4;
constexpr std::size_t kFanOut = std::size_t{1} << kDigitBits;
constexpr int kFirstDigit = 52 - kDigitBits;
constexpr std::size_t kLoose = 128;  // values that a bucket holds before it splits
constexpr std::size_t kBinades = 2047;

std::uint64_t bits_of(double raw) {
  return std::bit_cast<std::uint64_t>(raw);
}
std::size_t binade_of(double raw) {
  return static_cast<std::size_t>(bits_of(raw) >> 52);
}

std::size_t digit(double raw, int place) {
  return static_cast<std::size_t>(bits_of(raw) >> place) & (kFanOut - 1);
}

std::uint64_t fraction(double raw) {
  return BinaryParts(raw).fraction;
}
unsigned place_of_binade(std::size_t binade) {
  return binade == 0 ? 0 : static_cast<unsigned>(binade) - 1;
}

}  // namespace

struct BallBuckets::Node {
  std::array<Bucket, kFanOut> buckets;
};

BallBuckets::BallBuckets() : binades_(kBinades) {}
BallBuckets::~BallBuckets() = default;
BallBuckets::BallBuckets(BallBuckets&&) noexcept = default;
BallBuckets& BallBuckets::operator=(BallBuckets&&) noexcept = default;

void BallBuckets::clear() {
  *this = BallBuckets();
}

void BallBuckets::insert(double raw) {
  if (!std::isfinite(raw)) throw Error("a magnitude in a ball is not finite");
  if (!(raw > shift_)) return;
  const std::size_t binade = binade_of(raw);
  occupied_[binade / 64] |= std::uint64_t{1} << (binade % 64);
  put(binades_[binade], raw, kFirstDigit);
  ++size_;
}

void BallBuckets::put(Bucket& top, double raw, int place) {
  const std::uint64_t added = fraction(raw);
  Bucket* bucket = &top;
  for (;;) {
    bucket->sum += added;
    ++bucket->count;
    if (!bucket->split) break;
    bucket = &bucket->split->buckets[digit(raw, place)];
    place -= kDigitBits;
  }
  if (place < 0) return;  // equal to all others in this bucket
  bucket->values.push_back(raw);
  if (bucket->values.size() > kLoose) split(*bucket, place);
}

void BallBuckets::split(Bucket& bucket, int place) {
  bucket.split = std::make_unique<Node>();
  for (const double raw : bucket.values) {
    put(bucket.split->buckets[digit(raw, place)], raw, place - kDigitBits);
  }
  bucket.values = std::vector<double>();
}

void BallBuckets::erase(double raw) {
  if (!(raw > shift_)) return;
  std::array<Bucket*, 52 / kDigitBits + 1> path;
  std::size_t depth = 0;
  int place = kFirstDigit;
  Bucket* bucket = std::isfinite(raw) ? &binades_[binade_of(raw)] : nullptr;
  while (bucket != nullptr && bucket->split) {
    path[depth++] = bucket;
    bucket = &bucket->split->buckets[digit(raw, place)];
    place -= kDigitBits;
  }
  if (bucket == nullptr || bucket->count == 0) throw Error("a magnitude is not in the ball");
  if (place >= 0) {
    auto& values = bucket->values;
    const auto found = std::find(values.begin(), values.end(), raw);
    if (found == values.end()) throw Error("a magnitude is not in the ball");
    *found = values.back();
    values.pop_back();
  }
  path[depth++] = bucket;
  for (std::size_t i = 0; i < depth; ++i) {
    path[i]->sum -= fraction(raw);
    if (--path[i]->count == 0) {
      *path[i] = Bucket{};  // also frees the buckets further down the path
      break;
    }
  }
  --size_;
  if (binades_[binade_of(raw)].count == 0) vacate(binade_of(raw));
}

void BallBuckets::vacate(std::size_t binade) {
  occupied_[binade / 64] &= ~(std::uint64_t{1} << (binade % 64));
}

// The highest non-empty binade below `end`, or kBinades.
std::size_t BallBuckets::occupied_below(std::size_t end) const {
  for (std::size_t word = (end + 63) / 64; word-- > 0;) {
    std::uint64_t bits = occupied_[word];
    if (end < 64 * (word + 1)) bits &= (std::uint64_t{1} << (end % 64)) - 1;
    if (bits != 0) return 64 * word + static_cast<std::size_t>(std::bit_width(bits)) - 1;
  }
  return kBinades;
}

// Takes values from the top down until the next one would be at or below the resulting shift.
class BallBuckets::Search {
 public:
  explicit Search(double radius) { excess_.subtract(radius); }

  // Takes a whole bucket, unless its lower bound is at or below the shift.
  bool take(const Bucket& bucket, double lower_bound) {
    excess_.add(bucket.sum, place_);
    count_ += bucket.count;
    if (lowered_to(lower_bound).negative()) return true;
    excess_.subtract(bucket.sum, place_);
    count_ -= bucket.count;
    return false;
  }

  // Takes what it can from a refused bucket. `bits` are those that its values share.
  void take_part(const Bucket& refused, std::size_t binade) {
    const Bucket* bucket = &refused;
    std::uint64_t bits = static_cast<std::uint64_t>(binade) << 52;
    for (int place = kFirstDigit; bucket->split; place -= kDigitBits) {
      const Bucket* next = nullptr;
      for (std::size_t i = kFanOut; i-- > 0 && next == nullptr;) {
        const Bucket& child = bucket->split->buckets[i];
        const std::uint64_t low = bits | static_cast<std::uint64_t>(i) << place;
        if (child.count > 0 && !take(child, std::bit_cast<double>(low))) {
          next = &child;
          bits = low;
        }
      }
      if (next == nullptr) return;
      bucket = next;
    }
    if (bucket->values.empty()) {  // all values are equal
      largest_refused_ = std::bit_cast<double>(bits);
    } else {
      take_loose(bucket->values);
    }
  }

  void enter_binade(std::size_t binade) { place_ = place_of_binade(binade); }

  double shift() const { return count_ == 0 ? largest_refused_ : excess_.divided_by(count_); }

 private:
  void take_loose(std::vector<double> values) {
    std::sort(values.begin(), values.end(), std::greater<>());
    for (const double raw : values) {
      if (!lowered_to(raw).negative()) {
        largest_refused_ = raw;
        return;
      }
      excess_.add(raw);
      ++count_;
    }
  }

  // The excess if every taken value were lowered to the level.
  ExactSum lowered_to(double level) const {
    ExactSum lowered = excess_;
    lowered.add_multiple(-level, count_);
    return lowered;
  }

  ExactSum excess_;  // sum of the taken values minus the radius
  std::size_t count_ = 0;
  unsigned place_ = 0;
  double largest_refused_ = 0;  // the shift if the radius is 0 and nothing is taken
};

double BallBuckets::project(double radius) {
  if (!std::isfinite(radius) || radius < 0) {
    throw Error("the radius of a projection must be finite and not negative");
  }
  if (size_ == 0 || !above_shift(radius)) return shift_;
  Search search(radius);
  for (std::size_t b = occupied_below(kBinades); b != kBinades; b = occupied_below(b)) {
    const auto lowest = std::bit_cast<double>(static_cast<std::uint64_t>(b) << 52);
    search.enter_binade(b);
    if (search.take(binades_[b], lowest)) continue;
    search.take_part(binades_[b], b);
    break;
  }
  shift_ = std::max(shift_, search.shift());
  drop_zeros();
  return shift_;
}

// Whether the magnitudes sum to the radius or more.
bool BallBuckets::above_shift(double radius) const {
  ExactSum norm;
  for (std::size_t b = occupied_below(kBinades); b != kBinades; b = occupied_below(b)) {
    norm.add(binades_[b].sum, place_of_binade(b));
  }
  norm.add_multiple(-shift_, size_);
  norm.subtract(radius);
  return !norm.negative();
}

void BallBuckets::drop_zeros() {
  const std::size_t last = binade_of(shift_);
  for (std::size_t b = occupied_below(last + 1); b != kBinades; b = occupied_below(b)) {
    Bucket& bucket = binades_[b];
    size_ -= bucket.count;
    if (b < last) {
      bucket = Bucket{};
    } else {
      drop_within(bucket, kFirstDigit);
      size_ += bucket.count;
    }
    if (bucket.count == 0) vacate(b);
  }
}

// Drops values at or below the shift from a bucket whose values share the shift's bits so far.
void BallBuckets::drop_within(Bucket& bucket, int place) {
  Bucket kept;
  if (bucket.split) {
    kept.split = std::move(bucket.split);
    const std::size_t at = digit(shift_, place);
    for (std::size_t i = 0; i < kFanOut; ++i) {
      Bucket& child = kept.split->buckets[i];
      if (i < at) child = Bucket{};
      if (i == at) drop_within(child, place - kDigitBits);
      kept.sum += child.sum;
      kept.count += child.count;
    }
  } else {
    kept.values = std::move(bucket.values);
    std::erase_if(kept.values, [this](double raw) { return raw <= shift_; });
    for (const double raw : kept.values) kept.sum += fraction(raw);
    kept.count = kept.values.size();
  }
  bucket = kept.count > 0 ? std::move(kept) : Bucket{};
}

}  // namespace thresh
