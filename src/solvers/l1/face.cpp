// Steps of the model on a face: the non-zero weights with their signs, all others zero. There the
// prices are linear, so the minimum is the solution of linear equations.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

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
  const double dense_cost = pairs + size * size * size / 10;
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
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t i = 0; i + 1 < rows.starts.size(); ++i) {
    for (std::size_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e) {
      const double value = rows.values[e];
      double* column = &h(0, rows.at[e]);
      for (std::size_t f = e; f < rows.starts[i + 1]; ++f) {
        column[rows.at[f]] += value * rows.values[f];
      }
    }
  }
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
  std::vector<double> rows(shift_.size());
  const auto weigh = [&](std::size_t f) { return residual[f] / bend_[face.places[f]]; };
  double length = 0;
  for (std::size_t f = 0; f < size; ++f) {
    direction[f] = weigh(f);
    length += residual[f] * direction[f];
  }
  const double enough = 0.01 * length;
  for (int step = 0; step < kMostGradients && length > enough; ++step) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0;
      for (std::size_t e = face.rows.starts[i]; e < face.rows.starts[i + 1]; ++e) {
        sum += face.rows.values[e] * direction[face.rows.at[e]];
      }
      rows[i] = sum;
    }
    double bend = 0;
    for (std::size_t f = 0; f < size; ++f) {
      const std::uint32_t k = face.places[f];
      double sum = rest_[k] * direction[f];
      for (std::size_t e = starts_[k]; e < ends_[k]; ++e) sum += values_[e] * rows[at_[e]];
      image[f] = sum;
      bend += direction[f] * sum;
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
