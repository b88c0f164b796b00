#include "dhingra/gisette.hpp"

#include "common/mnist.hpp"
#include "thresh/generate.hpp"

namespace thresh::experiments {

namespace {

constexpr std::size_t kInformative = 2500;
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

DenseColumns columns_of(const Classes& digits) {
  DenseColumns columns(kPixels);
  for (std::size_t k = 0; k < kPixels; ++k) {
    for (const auto& image : digits.images) columns[k].push_back(image[k]);
  }
  return columns;
}

Rows rows_of(const Classes& digits, ProbeRecipe& recipe) {
  const DenseColumns columns = recipe.apply(columns_of(digits));
  Rows rows;
  for (std::size_t i = 0; i < digits.labels.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j][i] != 0) rows.add(j, columns[j][i]);
    }
    rows.end_row(digits.labels[i]);
  }
  return rows;
}

}  // namespace

std::pair<Rows, Rows> gisette_recipe(const std::string& folder) {
  const Classes train = read_classes(folder, false, 3000);
  const Classes test = read_classes(folder, true, 500);
  ProbeRecipe recipe(columns_of(train), kInformative, 1);
  Rows rows = rows_of(train, recipe);
  return {std::move(rows), rows_of(test, recipe)};
}

}  // namespace thresh::experiments
