// Whether two models differ beyond chance, judged on the same rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "thresh/metrics.hpp"
#include "thresh/model.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// A model and the rows to judge it on, opened with predictor.features().
struct ModelOnRows {
  const Model& model;
  const Predictor& predictor;
  std::shared_ptr<RowSource> rows;
};

// The means of a score over the same rows. Small is good.
struct PairedScore {
  double first = 0, second = 0;
  // Of second - first. None with fewer than two rows.
  std::optional<Interval> difference;

  // Whether the difference is beyond chance: the interval is on one side of zero.
  bool differs() const { return difference && (difference->low > 0 || difference->high < 0); }
};

struct Comparison {
  std::uint64_t rows = 0;
  std::uint64_t bad_rows = 0;  // skipped
  // Classification.
  std::optional<PairedScore> error;
  std::optional<PairedScore> log_loss;  // if both models give probabilities
  std::uint64_t only_first_right = 0, only_second_right = 0, both_wrong = 0;
  // Two-sided, exact (McNemar's test): the probability of counts at least as uneven as
  // only_first_right and only_second_right if both models were equally good. None if row weights
  // differ.
  std::optional<double> p_value;
  // Regression.
  std::optional<PairedScore> squared_error, absolute_error;

  // Whether the models differ beyond chance: in errors or, for regression, in absolute errors.
  bool differs() const;
};

// One row, as both models see it. For classification the predictions are labels.
struct ComparedRow {
  std::uint64_t row;  // 1-based
  double truth, first, second;
};

// Throws UsageError if the models have different tasks or classes, Error if the sources have
// different rows. Labels in ComparedRow are those of the first model.
Comparison compare(const ModelOnRows& first, const ModelOnRows& second,
                   const std::string& weights_file = "",
                   const std::function<void(const ComparedRow&)>& on_row = nullptr);

// P(at most min(a, b), or at least max(a, b), heads in a + b tosses of a fair coin).
double sign_test(std::uint64_t a, std::uint64_t b);

}  // namespace thresh
