#include "dhingra/gisette.hpp"

#include <numeric>
#include <set>

#include "common/mnist.hpp"
#include "sparse/random.hpp"

namespace thresh::experiments {

namespace {

constexpr std::size_t kInformative = 2500;
constexpr double kSet = 0.05;  // a pixel counts if set in so many rows
constexpr int kNegative = 4, kPositive = 9;

struct Classes {
  std::vector<Image> images;
  std::vector<double> labels;
};

// The first `each` of either class, in the order of the file.
Classes read_classes(const std::string& folder, bool test, std::size_t each) {
  const Digits all = read_mnist(folder, test);
  Classes chosen;
  std::size_t fours = 0, nines = 0;
  for (std::size_t i = 0; i < all.digits.size(); ++i) {
    const int digit = all.digits[i];
    if (digit != kNegative && digit != kPositive) continue;
    std::size_t& count = digit == kPositive ? nines : fours;
    if (count++ >= each) continue;
    chosen.labels.push_back(digit == kPositive ? 1 : -1);
    chosen.images.push_back(scaled(all.images[i]));
  }
  return chosen;
}

using Pair = std::pair<std::size_t, std::size_t>;  // of pixels; twice the same: the pixel itself

std::vector<Pair> choose_features(const Classes& train, Random& random) {
  std::vector<std::size_t> useful;
  for (std::size_t k = 0; k < kPixels; ++k) {
    double set = 0;
    for (const auto& image : train.images) set += image[k] > 0 ? 1 : 0;
    if (set >= kSet * static_cast<double>(train.images.size())) useful.push_back(k);
  }
  std::vector<Pair> features;
  for (const std::size_t k : useful) features.emplace_back(k, k);
  std::set<Pair> taken;
  while (features.size() < kInformative) {
    const std::size_t a = useful[random.below(useful.size())];
    const std::size_t b = useful[random.below(useful.size())];
    if (a < b && taken.emplace(a, b).second) features.emplace_back(a, b);
  }
  return features;
}

// The features by column: informative ones, and behind them their probes.
std::vector<std::vector<double>> columns_of(const Classes& digits,
                                            const std::vector<Pair>& features, Random& random) {
  std::vector<std::vector<double>> columns;
  for (const auto& [a, b] : features) {
    auto& column = columns.emplace_back();
    for (const auto& image : digits.images) {
      column.push_back(a == b ? image[a] : image[a] * image[b]);
    }
  }
  for (std::size_t j = 0; j < features.size(); ++j) {
    std::vector<double> probe = columns[j];
    shuffle(probe.begin(), probe.end(), random);
    columns.push_back(std::move(probe));
  }
  return columns;
}

Rows rows_of(const Classes& digits, const std::vector<Pair>& features,
             const std::vector<std::size_t>& order, Random& random) {
  const auto columns = columns_of(digits, features, random);
  Rows rows;
  for (std::size_t i = 0; i < digits.labels.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      const double value = columns[order[j]][i];
      if (value != 0) rows.add(j, value);
    }
    rows.end_row(digits.labels[i]);
  }
  return rows;
}

}  // namespace

std::pair<Rows, Rows> gisette_recipe(const std::string& folder) {
  const Classes train = read_classes(folder, false, 3000);
  const Classes test = read_classes(folder, true, 500);
  Random random(1);
  const std::vector<Pair> features = choose_features(train, random);
  std::vector<std::size_t> order(2 * kInformative);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order.begin(), order.end(), random);
  Rows rows = rows_of(train, features, order, random);
  return {std::move(rows), rows_of(test, features, order, random)};
}

}  // namespace thresh::experiments
