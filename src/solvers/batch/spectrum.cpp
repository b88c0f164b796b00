#include "solvers/batch/spectrum.hpp"

#include <cmath>

#include "data/read/bytes.hpp"
#include "solvers/batch/pieces.hpp"
#include "sparse/random.hpp"

namespace thresh {
namespace {

// The last number is the intercept's, all others are of columns.
double norm(const std::vector<double>& v, const std::optional<SlicedMatrix>& sliced) {
  double sum = 0;
  if (sliced) {
    sum = sliced->sum([&](std::size_t j) { return v[j] * v[j]; }) + v.back() * v.back();
  } else {
    for (const double x : v) sum += x * x;
  }
  return std::sqrt(sum);
}

}  // namespace

double largest_eigenvalue(const Matrix& matrix, bool intercept, int passes,
                          const std::atomic<bool>* stop,
                          const std::optional<SlicedMatrix>& sliced) {
  const std::size_t columns = matrix.columns();
  std::vector<double> v(columns + 1);  // the last is the intercept's
  std::vector<double> image(matrix.rows());
  Random random(1);
  for (double& x : v) x = random.uniform() - 0.5;
  if (sliced) v[columns] = 0.5;
  for (std::size_t j = 0; sliced && j < columns; ++j) v[j] = sliced->draw(j);
  if (!intercept) v[columns] = 0;
  double value = 0;
  for (int i = 0; i < passes / 2; ++i) {
    check_stop(stop, "largest eigenvalue");
    const double length = norm(v, sliced);
    if (length == 0) break;
    for (double& x : v) x /= length;
    const auto set_image = [&](std::size_t r, double product) {
      image[r] = matrix.weight(r) * (product + v[columns]);
    };
    if (sliced) {
      sliced->for_each_row([&](std::uint32_t j, double x) { return v[j] * x; }, set_image);
    } else {
      in_pieces(matrix.rows(), matrix.entries(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t r = begin; r < end; ++r) set_image(r, dot(matrix.row(r), v));
      });
    }
    in_pieces(columns, matrix.entries(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) v[j] = dot(matrix.column(j), image);
    });
    double sum = 0;
    for (const double x : image) sum += x;
    v[columns] = intercept ? sum : 0;
    value = norm(v, sliced);
  }
  if (value == 0) return 1;
  return passes == kEigenvaluePasses ? 1.01 * value : value;
}

}  // namespace thresh
