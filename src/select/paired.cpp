#include "select/paired.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thresh {
namespace {

double sum_of(const std::vector<float>& weights) {
  double sum = 0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  return sum;
}

Measured mean_of(const RowScores& rows, const std::vector<float>& values) {
  Measured mean{0, {values.begin(), values.end()}};
  const double weight = sum_of(rows.weights);
  if (weight == 0) return mean;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean.value += static_cast<double>(rows.weights[i]) * mean.parts[i];
  }
  mean.value /= weight;
  return mean;
}

Measured rmse_of(const RowScores& rows) {
  std::vector<float> squares(rows.misses.size());
  std::transform(rows.misses.begin(), rows.misses.end(), squares.begin(),
                 [](float miss) { return miss * miss; });
  Measured root = mean_of(rows, squares);
  const double mean = root.value;
  root.value = std::sqrt(mean);
  for (double& part : root.parts) {
    part = root.value + (root.value > 0 ? (part - mean) / (2 * root.value) : 0);
  }
  return root;
}

// F1 = 2 TP / (2 TP + FP + FN).
Measured f1_of(const RowScores& rows) {
  const std::size_t n = rows.margins.size();
  std::vector<double> above(n), below(n);
  double found = 0;
  double all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double predicted = rows.margins[i] > 0 ? 1 : 0;
    const double positive = rows.labels[i] > 0 ? 1 : 0;
    above[i] = 2 * predicted * positive;
    below[i] = predicted + positive;
    found += static_cast<double>(rows.weights[i]) * above[i];
    all += static_cast<double>(rows.weights[i]) * below[i];
  }
  const double f1 = all > 0 ? found / all : 0;
  const double per_row = all / sum_of(rows.weights);
  Measured measured{1 - f1, std::vector<double>(n, 1 - f1)};
  for (std::size_t i = 0; i < n && all > 0; ++i) {
    measured.parts[i] -= (above[i] - f1 * below[i]) / per_row;
  }
  return measured;
}

// DeLong's parts: of a positive row the share of negative rows below it, of a negative one the
// share of positive rows above it; equal margins count half.
Measured auc_of(const RowScores& rows) {
  const std::size_t n = rows.margins.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(rows.margins[a], a) < std::pair(rows.margins[b], b);
  });
  double weights[2] = {0, 0};  // of the negative and the positive rows
  const auto of_row = [&](std::size_t i) { return rows.labels[i] > 0 ? 1 : 0; };
  for (std::size_t i = 0; i < n; ++i) weights[of_row(i)] += static_cast<double>(rows.weights[i]);
  if (weights[0] == 0 || weights[1] == 0) return {0.5, std::vector<double>(n, 0.5)};
  std::vector<double> shares(n);
  double passed[2] = {0, 0};
  double auc = 0;
  for (std::size_t first = 0; first < n;) {
    std::size_t end = first;
    double equal[2] = {0, 0};
    for (; end < n && rows.margins[order[end]] == rows.margins[order[first]]; ++end) {
      equal[of_row(order[end])] += static_cast<double>(rows.weights[order[end]]);
    }
    for (; first < end; ++first) {
      const std::size_t i = order[first];
      shares[i] = of_row(i) == 1 ? (passed[0] + equal[0] / 2) / weights[0]
                                 : 1 - (passed[1] + equal[1] / 2) / weights[1];
      if (of_row(i) == 1) auc += static_cast<double>(rows.weights[i]) * shares[i] / weights[1];
    }
    passed[0] += equal[0];
    passed[1] += equal[1];
  }
  const double all = weights[0] + weights[1];
  for (std::size_t i = 0; i < n; ++i) {
    shares[i] = 1 - auc - (shares[i] - auc) * all / weights[of_row(i)];
  }
  return {1 - auc, std::move(shares)};
}

double squares_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, double value) { return sum + value * value; });
}

// The squares of the sums of the values with the same id.
double squares_of_sums(const std::vector<double>& values, const std::vector<std::uint64_t>& ids) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(ids[a], a) < std::pair(ids[b], b);
  });
  std::vector<double> sums;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || ids[order[i]] != ids[order[i - 1]]) sums.push_back(0);
    sums.back() += values[order[i]];
  }
  return squares_of(sums);
}

}  // namespace

Measured measure(const RowScores& rows, Measure by) {
  switch (by) {
    case Measure::loss:
      return mean_of(rows, rows.losses);
    case Measure::auc:
      return auc_of(rows);
    case Measure::f1:
      return f1_of(rows);
    case Measure::rmse:
      return rmse_of(rows);
    case Measure::error:
      break;
  }
  return mean_of(rows, rows.misses);
}

double score_of(const SizedResult& model, Measure by) {
  const TracePoint& last = model.last;
  if (by == Measure::loss) return last.valid_loss.value_or(0);
  if (!last.row_scores || last.row_scores->misses.empty()) return last.valid_error.value_or(0);
  return measure(*last.row_scores, by).value;
}

Difference difference_of(const RowScores& a, const RowScores& b, Measure by,
                         std::uint64_t repeats) {
  const Measured of_a = measure(a, by);
  const Measured of_b = measure(b, by);
  const double weight = sum_of(a.weights);
  if (weight == 0) return {};
  Difference difference{of_a.value - of_b.value, 0};
  std::vector<double> off(of_a.parts.size());
  for (std::size_t i = 0; i < off.size(); ++i) {
    off[i] = static_cast<double>(a.weights[i]) * (of_a.parts[i] - of_b.parts[i] - difference.mean);
  }
  const bool together = repeats > 1 && a.ids.size() == off.size();
  const double squares =
      together ? squares_of_sums(off, a.ids) : squares_of(off) * static_cast<double>(repeats);
  difference.se = std::sqrt(squares) / weight;
  return difference;
}

bool has_fewer_errors(const SizedResult& a, const SizedResult& b, std::uint64_t repeats) {
  const auto& of_a = a.last.row_scores;
  const auto& of_b = b.last.row_scores;
  if (!of_a || !of_b || of_a->misses.size() != of_b->misses.size()) return false;
  const Difference more = difference_of(*of_a, *of_b, Measure::error, repeats);
  return more.mean < -2 * more.se;
}

}  // namespace thresh
