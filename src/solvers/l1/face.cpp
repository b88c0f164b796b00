// Steps of the model on a face: the non-zero weights with their signs, all others zero. There the
// prices are linear, so the minimum is the solution of linear equations.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "solvers/batch/pieces.hpp"
#include "solvers/l1/newton_model.hpp"

namespace thresh {

namespace {

constexpr int kMostGradients = 40;  // steps of the conjugate gradient method

}  // namespace

void NewtonModel::step_on_face() {
  Face face;
  for (std::uint32_t k = 0; k < weights_.size(); ++k) {
    const bool free = weight(k) != 0 || prices_[k].up == 0;
    if (!free || std::fabs(move_[k]) >= 0.999 * longest_[k]) continue;
    face.places.push_back(k);
    face.right.push_back(-(gradient(k) + prices_[k].slope(weight(k))));
  }
  if (face.places.empty()) return;
  face.rows = by_row(face.places);
  const auto size = static_cast<double>(face.places.size());
  double pairs = 0;  // of entries in the same row
  for (std::size_t i = 0; i < shift_.size(); ++i) {
    const auto here = static_cast<double>(face.rows.starts[i + 1] - face.rows.starts[i]);
    pairs += here * here / 2;
  }
  const double dense_cost = 2 * pairs + size * size * size / 10;
  const double steps_cost = static_cast<double>(face.rows.at.size()) * kMostGradients;
  std::vector<double> by = dense_cost < steps_cost ? solve_dense(face) : solve_by_gradients(face);
  if (try_move(face, by)) return;
  for (double& b : by) b /= 4;
  try_move(face, by);
}

NewtonModel::ByRow NewtonModel::by_row(std::span<const std::uint32_t> places) const {
  ByRow rows;
  rows.starts.assign(shift_.size() + 1, 0);
  for (const std::uint32_t k : places) {
    for (std::size_t e = starts_[k]; e < ends_[k]; ++e) ++rows.starts[at_[e] + 1];
  }
  for (std::size_t i = 0; i < shift_.size(); ++i) rows.starts[i + 1] += rows.starts[i];
  rows.at.resize(rows.starts.back());
  rows.values.resize(rows.starts.back());
  std::vector<std::size_t> next(rows.starts.begin(), rows.starts.end() - 1);
  for (std::uint32_t f = 0; f < places.size(); ++f) {
    for (std::size_t e = starts_[places[f]]; e < ends_[places[f]]; ++e) {
      const std::size_t to = next[at_[e]]++;
      rows.at[to] = f;
      rows.values[to] = values_[e];
    }
  }
  return rows;
}

Eigen::MatrixXd NewtonModel::dense(const ByRow& rows, std::span<const std::uint32_t> places) const {
  const auto size = static_cast<Eigen::Index>(places.size());
  // Always the same two halves, so that the sum is the same with any number of cores.
  const std::size_t all = rows.starts.size() - 1;
  const std::size_t half = std::max<std::size_t>(1, (all + 1) / 2);
  Eigen::MatrixXd halves[2] = {Eigen::MatrixXd::Zero(size, size),
                               Eigen::MatrixXd::Zero(size, size)};
  const auto add = [&](std::size_t begin, std::size_t end) {
    Eigen::MatrixXd& h = halves[begin / half];
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e) {
        const double value = rows.values[e];
        double* column = &h(0, rows.at[e]);
        for (std::size_t f = e; f < rows.starts[i + 1]; ++f) {
          column[rows.at[f]] += value * rows.values[f];
        }
      }
    }
  };
  in_pieces(all, rows.at.size(), add, half);
  Eigen::MatrixXd h = halves[0] + halves[1];
  for (Eigen::Index f = 0; f < size; ++f) h(f, f) += rest_[places[static_cast<std::size_t>(f)]];
  return h;
}

// Moves along, up to where signs would change or trust ends, if that is downhill.
bool NewtonModel::try_move(const Face& face, std::span<const double> by) {
  const double before = decrease();
  std::vector<double> old(face.places.size());
  for (std::size_t f = 0; f < by.size(); ++f) {
    const std::uint32_t k = face.places[f];
    old[f] = weight(k);
    double now = clamp(k, old[f] + by[f]);
    if (now * old[f] < 0 && prices_[k].up > 0) now = 0;
    set_weight(k, now);
  }
  if (decrease() < before) return true;
  for (std::size_t f = 0; f < by.size(); ++f) set_weight(face.places[f], old[f]);
  return false;
}

std::vector<double> NewtonModel::solve_dense(const Face& face) const {
  Eigen::MatrixXd h = dense(face.rows, face.places);
  h.diagonal() *= 1 + 1e-9;  // almost equal columns are not quite equal
  const Eigen::Map<const Eigen::VectorXd> right(face.right.data(), h.rows());
  const Eigen::VectorXd solution = h.selfadjointView<Eigen::Lower>().llt().solve(right);
  return {solution.data(), solution.data() + solution.size()};
}

// Conjugate gradients, scaled by the diagonal, until the residual is a tenth of what it was.
std::vector<double> NewtonModel::solve_by_gradients(const Face& face) const {
  const std::size_t size = face.places.size();
  std::vector<double> solution(size), residual = face.right, direction(size), image(size);
  const auto weigh = [&](std::size_t f) { return residual[f] / bend_[face.places[f]]; };
  double length = 0;
  for (std::size_t f = 0; f < size; ++f) {
    direction[f] = weigh(f);
    length += residual[f] * direction[f];
  }
  // H times the direction, row by row: always in the same two halves, whose sums are added.
  const std::size_t half = std::max<std::size_t>(1, (shift_.size() + 1) / 2);
  std::vector<double> images[2] = {std::vector<double>(size), std::vector<double>(size)};
  const auto apply = [&](std::size_t begin, std::size_t end) {
    std::vector<double>& sums = images[begin / half];
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t from = face.rows.starts[i], to = face.rows.starts[i + 1];
      double along = 0;
      for (std::size_t e = from; e < to; ++e) {
        along += face.rows.values[e] * direction[face.rows.at[e]];
      }
      for (std::size_t e = from; e < to; ++e) sums[face.rows.at[e]] += along * face.rows.values[e];
    }
  };
  const double enough = 0.01 * length;
  for (int step = 0; step < kMostGradients && length > enough; ++step) {
    in_pieces(shift_.size(), face.rows.at.size() / 2, apply, half);
    double bend = 0;
    for (std::size_t f = 0; f < size; ++f) {
      image[f] = images[0][f] + images[1][f] + rest_[face.places[f]] * direction[f];
      bend += direction[f] * image[f];
    }
    if (!(bend > 0)) break;
    const double along = length / bend;
    double next_length = 0;
    for (std::size_t f = 0; f < size; ++f) {
      solution[f] += along * direction[f];
      residual[f] -= along * image[f];
      next_length += residual[f] * weigh(f);
    }
    for (std::size_t f = 0; f < size; ++f) {
      direction[f] = weigh(f) + next_length / length * direction[f];
    }
    length = next_length;
  }
  return solution;
}

}  // namespace thresh
