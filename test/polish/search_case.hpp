// Columns to search for the best few.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "polish/dense_rows.hpp"
#include "polish/subset.hpp"

namespace thresh {

using Columns = std::vector<std::uint32_t>;

// Zeros and ones, with a rare positive class; normal values, with something in common, or much; or
// sparse counts with long tails.
enum class Kind { binary, normal, alike, counts };

inline Vector any_row(Kind kind, const Vector& density, double alike, Random& random) {
  Vector x(density.size());
  const double common = alike * random.normal();
  for (std::size_t j = 0; j < x.size(); ++j) {
    const bool there = random.uniform() < density[j];
    if (kind == Kind::binary) x[j] = there ? 1 : 0;
    if (kind == Kind::counts) x[j] = there ? 0.1 * std::exp(1.5 * random.normal()) : 0;
    if (kind == Kind::normal || kind == Kind::alike) x[j] = random.normal() + common;
  }
  return x;
}

inline DenseProblem columns_of(Kind kind, std::size_t rows, std::size_t columns, Random& random) {
  DenseProblem data;
  data.features = columns;
  Vector density;
  for (std::size_t j = 0; j < columns; ++j) density.push_back(0.05 + 0.3 * random.uniform());
  const double alike = (kind == Kind::alike ? 10 : 2) * random.uniform();
  for (std::size_t i = 0; i < rows; ++i) {
    const Vector x = any_row(kind, density, alike, random);
    const auto effect = [&](std::size_t j) { return j < columns ? std::min(x[j], 2.0) : 0; };
    const double a = effect(0) - effect(1) + 0.8 * effect(2);
    const double odds = std::exp(kind == Kind::binary ? 3 * a - 3 : a);
    data.y.push_back(i < 2 ? (i == 0 ? 1 : -1) : random.uniform() < odds / (1 + odds) ? 1 : -1);
    data.x.push_back(x);
    data.s.push_back(1);
  }
  weigh_rows(data, random);
  return data;
}

struct SearchCase {
  DenseProblem data;
  SupportMatrix rows = matrix_of(data);
  Loss loss = Loss::logistic;
  bool intercept = true;

  SubsetSearch search(Columns kept = {}) const {
    return {rows, data.y, LossFunction(loss), intercept, 0.1, std::move(kept)};
  }
};

}  // namespace thresh
