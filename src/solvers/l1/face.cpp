// Steps of the model on a face: the non-zero weights with fixed signs, all others zero. On a face
// the prices are linear, so the minimum solves linear equations.

#include <algorithm>
#include <utility>

#include "solvers/batch/pieces.hpp"
#include "solvers/l1/newton_model.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {

namespace {

constexpr int kMostGradients = 40;  // steps of the conjugate gradient method

template <class Row>
double dot(const Row& row, const std::vector<double>& dense) {
  return sum_in_four(row.size(), [&](std::size_t e) { return row[e].value * dense[row[e].at]; });
}

}  // namespace

// Calls work(begin, end) for two fixed halves of the rows, so that sums over the halves are the
// same with any number of cores.
template <class Work>
void NewtonModel::in_halves(std::size_t entries, const Work& work) const {
  in_pieces(shift_.size(), entries, work, std::max<std::size_t>(1, (shift_.size() + 1) / 2));
}

void NewtonModel::step_on_face() {
  Face face;
  for (std::uint32_t k = 0; k < weights_.size(); ++k) {
    const bool free = weight(k) != 0 || prices_[k].up == 0;
    if (!free || std::fabs(move_[k]) >= 0.999 * longest_[k]) continue;
    face.places.push_back(k);
    face.right.push_back(-(gradient(k) + prices_[k].slope(weight(k))));
  }
  if (face.places.empty()) return;
  by_row(face.places);
  const auto size = static_cast<double>(face.places.size());
  const double dense_cost = 2 * pairs() + size * size * size / 10;
  const double steps_cost = static_cast<double>(rows_.size()) * kMostGradients;
  std::vector<double> by = dense_cost < steps_cost ? solve_dense(face) : solve_by_gradients(face);
  if (try_move(face, by)) return;
  for (double& b : by) b /= 4;
  try_move(face, by);
}

// Calls work(e) for the column's entries in rows begin .. end-1.
template <class Work>
void NewtonModel::for_entries(std::size_t k, std::size_t begin, std::size_t end,
                              const Work& work) const {
  const auto column = at_.begin() + static_cast<std::ptrdiff_t>(starts_[k]);
  const auto column_end = at_.begin() + static_cast<std::ptrdiff_t>(ends_[k]);
  auto e = static_cast<std::size_t>(std::lower_bound(column, column_end, begin) - at_.begin());
  for (; e < ends_[k] && at_[e] < end; ++e) work(e);
}

void NewtonModel::by_row(std::span<const std::uint32_t> places) {
  std::size_t entries = 0;
  for (const std::uint32_t k : places) entries += ends_[k] - starts_[k];
  std::vector<std::size_t> next(shift_.size());
  in_halves(entries, [&](std::size_t begin, std::size_t end) {
    for (const std::uint32_t k : places) {
      for_entries(k, begin, end, [&](std::size_t e) { ++next[at_[e]]; });
    }
  });
  rows_.starts.assign(shift_.size() + 1, 0);
  for (std::size_t i = 0; i < shift_.size(); ++i) {
    rows_.starts[i + 1] = rows_.starts[i] + std::exchange(next[i], rows_.starts[i]);
  }
  make_room(rows_.entries, entries);
  in_halves(entries, [&](std::size_t begin, std::size_t end) {
    for (std::uint32_t f = 0; f < places.size(); ++f) {
      for_entries(places[f], begin, end, [&](std::size_t e) {
        rows_.entries[next[at_[e]]++] = {f, values_[e]};
      });
    }
  });
}

double NewtonModel::pairs() const {
  double sum = 0;
  for (std::size_t i = 0; i < shift_.size(); ++i) {
    const auto here = static_cast<double>(rows_.row(i).size());
    sum += here * here / 2;
  }
  return sum;
}

SquareMatrix NewtonModel::dense(std::span<const std::uint32_t> places) const {
  const std::size_t size = places.size();
  SquareMatrix halves[2] = {SquareMatrix(size), SquareMatrix(size)};
  in_halves(rows_.size(), [&](std::size_t begin, std::size_t end) {
    SquareMatrix& h = halves[begin == 0 ? 0 : 1];
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Entry> row = rows_.row(i);
      for (std::size_t e = 0; e < row.size(); ++e) {
        const double value = row[e].value;
        double* column = &h(0, row[e].at);
        for (std::size_t f = e; f < row.size(); ++f) column[row[f].at] += value * row[f].value;
      }
    }
  });
  SquareMatrix& h = halves[0];
  h.add(halves[1]);
  for (std::size_t f = 0; f < size; ++f) h(f, f) += rest_[places[f]];
  return std::move(h);
}

// Moves by `by`, limited by sign changes and trust, if that lowers the model.
bool NewtonModel::try_move(const Face& face, std::span<const double> by) {
  const double before = decrease();
  std::vector<double> old(face.places.size()), moved(face.places.size());
  for (std::size_t f = 0; f < by.size(); ++f) {
    const std::uint32_t k = face.places[f];
    old[f] = move_[k];
    double now = clamp(k, weight(k) + by[f]);
    if (now * weight(k) < 0 && prices_[k].up > 0) now = 0;
    moved[f] = now - weight(k);
    move_[k] = now - weights_[k];
  }
  const std::vector<double> old_shift = shift_;
  in_halves(rows_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) shift_[i] += dot(rows_.row(i), moved);
  });
  if (decrease() < before) return true;
  for (std::size_t f = 0; f < by.size(); ++f) move_[face.places[f]] = old[f];
  shift_ = old_shift;
  return false;
}

std::vector<double> NewtonModel::solve_dense(const Face& face) const {
  SquareMatrix h = dense(face.places);
  // Makes H definite even if columns are almost equal.
  for (std::size_t f = 0; f < h.size(); ++f) h(f, f) *= 1 + 1e-9;
  return solve_definite(h, face.right);
}

// Conjugate gradients, preconditioned by the diagonal, until the residual falls to a tenth.
std::vector<double> NewtonModel::solve_by_gradients(const Face& face) const {
  const std::size_t size = face.places.size();
  std::vector<double> solution(size), residual = face.right, direction(size), image(size);
  const auto weigh = [&](std::size_t f) { return residual[f] / bend_[face.places[f]]; };
  double length = 0;
  for (std::size_t f = 0; f < size; ++f) {
    direction[f] = weigh(f);
    length += residual[f] * direction[f];
  }
  std::vector<double> images[2] = {std::vector<double>(size), std::vector<double>(size)};
  const auto apply = [&](std::size_t begin, std::size_t end) {
    std::vector<double>& sums = images[begin == 0 ? 0 : 1];
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Entry> row = rows_.row(i);
      const double along = dot(row, direction);
      for (const Entry& entry : row) sums[entry.at] += along * entry.value;
    }
  };
  const double enough = 0.01 * length;
  for (int step = 0; step < kMostGradients && length > enough && !stopped(); ++step) {
    in_halves(rows_.size(), apply);
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
