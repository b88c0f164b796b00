#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "data/generate/chunks.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/generate.hpp"

namespace thresh {
namespace {

enum GaussianStream : uint64_t { kWeights, kRows };

bool is_share(double x) {
  return x >= 0 && x <= 1;
}

double checked_noise(const GaussianOptions& options) {
  const double noise = options.noise.value_or(options.regression ? 1.0 : 0.1);
  if (options.rows == 0 || options.features == 0) {
    throw UsageError("a data set needs at least one row and one feature");
  }
  if (!is_share(options.zeros)) throw UsageError("the share of zeros must be between 0 and 1");
  if (options.regression && !(noise >= 0 && std::isfinite(noise))) {
    throw UsageError("the noise must not be negative");
  }
  if (!options.regression && !is_share(noise)) {
    throw UsageError("the share of flipped labels must be between 0 and 1");
  }
  return noise;
}

// Normal weights, of which exactly the wanted share (rounded) is zero.
std::vector<double> true_weights(const GaussianOptions& options) {
  Random random(options.seed, kWeights);
  std::vector<double> weights(options.features);
  for (double& weight : weights) weight = random.normal();
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  shuffle(order.begin(), order.end(), random);
  const double zeros = std::round(options.zeros * static_cast<double>(weights.size()));
  order.resize(static_cast<size_t>(zeros));
  for (const size_t j : order) weights[j] = 0;
  return weights;
}

// Appends one row's features to `text` and returns w·x. The product uses the values that a reader
// will parse, so that the file is consistent to the last bit.
double write_features(const std::vector<double>& weights, Random& random, std::string& text) {
  double product = 0;
  for (size_t j = 0; j < weights.size(); ++j) {
    fmt::format_to(std::back_inserter(text), " {}:", j + 1);
    const size_t start = text.size();
    fmt::format_to(std::back_inserter(text), "{:.9g}", random.normal());
    double printed = 0;
    std::from_chars(text.data() + start, text.data() + text.size(), printed);
    product += weights[j] * printed;
  }
  return product;
}

}  // namespace

Generated generate_gaussian(const GaussianOptions& options, const Sink& rows_out) {
  const double noise = checked_noise(options);
  const std::vector<double> weights = true_weights(options);
  Random random(options.seed, kRows);
  Chunks rows(rows_out);
  uint64_t positives = 0;
  std::string features;
  for (uint64_t i = 0; i < options.rows; ++i) {
    features.clear();
    const double product = write_features(weights, random, features);
    if (options.regression) {
      const double label = product + noise * random.normal();
      positives += label > 0 ? 1 : 0;
      fmt::format_to(rows.out(), "{:.17g}{}", label, features);
    } else {
      const bool positive = (product > 0) != (random.uniform() < noise);
      positives += positive ? 1 : 0;
      fmt::format_to(rows.out(), "{}{}", positive ? "+1" : "-1", features);
    }
    rows.end_line();
  }
  rows.finish();

  Generated made{options.rows, options.features, options.rows * options.features, positives, {}};
  for (size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] != 0) made.truth.emplace_back(j + 1, weights[j]);
  }
  return made;
}

}  // namespace thresh
