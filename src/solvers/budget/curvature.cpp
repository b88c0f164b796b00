#include "solvers/budget/curvature.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sparse/add_scaled.hpp"

namespace thresh {
namespace {

// In units of a typical row: what LIBLINEAR calls C = 10.
constexpr double kRidge = 0.1;
constexpr double kInterceptRidge = 1e-3;
// Swaps come to an end by themselves, since each one lowers Q; rounding must not undo that.
constexpr int kMostSwaps = 100;

// The quadratic model with some features in it and the others out. The matrix is symmetric: only
// its lower half is kept up to date.
class Swept {
 public:
  Swept(std::size_t side, std::vector<double> matrix)
      : side_(side), matrix_(std::move(matrix)), inside_(side), column_(side) {}

  bool inside(std::size_t i) const { return inside_[i] != 0; }
  double weight(std::size_t i) const { return matrix_[(side_ - 1) * side_ + i]; }

  // What Q would rise without feature i, or fall with it.
  double worth(std::size_t i) const {
    const double pivot = std::fabs(matrix_[i * side_ + i]);
    return pivot > kRidge / 2 || inside(i) ? weight(i) * weight(i) / pivot : 0;
  }

  // Lets feature i in or out.
  void pivot(std::size_t p) {
    const double inverse = 1 / at(p, p);
    for (std::size_t i = 0; i < side_; ++i) column_[i] = at(i, p);
    for (std::size_t i = 0; i < side_; ++i) {
      const double factor = column_[i] * inverse;
      if (i == p || factor == 0) continue;
      add_scaled(matrix_.data() + i * side_, -factor, column_.data(), i + 1);
    }
    for (std::size_t i = 0; i < side_; ++i) at(i, p) = column_[i] * std::fabs(inverse);
    at(p, p) = -inverse;
    inside_[p] = inside_[p] == 0 ? 1 : 0;
  }

 private:
  double& at(std::size_t i, std::size_t j) {
    return matrix_[std::max(i, j) * side_ + std::min(i, j)];
  }

  std::size_t side_;
  std::vector<double> matrix_;
  std::vector<char> inside_;
  std::vector<double> column_;
};

// Drops, adds and swaps features until there are k and no single swap helps.
class Search {
 public:
  Search(Swept& model, std::size_t candidates, const std::vector<char>& kept)
      : model_(model), candidates_(candidates), kept_(kept) {}

  void run(std::size_t inside, std::size_t k) {
    for (; inside > k; --inside) drop();
    for (; inside < k; ++inside) add();
    for (int swap = 0; swap < kMostSwaps && k < candidates_; ++swap) {
      const Feature added = add();
      if (drop() != added) continue;
      // Where one stands in for a better one, that shows only once it is gone.
      const Feature dropped = drop();
      if (!dropped || add() == dropped) return;
    }
  }

 private:
  using Feature = std::optional<std::size_t>;

  // The one that costs least to lose.
  Feature drop() {
    Feature least;
    for (std::size_t i = 0; i < candidates_; ++i) {
      if (!model_.inside(i) || kept_[i] != 0) continue;
      if (!least || model_.worth(i) < model_.worth(*least)) least = i;
    }
    if (least) model_.pivot(*least);
    return least;
  }

  // The one that gains most.
  Feature add() {
    Feature most;
    for (std::size_t i = 0; i < candidates_; ++i) {
      if (model_.inside(i)) continue;
      if (!most || model_.worth(i) > model_.worth(*most)) most = i;
    }
    if (most) model_.pivot(*most);
    return most;
  }

  Swept& model_;
  std::size_t candidates_;
  const std::vector<char>& kept_;
};

}  // namespace

Curvature::Curvature(std::vector<std::uint32_t> candidates, double unit, bool learns_intercept)
    : support_(std::move(candidates)),
      unit_(unit),
      learns_intercept_(learns_intercept),
      side_(support_.size() + 2),
      matrix_(side_ * side_),
      dense_(support_.size()) {}

void Curvature::clear() {
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
}

void Curvature::add(const Row& row, double margin, double slope, double curvature) {
  const std::size_t intercept = support_.size();
  const std::size_t target = intercept + 1;
  const double response = curvature * margin - slope;
  met_.clear();
  for (std::size_t i = 0; i < row.size; ++i) {
    const std::uint32_t place = support_.place(row.slots[i]);
    if (place != Support::kNone) met_.push_back({place, row.values[i] * unit_});
  }
  // Where most are met, adding whole rows of the matrix beats finding the places one by one.
  const bool dense = met_.size() > support_.size() / 4;
  if (dense) {
    for (const Met& met : met_) dense_[met.place] = met.value;
  }
  for (const Met& met : met_) {
    const double scaled = curvature * met.value;
    double* line = &at(met.place, 0);
    if (dense) {
      add_scaled(line, scaled, dense_.data(), met.place + std::size_t{1});
    } else {
      for (const Met& other : met_) line[other.place] += scaled * other.value;
    }
    at(intercept, met.place) += scaled;
    at(target, met.place) += response * met.value;
  }
  at(intercept, intercept) += curvature;
  at(target, intercept) += response;
  if (dense) {
    for (const Met& met : met_) dense_[met.place] = 0;
  }
}

SparseWeights Curvature::choose(std::uint64_t k, const std::vector<char>& current,
                                const std::vector<char>& kept, double scale) const {
  const std::size_t candidates = support_.size();
  std::vector<double> scaled(matrix_);
  for (double& value : scaled) value *= scale;
  for (std::size_t i = 0; i < side_; ++i) {
    scaled[i * side_ + i] += i < candidates ? kRidge : kInterceptRidge;
  }
  Swept model(side_, std::move(scaled));
  if (learns_intercept_) model.pivot(candidates);
  std::size_t inside = 0;
  for (std::size_t i = 0; i < candidates; ++i) {
    if (current[i] == 0 && kept[i] == 0) continue;
    model.pivot(i);
    ++inside;
  }
  Search(model, candidates, kept).run(inside, std::min<std::size_t>(k, candidates));
  SparseWeights chosen;
  for (std::size_t i = 0; i < candidates; ++i) {
    if (!model.inside(i)) continue;
    chosen.slots.push_back(support_.slots()[i]);
    chosen.weights.push_back(model.weight(i) * unit_);
  }
  if (learns_intercept_) chosen.intercept = model.weight(candidates);
  return chosen;
}

}  // namespace thresh
