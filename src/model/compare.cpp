#include "thresh/compare.hpp"

#include <algorithm>
#include <cmath>

#include "data/feed/feeder.hpp"
#include "loss/loss.hpp"
#include "math/elementary.hpp"
#include "model/intervals.hpp"
#include "model/metrics.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// The labels in the order of their targets: -1, +1 or 0, 1, ...
std::vector<double> labels_of(const Model& model) {
  if (model.task == Task::regression) return {};
  if (!model.classes.empty()) return model.class_labels();
  return {model.negative_label, model.positive_label};
}

std::vector<std::string> sorted_label_texts(const Model& model) {
  std::vector<std::string> texts;
  for (const double label : labels_of(model)) texts.push_back(model.label_text(label));
  std::sort(texts.begin(), texts.end());
  return texts;
}

void check_comparable(const Model& first, const Model& second) {
  if (first.task != second.task) {
    throw UsageError("one model predicts numbers, the other one classes");
  }
  if (sorted_label_texts(first) != sorted_label_texts(second)) {
    throw UsageError("the models predict different classes");
  }
}

RowView view_of(const Model& model, const std::string& weights_file) {
  RowView view;
  if (!weights_file.empty()) view.weights = std::make_shared<RowWeights>(weights_file);
  if (model.task == Task::regression) return view;
  view.labels = model.classes.empty()
                    ? LabelMap::of_classes(model.negative_label, model.positive_label)
                    : LabelMap::of_many(model.class_labels());
  return view;
}

// What one model makes of one row.
struct Verdict {
  std::uint64_t id = 0;
  double weight = 0;
  double truth = 0, prediction = 0;  // labels or values
  std::optional<double> log_loss;
};

// The rows of one model in file order, each judged.
class JudgedRows {
 public:
  JudgedRows(const ModelOnRows& input, const std::string& weights_file)
      : input_(input),
        feeder_(input.rows, view_of(input.model, weights_file), {}),
        margins_(input.model.classes.size()) {}

  // False after the last row.
  bool next(Verdict& verdict) {
    while (at_ == window_.rows.size()) {
      at_ = 0;
      if (!feeder_.next(window_)) return false;
      for (const BlockPtr& block : window_.blocks) bad_rows_ += block->bad_rows;
    }
    judge(window_.rows[at_++], verdict);
    return true;
  }
  std::uint64_t bad_rows() const { return bad_rows_; }

 private:
  void judge(const Row& row, Verdict& verdict) {
    const Model& model = input_.model;
    verdict = {row.id, row.weight, row.label, 0, std::nullopt};
    if (!model.classes.empty()) return judge_many(row, verdict);
    const double margin = input_.predictor.margin(row);
    verdict.prediction = model.prediction(margin);
    if (model.task == Task::regression) return;
    verdict.truth = row.label > 0 ? model.positive_label : model.negative_label;
    if (!model.calibration) return;
    const LossFunction loss(Loss::logistic);
    verdict.log_loss = loss.value(model.calibration->logit(margin), row.label);
  }

  void judge_many(const Row& row, Verdict& verdict) {
    const Model& model = input_.model;
    const auto truth = static_cast<std::size_t>(row.label);
    input_.predictor.margins(row, margins_);
    verdict.truth = model.classes[truth].label;
    verdict.prediction = model.prediction(margins_);
    if (const auto shares = model.probabilities(margins_)) {
      verdict.log_loss = -portable::log(std::max((*shares)[truth], 1e-308));
    }
  }

  const ModelOnRows& input_;
  Feeder feeder_;
  Window window_;
  std::size_t at_ = 0;
  std::uint64_t bad_rows_ = 0;
  std::vector<double> margins_;
};

class PairedMeter {
 public:
  void add(double first, double second, double weight) {
    first_.add(first, weight);
    second_.add(second, weight);
    difference_.add(second - first, weight);
  }
  PairedScore finish() const {
    PairedScore score{first_.value(), second_.value(), std::nullopt};
    if (const auto se = difference_.standard_error()) {
      const double reach = kNormal95 * *se;
      score.difference = {difference_.value() - reach, difference_.value() + reach};
    }
    return score;
  }

 private:
  WeightedMean first_, second_;
  MeanWithError difference_;
};

// The same label in the numbers of another model, which may number words otherwise.
double translated(double label, const Model& from, const Model& to) {
  if (from.task == Task::regression || from.label_names == to.label_names) return label;
  const std::string text = from.label_text(label);
  for (const double other : labels_of(to)) {
    if (to.label_text(other) == text) return other;
  }
  throw Error("label " + text + " is unknown to the other model");
}

}  // namespace

double sign_test(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t n = a + b, k = std::min(a, b);
  if (a == b) return 1;
  double log_term = -static_cast<double>(n) * portable::log(2);  // of n choose i, over 2^n
  for (std::uint64_t i = 1; i <= k; ++i) {
    log_term += portable::log(static_cast<double>(n - i + 1) / static_cast<double>(i));
  }
  double term = 1, sum = 0;  // relative to the last one, so that none overflows
  for (std::uint64_t i = k + 1; i-- > 0 && term > 0;) {
    sum += term;
    term *= static_cast<double>(i) / static_cast<double>(n - i + 1);
  }
  return std::fmin(1, 2 * portable::exp(log_term + portable::log(sum)));
}

bool Comparison::differs() const {
  if (p_value) return *p_value < 0.05;
  return error ? error->differs() : absolute_error && absolute_error->differs();
}

Comparison compare(const ModelOnRows& first, const ModelOnRows& second,
                   const std::string& weights_file,
                   const std::function<void(const ComparedRow&)>& on_row) {
  check_comparable(first.model, second.model);
  const bool regression = first.model.task == Task::regression;
  JudgedRows a(first, weights_file), b(second, weights_file);
  Comparison result;
  PairedMeter error, log_loss, squared, absolute;
  bool has_log_loss = !regression, same_weights = true;
  double weight = -1;
  for (Verdict one, other; a.next(one);) {
    if (!b.next(other) || one.id != other.id) {
      throw Error(first.rows->name() + ": the models do not see the same rows");
    }
    ++result.rows;
    const double prediction = translated(other.prediction, second.model, first.model);
    if (on_row) on_row({one.id + 1, one.truth, one.prediction, prediction});
    if (regression) {
      const double e = one.prediction - one.truth, f = prediction - one.truth;
      squared.add(e * e, f * f, one.weight);
      absolute.add(std::fabs(e), std::fabs(f), one.weight);
      continue;
    }
    same_weights = same_weights && (weight < 0 || weight == one.weight);
    weight = one.weight;
    const bool wrong = one.prediction != one.truth, other_wrong = prediction != one.truth;
    result.only_first_right += !wrong && other_wrong ? 1 : 0;
    result.only_second_right += wrong && !other_wrong ? 1 : 0;
    result.both_wrong += wrong && other_wrong ? 1 : 0;
    error.add(wrong ? 1 : 0, other_wrong ? 1 : 0, one.weight);
    has_log_loss = has_log_loss && one.log_loss && other.log_loss;
    if (has_log_loss) log_loss.add(*one.log_loss, *other.log_loss, one.weight);
  }
  result.bad_rows = a.bad_rows();
  if (result.rows == 0) throw Error(first.rows->name() + ": no rows");
  if (regression) {
    result.squared_error = squared.finish();
    result.absolute_error = absolute.finish();
    return result;
  }
  result.error = error.finish();
  if (has_log_loss) result.log_loss = log_loss.finish();
  if (same_weights) result.p_value = sign_test(result.only_first_right, result.only_second_right);
  return result;
}

}  // namespace thresh
