// One against the rest: each class has a solver with its own rows as +1, all others as -1. The
// results are the same as if the solvers ran one after the other.

#include "data/feed/matrix.hpp"
#include "solvers/multiclass/class_parts.hpp"
#include "solvers/multiclass/multiclass.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {
namespace {

double target(double label, std::size_t c) {
  return label == static_cast<double>(c) ? 1 : -1;
}

template <class Base>
class OneVsRest : public ClassParts<Base> {
 public:
  using ClassParts<Base>::ClassParts;
  using ClassParts<Base>::parts_;

  // Margins are ordered by class: all rows of class 0 first.
  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    double sum = 0;
    std::vector<Row> relabelled;
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      relabel(rows, c, relabelled);
      sum += parts_[c]->loss(margins.subspan(c * rows.size(), rows.size()), relabelled);
    }
    return sum;
  }
  bool done_without_update() const override { return parts_[0]->done_without_update(); }
  bool counts_mistakes() const override { return false; }

 protected:
  static void relabel(std::span<const Row> rows, std::size_t c, std::vector<Row>& out) {
    out.assign(rows.begin(), rows.end());
    for (Row& row : out) row.label = target(row.label, c);
  }
};

class RowsOneVsRest : public OneVsRest<RowSolver> {
 public:
  using OneVsRest::OneVsRest;

  std::size_t visit(std::span<const Row> rows, const Until& until) override {
    const Until steps{kUnlimited, until.steps};
    std::vector<std::size_t> visited(parts_.size());
    std::size_t entries = 0;
    for (const Row& row : rows) entries += row.size;
    constexpr std::size_t kWorthThreads = std::size_t{1} << 17;
    // Slices may be shared with other ranks, which must add them up in the same order.
    const bool sliced = parts_[0]->slice_sums() != nullptr;
    for_each_part(!sliced && entries * parts_.size() > kWorthThreads, [&](std::size_t c) {
      static PerThread<std::vector<Row>> copies;
      std::vector<Row>& relabelled = copies.here();
      relabel(rows, c, relabelled);
      visited[c] = static_cast<RowSolver&>(*parts_[c]).visit(relabelled, steps);
    });
    // A class that has ended misses rows; all others have visited the same number.
    return std::max<std::size_t>(1, *std::max_element(visited.begin(), visited.end()));
  }

  void end_pass() override {
    for_each_part(false, [&](std::size_t c) { static_cast<RowSolver&>(*parts_[c]).end_pass(); });
  }
};

class MatrixOneVsRest : public OneVsRest<MatrixSolver> {
 public:
  using OneVsRest::OneVsRest;

  void load(std::shared_ptr<const Matrix> matrix) override {
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      std::vector<double> labels(matrix->rows());
      for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = target(matrix->label(i), c);
      part(c).load(matrix->with_labels(std::move(labels)));
    }
  }
  std::uint64_t steps_per_pass() const override {
    return static_cast<MatrixSolver&>(*parts_[0]).steps_per_pass();
  }
  void advance(std::uint64_t n, const Until& until) override {
    const Until steps{kUnlimited, until.steps};
    for_each_part(false, [&](std::size_t c) { part(c).advance(n, steps); });
  }

 private:
  MatrixSolver& part(std::size_t c) { return static_cast<MatrixSolver&>(*parts_[c]); }
};

}  // namespace

std::unique_ptr<Solver> one_vs_rest(Parts parts, BudgetOf budget) {
  if (parts[0]->row_solver() != nullptr) {
    return std::make_unique<RowsOneVsRest>(std::move(parts), budget);
  }
  return std::make_unique<MatrixOneVsRest>(std::move(parts), budget);
}

}  // namespace thresh
