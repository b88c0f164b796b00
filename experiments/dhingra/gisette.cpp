#include "dhingra/gisette.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <set>

#include "common/archive.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {

const std::vector<std::string> kMnistFiles = {
    "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz"};

namespace {

constexpr std::size_t kInformative = 2500;
constexpr std::size_t kPixels = 28 * 28;
constexpr std::size_t kImageHead = 16, kLabelHead = 8;  // bytes of an IDX file before its values
constexpr double kSet = 0.05;                           // a pixel counts if set in so many rows
constexpr char kNegative = 4, kPositive = 9;

struct Digits {
  std::vector<std::array<double, kPixels>> images;
  std::vector<double> labels;
};

// The first `each` of either class, in the order of the file.
Digits read_digits(const std::string& images_path, const std::string& labels_path,
                   std::size_t each) {
  const std::string images = read_bytes(images_path), labels = read_bytes(labels_path);
  if (images.size() != kImageHead + kPixels * (labels.size() - kLabelHead)) {
    throw Error(fmt::format("{}: not the images of {}", images_path, labels_path));
  }
  Digits digits;
  std::size_t fours = 0, nines = 0;
  for (std::size_t i = 0; i + kLabelHead < labels.size(); ++i) {
    const char label = labels[kLabelHead + i];
    if (label != kNegative && label != kPositive) continue;
    std::size_t& count = label == kPositive ? nines : fours;
    if (count++ >= each) continue;
    digits.labels.push_back(label == kPositive ? 1 : -1);
    auto& image = digits.images.emplace_back();
    for (std::size_t k = 0; k < kPixels; ++k) {
      image[k] = static_cast<unsigned char>(images[kImageHead + i * kPixels + k]) / 255.0;
    }
  }
  return digits;
}

using Pair = std::pair<std::size_t, std::size_t>;  // of pixels; twice the same: the pixel itself

std::vector<Pair> choose_features(const Digits& train, Random& random) {
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
std::vector<std::vector<double>> columns_of(const Digits& digits, const std::vector<Pair>& features,
                                            Random& random) {
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

Rows rows_of(const Digits& digits, const std::vector<Pair>& features,
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
  const auto path = [&](std::size_t i) { return folder + "/" + kMnistFiles[i]; };
  const Digits train = read_digits(path(0), path(1), 3000);
  const Digits test = read_digits(path(2), path(3), 500);
  Random random(1);
  const std::vector<Pair> features = choose_features(train, random);
  std::vector<std::size_t> order(2 * kInformative);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order.begin(), order.end(), random);
  Rows rows = rows_of(train, features, order, random);
  return {std::move(rows), rows_of(test, features, order, random)};
}

}  // namespace thresh::experiments
