#include "duchi/similarities.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "common/mnist.hpp"
#include "sparse/parallel.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {
namespace {

constexpr std::size_t kSupport = 2766;  // the paper's; it has all 60,000 and 10,000 digits, too
constexpr std::size_t kQuickRows = 100, kQuickSupport = 20;
constexpr double kWidth = 25;
constexpr std::size_t kAtOnce = 500;  // rows

struct Some {
  std::vector<Image> images;
  std::vector<int> digits;
};

Eigen::MatrixXd as_columns(std::span<const Image> images) {
  Eigen::MatrixXd columns(kPixels, static_cast<Eigen::Index>(images.size()));
  for (std::size_t i = 0; i < images.size(); ++i) {
    for (std::size_t k = 0; k < kPixels; ++k) {
      columns(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = images[i][k];
    }
  }
  return columns;
}

// K(x, s) for each x (columns) and s (rows).
Eigen::MatrixXd similarities(std::span<const Image> images, const Eigen::MatrixXd& support) {
  const Eigen::MatrixXd all = as_columns(images);
  const Eigen::VectorXd squares = all.colwise().squaredNorm(),
                        of_support = support.colwise().squaredNorm();
  Eigen::MatrixXd similar = support.transpose() * all;
  for (Eigen::Index i = 0; i < similar.cols(); ++i) {
    for (Eigen::Index j = 0; j < similar.rows(); ++j) {
      const double square = std::max(0.0, squares[i] + of_support[j] - 2 * similar(j, i));
      similar(j, i) = std::exp(-square / kWidth);
    }
  }
  return similar;
}

// A row's feature i is K(row, s_i) = exp(-|row - s_i|^2 / 25).
Rows rows_of(const Some& some, std::span<const Image> support) {
  const Eigen::MatrixXd columns = as_columns(support);
  const std::span<const Image> images = some.images;
  const auto part = [&](std::size_t k) {
    const std::size_t begin = k * kAtOnce;
    return similarities(images.subspan(begin, std::min(kAtOnce, images.size() - begin)), columns);
  };
  Rows rows;
  rows.indices.reserve(images.size() * support.size());
  rows.values.reserve(images.size() * support.size());
  parallel_in_order((images.size() + kAtOnce - 1) / kAtOnce, part,
                    [&](std::size_t, const Eigen::MatrixXd& similar) {
                      for (Eigen::Index i = 0; i < similar.cols(); ++i) {
                        for (Eigen::Index j = 0; j < similar.rows(); ++j) {
                          rows.add(static_cast<std::uint64_t>(j), similar(j, i));
                        }
                        rows.end_row(some.digits[rows.size()]);
                      }
                    });
  return rows;
}

Some some_of(const Digits& digits) {
  Some some{{}, digits.digits};
  for (const auto& image : digits.images) some.images.push_back(scaled(image));
  return some;
}

Some mixed_up(const Some& some, std::uint64_t seed) {
  std::vector<std::size_t> order(some.images.size());
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  shuffle(order.begin(), order.end(), random);
  Some mixed;
  for (const std::size_t i : order) {
    mixed.images.push_back(some.images[i]);
    mixed.digits.push_back(some.digits[i]);
  }
  return mixed;
}

}  // namespace

DataSet load_similarities(const std::string& folder, std::uint64_t k) {
  Some train = some_of(read_mnist(folder, false));
  const Some test = some_of(read_mnist(folder, true));
  if (k > 1) train = mixed_up(train, k);
  if (train.images.size() < kSupport) throw Error("MNIST: too few digits for the support");
  const std::span<const Image> support = std::span(train.images).first(kSupport);
  return make_data(rows_of(train, support), rows_of(test, support));
}

// Digits that are patches of light at ten places, with noise, and some of them wrong.
DataSet similarities_stand_in(std::uint64_t seed) {
  Random random(seed);
  Some some{std::vector<Image>(kQuickRows), std::vector<int>(kQuickRows)};
  for (std::size_t i = 0; i < kQuickRows; ++i) {
    int& digit = some.digits[i];
    digit = static_cast<int>(i % 10);
    for (std::size_t k = 0; k < kPixels; ++k) {
      const bool lit = static_cast<int>(k) / 78 == digit;
      some.images[i][k] = (lit ? 0.5 : 0) + 0.3 * random.uniform();
    }
    if (i % 7 == 3) digit = (digit + 1) % 10;
  }
  const Rows rows = rows_of(some, std::span(some.images).first(kQuickSupport));
  return make_data(rows, rows);
}

}  // namespace thresh::experiments
