#include "duchi/similarities.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "common/mnist.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {
namespace {

constexpr std::size_t kRows = 10000, kTestRows = 1000, kSupport = 500;  // paper: 60,000; 2,766
constexpr std::size_t kQuickRows = 100, kQuickSupport = 20;
constexpr double kWidth = 25;

Eigen::MatrixXd as_columns(const std::vector<Image>& images) {
  Eigen::MatrixXd columns(kPixels, static_cast<Eigen::Index>(images.size()));
  for (std::size_t i = 0; i < images.size(); ++i) {
    for (std::size_t k = 0; k < kPixels; ++k) {
      columns(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = images[i][k];
    }
  }
  return columns;
}

// A row's feature i is K(row, s_i) = exp(-|row - s_i|^2 / 25), s_1, s_2, ... the first of all rows.
Rows similarities(const std::vector<Image>& images, const std::vector<int>& digits,
                  const std::vector<Image>& support) {
  const Eigen::MatrixXd all = as_columns(images), some = as_columns(support);
  const Eigen::MatrixXd products = some.transpose() * all;
  const Eigen::VectorXd squares = all.colwise().squaredNorm(),
                        of_some = some.colwise().squaredNorm();
  Rows rows;
  for (Eigen::Index i = 0; i < products.cols(); ++i) {
    for (Eigen::Index j = 0; j < products.rows(); ++j) {
      const double square = std::max(0.0, squares[i] + of_some[j] - 2 * products(j, i));
      rows.add(static_cast<std::uint64_t>(j), std::exp(-square / kWidth));
    }
    rows.end_row(digits[static_cast<std::size_t>(i)]);
  }
  return rows;
}

// The k-th `count` digits, k from 1.
struct Some {
  std::vector<Image> images;
  std::vector<int> digits;
};
Some some_of(const Digits& all, std::size_t count, std::uint64_t k) {
  if (all.images.size() < k * count) {
    throw Error(
        fmt::format("MNIST: there are {} digits, {} are needed", all.images.size(), k * count));
  }
  Some some;
  for (std::size_t i = (k - 1) * count; i < k * count; ++i) {
    some.images.push_back(scaled(all.images[i]));
    some.digits.push_back(all.digits[i]);
  }
  return some;
}

}  // namespace

DataSet load_similarities(const std::string& folder, std::uint64_t k) {
  const Some train = some_of(read_mnist(folder, false), kRows, k),
             test = some_of(read_mnist(folder, true), kTestRows, k);
  const std::vector<Image> support(train.images.begin(), train.images.begin() + kSupport);
  return make_data(similarities(train.images, train.digits, support),
                   similarities(test.images, test.digits, support));
}

// Digits that are patches of light at ten places, with noise, and some of them wrong.
DataSet similarities_stand_in(std::uint64_t seed) {
  Random random(seed);
  std::vector<Image> images(kQuickRows);
  std::vector<int> digits(kQuickRows);
  for (std::size_t i = 0; i < images.size(); ++i) {
    digits[i] = static_cast<int>(i % 10);
    for (std::size_t k = 0; k < kPixels; ++k) {
      const bool lit = static_cast<int>(k) / 78 == digits[i];
      images[i][k] = (lit ? 0.5 : 0) + 0.3 * random.uniform();
    }
    if (i % 7 == 3) digits[i] = (digits[i] + 1) % 10;
  }
  const std::vector<Image> support(images.begin(), images.begin() + kQuickSupport);
  const Rows rows = similarities(images, digits, support);
  return make_data(rows, rows);
}

}  // namespace thresh::experiments
