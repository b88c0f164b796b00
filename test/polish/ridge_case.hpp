// Ridge problems to fit, drawn at random.
#pragma once

#include <rapidcheck.h>

#include <cmath>
#include <optional>

#include "polish/dense_rows.hpp"

namespace thresh {

struct RidgeCase {
  using Method = RidgeProblem::Method;

  DenseProblem data;
  Loss loss;
  bool intercept;
  Vector ridges;
  RidgeModel start;
  SupportMatrix rows;

  RidgeProblem problem(std::optional<Method> method = std::nullopt) const {
    return {rows, data.y, LossFunction(loss), intercept, method};
  }
  RidgeModel fit(std::optional<Method> method = std::nullopt) const {
    return problem(method).fit(ridges, start);
  }
};

enum class Ridges { one, many };

inline RidgeCase ridge_case(DenseProblem data, Loss loss, Ridges ridges) {
  RidgeCase c{std::move(data), loss, *rc::gen::arbitrary<bool>(), {}, {}, {}};
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  weigh_rows(c.data, random);
  if (loss == Loss::squared) {
    for (double& y : c.data.y) y += 3 * random.normal();
  }
  const bool starts_at_zero = *rc::gen::arbitrary<bool>();
  for (std::size_t j = 0; j < c.data.features; ++j) {
    const double ridge = std::pow(10, 5 * random.uniform() - 3);
    c.ridges.push_back(ridges == Ridges::one && j > 0 ? c.ridges[0] : ridge);
    if (!starts_at_zero) c.start.weights.push_back(random.normal());
  }
  if (!starts_at_zero && c.intercept) c.start.intercept = random.normal();
  c.rows = matrix_of(c.data);
  return c;
}

inline RidgeCase any_ridge_case(Ridges ridges = Ridges::many) {
  const Loss loss = *rc::gen::element(Loss::logistic, Loss::squared, Loss::squared_hinge);
  return ridge_case(any_problem(), loss, ridges);
}

}  // namespace thresh
