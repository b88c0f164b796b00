// Restricts rows to a support: the places and values of its features in a row.
//
// If rows are few, and so repeat, results are cached. A row with few features of the support is
// then cheap.
//
// Cost: O(non-zeros of the row), or O(those in the support) if cached.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "solvers/budget/support.hpp"
#include "sparse/compensated_dot.hpp"
#include "sparse/sum_in_four.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct Met {
  std::uint32_t place;
  double value;
};

// The sum of weight_of(place) times value; `compensated`: with twice the digits.
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
  // `slots` by place. Values are multiplied by `unit`.
  SupportRows(std::vector<std::uint32_t> slots, double unit, bool remembers)
      : support_(std::move(slots)), unit_(unit), remembers_(remembers) {}

  const std::vector<std::uint32_t>& slots() const { return support_.slots(); }
  std::size_t size() const { return support_.size(); }

  // The row's entries in the support, by ascending place. Valid until the next call.
  std::span<const Met> meet(const Row& row);

 private:
  static constexpr std::size_t kMostRemembered = 1 << 20;  // entries: 16 MB

  std::span<const Met> find(const Row& row);

  Support support_;
  double unit_;
  bool remembers_;
  std::vector<Met> found_;  // a buffer; its beginning is the last row's result
  std::unordered_map<std::uint64_t, std::vector<Met>> memory_;  // by the row's id
  std::size_t remembered_ = 0;                                  // entries
};

}  // namespace thresh
