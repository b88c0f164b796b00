#include "diagnose/spectrum.hpp"

#include <Spectra/SymEigsSolver.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <vector>

#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr Eigen::Index kVectors = 10;  // held by Lanczos
constexpr double kTolerance = 1e-8;    // of the residual, relative to the eigenvalue
constexpr Eigen::Index kRestarts = 1000;
constexpr Eigen::Index kFewRestarts = 50;

// X'X, or XX' if that is smaller. Vectors are multiplied by a power of two before the values, which
// is exact, so that no product leaves the range of a double.
class Gram {
 public:
  using Scalar = double;  // Spectra requires this name and those of the next three functions

  Gram(RowSource& source, const ColumnSet& columns, const GramOptions& options, const Watch& watch)
      : source_(source),
        watch_(watch),
        columns_(columns),
        intercept_(options.intercept),
        exponent_(exponent_for(std::max(options.largest, intercept_ ? 1.0 : 0.0))),
        rows_(source.survey()->rows) {}

  Eigen::Index rows() const { return static_cast<Eigen::Index>(std::min(rows_, width())); }
  Eigen::Index cols() const { return rows(); }
  void perform_op(const double* in, double* out) const {
    if (!has_null_space()) {
      add_up(
          in, [](std::size_t, double margin) { return margin; }, out);
      return;
    }
    std::vector<double> image(width());
    std::vector<double> scratch(width());
    add_up(
        scratch.data(), [&](std::size_t i, double) { return in[i]; }, image.data());
    const auto note = [&](std::size_t i, double margin) {
      out[i] = margin;
      return 0.0;
    };
    add_up(image.data(), note, scratch.data());
  }

  // More columns than rows: products use XX', and X'X has the eigenvalue zero.
  bool has_null_space() const { return rows_ < width(); }
  Eigenvalue scaled_back(double value) const { return {std::max(value, 0.0), exponent_}; }

 private:
  std::size_t width() const { return columns_.size() + (intercept_ ? 1 : 0); }

  static int exponent_for(double largest) {
    return largest == 0 ? 0 : std::max(std::ilogb(largest), -1000);  // 2^1000 is still a double
  }

  // sum_i factor(i, <x_i, v>) x_i, with scaled values.
  template <class Factor>
  void add_up(const double* v, const Factor& factor, double* sums) const {
    const double power = std::ldexp(1.0, -exponent_);
    std::vector<double> scaled(v, v + width());
    for (double& x : scaled) x *= power;
    const double of_ones = intercept_ ? scaled.back() : 0;
    double ones = 0;
    const auto scaled_factor = [&](std::size_t i, double margin, const Row&) {
      const double f = power * factor(i, margin + of_ones);
      ones += f;
      return f;
    };
    sum_rows(source_, columns_, scaled.data(), scaled_factor, sums, watch_);
    if (intercept_) sums[columns_.size()] = ones;
  }

  RowSource& source_;
  const Watch& watch_;
  const ColumnSet& columns_;
  bool intercept_;
  int exponent_;
  std::size_t rows_;
};

// All eigenvalues, ascending. Builds the matrix column by column.
Eigen::VectorXd small_spectrum(const Gram& gram) {
  const Eigen::Index n = gram.rows();
  Eigen::MatrixXd matrix(n, n);
  const Eigen::MatrixXd units = Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index j = 0; j < n; ++j) gram.perform_op(units.col(j).data(), matrix.col(j).data());
  return matrix.selfadjointView<Eigen::Lower>().eigenvalues();
}

std::optional<double> extreme_eigenvalue(Gram& gram, Spectra::SortRule which,
                                         Eigen::Index restarts) {
  const Eigen::Index n = gram.rows();
  if (n == 0) return 0;
  // Lanczos needs a space larger than its basis, and breaks down if everything is zero.
  if (n <= kVectors) {
    const Eigen::VectorXd all = small_spectrum(gram);
    return which == Spectra::SortRule::LargestAlge ? all[n - 1] : all[0];
  }
  Spectra::SymEigsSolver<Gram> solver(gram, 1, kVectors);
  solver.init();
  if (solver.compute(which, restarts, kTolerance) < 1) return std::nullopt;
  return solver.eigenvalues()[0];
}

}  // namespace

double Eigenvalue::plain() const {
  return std::ldexp(value, 2 * exponent);
}

double Eigenvalue::log10() const {
  return std::log10(value) + 2 * exponent * std::log10(2.0);
}

double ratio(const Eigenvalue& a, const Eigenvalue& b) {
  return std::ldexp(a.value / b.value, 2 * (a.exponent - b.exponent));
}

Eigenvalue largest_eigenvalue(RowSource& source, const ColumnSet& columns,
                              const GramOptions& options, const Watch& watch) {
  if (options.largest == 0 && !options.intercept) return {};
  Gram gram(source, columns, options, watch);
  const auto value = extreme_eigenvalue(gram, Spectra::SortRule::LargestAlge, kRestarts);
  if (!value) throw Error(source.name() + ": the largest eigenvalue was not found (Lanczos)");
  return gram.scaled_back(*value);
}

std::optional<Eigenvalue> smallest_eigenvalue(RowSource& source, const ColumnSet& columns,
                                              const GramOptions& options, const Watch& watch) {
  Gram gram(source, columns, options, watch);
  if (gram.has_null_space()) return Eigenvalue{};
  const auto value = extreme_eigenvalue(gram, Spectra::SortRule::SmallestAlge, kFewRestarts);
  return value ? std::optional(gram.scaled_back(*value)) : std::nullopt;
}

Radius iteration_radius(RowSource& source, const ColumnSet& columns, const Eigenvalue& largest,
                        const Eigenvalue& gamma, const GramOptions& options, const Watch& watch) {
  if (columns.size() == 0) return {};  // M is empty
  const double upper = ratio(largest, gamma);
  if (upper >= 2) return {upper - 1, false};
  const auto smallest = smallest_eigenvalue(source, columns, options, watch);
  const double lower = smallest ? ratio(*smallest, gamma) : 0;
  return {std::max(std::fabs(1 - upper), std::fabs(1 - lower)), !smallest};
}

}  // namespace thresh
