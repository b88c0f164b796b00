// What a column gains along its line: merged rows against all rows by themselves.

#include "polish/column_line.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "polish/dense_rows.hpp"

namespace thresh::column_line_oracle {
namespace {

struct Case {
  DenseProblem data;  // the last column is the one to move
  MergedRows merged;  // of the others
  SingleColumn column;
  Vector margins;  // by merged row
};

Case any_case(bool one_value) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::size_t columns = 1 + random.below(4);
  Case c{random_problem(1 + random.below(60), columns, 0.5, random.next()), {}, {}, {}};
  for (Vector& x : c.data.x) {
    for (double& value : x) value = value != 0 ? 1 : 0;
    if (x.back() != 0 && !one_value) x.back() += static_cast<double>(random.below(3));
  }
  weigh_rows(c.data, random);
  DenseProblem others = c.data;
  --others.features;
  for (Vector& x : others.x) x.pop_back();
  c.merged = merge_equal_rows(matrix_of(others), c.data.y);
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    if (c.data.x[i].back() == 0) continue;
    c.column.rows.push_back(static_cast<std::uint32_t>(i));
    c.column.values.push_back(c.data.x[i].back());
  }
  c.column.one_value = one_value;
  for (std::size_t k = 0; k < c.merged.rows.rows(); ++k) c.margins.push_back(random.normal());
  return c;
}

double loss_at(const Case& c, double weight, double ridge) {
  double sum = ridge / 2 * weight * weight;
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    const double margin = c.margins[c.merged.place[i]] + weight * c.data.x[i].back();
    sum += c.data.s[i] * loss_value(Loss::logistic, margin, c.data.y[i]);
  }
  return sum;
}

// Three steps of Newton's method.
double best_weight(const Case& c, double ridge) {
  double weight = 0;
  for (int step = 0; step < 3; ++step) {
    double slope = ridge * weight, bend = ridge;
    for (std::size_t i = 0; i < c.data.x.size(); ++i) {
      const double x = c.data.x[i].back(), y = c.data.y[i];
      const double margin = c.margins[c.merged.place[i]] + weight * x;
      const double p = 1 / (1 + std::exp(y * margin));
      slope -= c.data.s[i] * y * p * x;
      bend += c.data.s[i] * p * (1 - p) * x * x;
    }
    weight -= slope / bend;
  }
  return weight;
}

double errors_at(const Case& c, double weight) {
  double sum = 0;
  for (std::size_t i = 0; i < c.data.x.size(); ++i) {
    const double margin = c.margins[c.merged.place[i]] + weight * c.data.x[i].back();
    if ((margin > 0) != (c.data.y[i] > 0)) sum += c.data.s[i];
  }
  return sum;
}

// Each line is gathered after another one: nothing of that may be left.
RC_GTEST_PROP(ColumnLine, GainsAndSavesWhatAllRowsDo, ()) {
  ColumnLine line;
  for (const bool one_value : {true, false, true}) {
    const Case c = any_case(one_value);
    line.gather(c.column, c.merged, c.margins, c.data.s);
    const double ridge = 0.5;
    const ColumnLine::Best best = line.best(LossFunction(Loss::logistic), ridge);
    const double gain = loss_at(c, 0, ridge) - loss_at(c, best.weight, ridge);
    RC_ASSERT(std::fabs(best.gain - gain) < 1e-9);
    RC_ASSERT(std::fabs(best.weight - best_weight(c, ridge)) < 1e-9);
    for (const double weight : {best.weight, 1.5, -1.5}) {
      const double saved = errors_at(c, 0) - errors_at(c, weight);
      RC_ASSERT(std::fabs(line.errors_saved(weight) - saved) < 1e-9);
    }
  }
}

}  // namespace
}  // namespace thresh::column_line_oracle
