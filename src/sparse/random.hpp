// Random numbers that are the same on every machine. The standard library specifies its engines but
// neither its distributions nor std::shuffle, so everything that a seed must determine is here.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "math/elementary.hpp"

namespace thresh {

// The finaliser of splitmix64 (Steele, Lea & Flood 2014; Stafford's variant 13): a bijection in
// which every input bit flips about half of the output bits. Note that mix(0) == 0.
inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// xoshiro256++ (Blackman & Vigna 2019). splitmix64 fills its state, as the authors advise.
class Random {
 public:
  // Streams of one seed are independent, so one use can change without affecting another.
  explicit Random(uint64_t seed, uint64_t stream = 0) {
    uint64_t x = mix(mix(seed) + stream);
    for (uint64_t& word : state_) word = mix(x += 0x9e3779b97f4a7c15);
  }
  // Continues from a given state, which must not be all zero.
  explicit Random(const std::array<uint64_t, 4>& state) : state_(state) {}

  uint64_t next() {
    auto& [a, b, c, d] = state_;
    const uint64_t result = rotate(a + d, 23) + a;
    const uint64_t shifted = b << 17;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 45);
    return result;
  }

  // Uniform in 0 .. n-1, without bias (Lemire 2019); below(0) is 0.
  uint64_t below(uint64_t n) {
    Wide product = Wide{next()} * n;
    if (static_cast<uint64_t>(product) < n) {
      // Reject low halves below 2^64 mod n: some results would get one more of them than others.
      const uint64_t surplus = -n % n;
      while (static_cast<uint64_t>(product) < surplus) product = Wide{next()} * n;
    }
    return static_cast<uint64_t>(product >> 64);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(state_);
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Standard normal, by Marsaglia's polar method. The method's second value is dropped, so that the
  // state is four words only.
  double normal() {
    for (;;) {
      const double u = 2 * uniform() - 1;
      const double v = 2 * uniform() - 1;
      const double s = u * u + v * v;
      if (s > 0 && s < 1) return u * std::sqrt(-2 * portable::log(s) / s);
    }
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

  std::array<uint64_t, 4> state_{};
};

// Fisher-Yates.
template <class It>
void shuffle(It first, It last, Random& random) {
  for (auto left = last - first; left > 1; --left) {
    using std::swap;
    swap(first[left - 1], first[random.below(static_cast<uint64_t>(left))]);
  }
}

}  // namespace thresh
