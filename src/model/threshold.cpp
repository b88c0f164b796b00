#include "thresh/threshold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "data/feed/feeder.hpp"
#include "math/elementary.hpp"
#include "model/metrics.hpp"
#include "model/model_file.hpp"
#include "model/platt.hpp"
#include "sparse/compensated_sum.hpp"
#include "thresh/error.hpp"
#include "thresh/fit.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

// The rows above a threshold, by total weight.
struct Above {
  double hits = 0, false_alarms = 0;  // positives, negatives
};

// What is to be made small, given the rows above a threshold and all rows.
using Badness = std::function<double(const Above& above, const Above& all)>;

double number_in(const std::string& by, std::string_view text, double most) {
  const auto number = parse_finite(text);
  if (!number || !(*number > 0) || *number > most) {
    throw UsageError(
        fmt::format("{}: give f1, cost=MISS:FALSE with costs above 0, or "
                    "recall=R with R above 0 and at most 1",
                    by.empty() ? "no rule for a threshold" : by));
  }
  return *number;
}

Badness badness_of(const std::string& by) {
  constexpr std::string_view kCost = "cost=", kRecall = "recall=";
  constexpr double kAny = std::numeric_limits<double>::max();
  if (by == "f1") {
    return [](const Above& above, const Above& all) {
      return -2 * above.hits / (above.hits + above.false_alarms + all.hits);
    };
  }
  const std::size_t colon = by.find(':');
  if (by.starts_with(kCost) && colon != std::string::npos) {
    const std::string_view text = by;
    const double miss = number_in(by, text.substr(kCost.size(), colon - kCost.size()), kAny);
    const double alarm = number_in(by, text.substr(colon + 1), kAny);
    return [miss, alarm](const Above& above, const Above& all) {
      return miss * (all.hits - above.hits) + alarm * above.false_alarms;
    };
  }
  if (!by.starts_with(kRecall)) number_in(by, "", 1);
  const double share = number_in(by, std::string_view(by).substr(kRecall.size()), 1);
  return [share](const Above& above, const Above& all) {
    const bool enough = above.hits >= share * all.hits;
    return enough ? above.hits + above.false_alarms : kAny;
  };
}

// Weights of one row with its class; sorted by descending margin.
struct Judged {
  double margin, weight;
  bool positive;
};

void sort_by_margin(std::vector<Judged>& rows) {
  std::sort(rows.begin(), rows.end(), [](const Judged& a, const Judged& b) {
    return a.margin != b.margin       ? a.margin > b.margin
           : a.positive != b.positive ? a.positive
                                      : a.weight < b.weight;  // sums must not depend on the order
  });
}

std::vector<Judged> judged(const MarginSample& sample) {
  std::vector<Judged> rows;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    rows.push_back({sample.margins()[i], sample.weights()[i], sample.y()[i] > 0});
  }
  sort_by_margin(rows);
  return rows;
}

std::vector<Judged> judged(const RowScores& held_out) {
  std::vector<Judged> rows;
  for (std::size_t i = 0; i < held_out.margins.size(); ++i) {
    const auto number = [i](const std::vector<float>& of) { return static_cast<double>(of[i]); };
    rows.push_back({number(held_out.margins), number(held_out.weights), held_out.labels[i] > 0});
  }
  sort_by_margin(rows);
  return rows;
}

// Between two margins, so that only the higher one is above it.
double between(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle >= low && middle < high ? middle : low;
}

double least_bad(const std::vector<Judged>& rows, const Badness& badness) {
  Above all;
  for (const Judged& row : rows) (row.positive ? all.hits : all.false_alarms) += row.weight;
  if (!(all.hits > 0 && all.false_alarms > 0)) {
    throw Error("a threshold needs rows of both classes");
  }
  double best = rows.front().margin;  // at first nothing is above it
  Above above;
  double least = badness(above, all);
  for (std::size_t i = 0; i < rows.size();) {
    const double margin = rows[i].margin;
    for (; i < rows.size() && rows[i].margin == margin; ++i) {
      (rows[i].positive ? above.hits : above.false_alarms) += rows[i].weight;
    }
    const double now = badness(above, all);
    if (!(now < least)) continue;
    least = now;
    best = i < rows.size() ? between(rows[i].margin, margin)
                           : std::nextafter(margin, -std::numeric_limits<double>::infinity());
  }
  return best;
}

ClassificationMetrics metrics_at(double threshold, const Model& model, const MarginSample& sample) {
  ClassificationMeter meter(threshold);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double margin = sample.margins()[i];
    std::optional<double> logit;
    if (model.calibration) logit = model.calibration->logit(margin);
    meter.add(margin, sample.y()[i], sample.weights()[i], logit);
  }
  return meter.finish();
}

}  // namespace

ThresholdChoice choose_threshold(const Model& model, const Predictor& predictor,
                                 const std::shared_ptr<RowSource>& rows, const std::string& by,
                                 const std::string& weights_file) {
  const Badness badness = badness_of(by);
  if (!two_classes(model)) throw Error("only a model of two classes has a threshold");
  RowView view;
  if (!weights_file.empty()) view.weights = std::make_shared<RowWeights>(weights_file);
  view.labels = LabelMap::of_classes(model.negative_label, model.positive_label);
  MarginSample sample;
  for_each_window(rows, view, [&](const Window& window) {
    for (const Row& row : window.rows) sample.add(predictor.margin(row), row.label, row.weight);
  });
  if (sample.size() == 0) throw Error(rows->name() + ": no rows");
  const double margin = least_bad(judged(sample), badness);
  return {{margin, by},
          metrics_at(model.threshold ? model.threshold->margin : 0, model, sample),
          metrics_at(margin, model, sample)};
}

Threshold choose_threshold(const RowScores& held_out, const std::string& by) {
  return {least_bad(judged(held_out), badness_of(by)), by};
}

void check_threshold_rule(const std::string& by) {
  badness_of(by);
}

double margin_at(const Model& model, double probability) {
  if (!model.calibration) throw Error("the model gives no probabilities");
  if (!(probability > 0 && probability < 1)) {
    throw UsageError("a threshold is a probability above 0 and below 1");
  }
  if (!(model.calibration->slope > 0)) {
    throw Error("the model's probabilities do not grow with its margin");
  }
  const double logit = portable::log(probability) - portable::log1p(-probability);
  return (logit - model.calibration->offset) / model.calibration->slope;
}

}  // namespace thresh
