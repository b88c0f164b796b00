// Rows as a support sees them: the places and values of those of its features that a row has.
//
// Where rows are few, and so come again and again, what was found is remembered: a row of which a
// support has little then costs no more than that.
//
// Cost: O(non-zeros of the row), or O(those of the support) if it is remembered.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "solvers/budget/support.hpp"
#include "sparse/compensated_dot.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct Met {
  std::uint32_t place;
  double value;
};

// The sum of n terms in four parts, since each addition waits for the one before it.
template <class Term>
double sum_in_four(std::size_t n, const Term& term) {
  double a = 0;
  double b = 0;
  double c = 0;
  double d = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a += term(i);
    b += term(i + 1);
    c += term(i + 2);
    d += term(i + 3);
  }
  for (; i < n; ++i) a += term(i);
  return (a + b) + (c + d);
}

// The sum of weight_of(place) times value, with twice the digits if asked for.
template <class WeightOf>
double sum_over(std::span<const Met> met, bool compensated, const WeightOf& weight_of) {
  if (compensated) {
    CompensatedDot sum;
    for (const Met& each : met) sum.add(weight_of(each.place), each.value);
    return sum.value();
  }
  return sum_in_four(met.size(),
                     [&](std::size_t i) { return weight_of(met[i].place) * met[i].value; });
}

class SupportRows {
 public:
  // `slots` ascend; values are multiplied by `unit`.
  SupportRows(std::vector<std::uint32_t> slots, double unit, bool remembers)
      : support_(std::move(slots)), unit_(unit), remembers_(remembers) {}

  const std::vector<std::uint32_t>& slots() const { return support_.slots(); }
  std::size_t size() const { return support_.size(); }

  // What the row has of the support, by ascending place; valid until the next row is met.
  std::span<const Met> meet(const Row& row);

 private:
  static constexpr std::size_t kMostRemembered = 1 << 20;  // entries: 16 MB

  std::span<const Met> find(const Row& row);

  Support support_;
  double unit_;
  bool remembers_;
  std::vector<Met> found_;  // the beginning of it, in the row met last
  std::unordered_map<std::uint64_t, std::vector<Met>> memory_;  // by the row's id
  std::size_t remembered_ = 0;                                  // entries
};

}  // namespace thresh
