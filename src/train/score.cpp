// How good the current weights are on some rows, seen from the training loop.

#include <algorithm>
#include <cmath>

#include "cluster/slice_sums.hpp"
#include "math/elementary.hpp"
#include "sparse/parallel.hpp"
#include "sparse/row_loops.hpp"
#include "train/run_log.hpp"

namespace thresh {
namespace {

// The margins of all rows, class by class if there are more than two.
void find_margins(Solver& solver, std::span<const Row> rows, std::vector<double>& margins) {
  margins.clear();
  for (Solver* leaf : leaves(solver)) add_margins(*leaf, rows, margins);
}

// Whether the class with the largest margin, the first of equals, is not the row's.
bool wrong_class(const std::vector<double>& margins, std::size_t rows, std::size_t row,
                 double label) {
  std::size_t best = 0;
  for (std::size_t c = 1; c * rows < margins.size(); ++c) {
    if (margins[c * rows + row] > margins[best * rows + row]) best = c;
  }
  return static_cast<double>(best) != label;
}

// The sums behind a score.
class Scorer {
 public:
  Scorer(Solver& solver, const RowView& view, bool by_row)
      : solver_(&solver),
        classify_(view.labels.task() == Task::classification),
        logs_(view.labels.are_counts()),
        in_folds_(view.folds > 0) {
    solver.settle();
    if (by_row) by_row_ = std::make_shared<RowScores>();
  }

  void add(const Window& window) {
    solver_->ensure_slots(window.slot_end);
    find_margins(*solver_, window.rows, margins_);
    for (std::size_t i = 0; i < window.rows.size(); ++i) {
      const double weight = window.rows[i].weight;
      const double loss = loss_of(window, i);
      const double miss = solver_->error_in_losses && weight > 0
                              ? *solver_->error_in_losses * loss / weight
                              : miss_of(window, i);
      total_.error += weight * miss;
      total_.weight += weight;
      squares_ += weight * weight;
      miss_squares_ += weight * weight * miss;
      square_squares_ += weight * weight * miss * miss;
      total_.loss += loss;
      if (by_row_ && by_row_->losses.size() < kMostScored) keep(window, i, loss);
    }
    total_.rows += window.rows.size();
  }

  Score finish() const {
    Score mean = total_;
    mean.by_row = by_row_;
    if (mean.weight == 0) return mean;
    mean.loss /= mean.weight;
    mean.error /= mean.weight;
    // Of the weighted mean m of misses e: sqrt(sum w^2 (e - m)^2) / sum w.
    const double variance =
        square_squares_ - 2 * mean.error * miss_squares_ + mean.error * mean.error * squares_;
    mean.error_se = std::sqrt(std::max(0.0, variance)) / mean.weight;
    if (!classify_ && !solver_->error_in_losses) {
      mean.error = std::sqrt(mean.error);
      // The root is locally a line of slope 1 / (2 root).
      if (mean.error > 0) mean.error_se /= 2 * mean.error;
    }
    return mean;
  }

 private:
  static constexpr std::size_t kMostScored = 100'000;

  void keep(const Window& window, std::size_t i, double loss) {
    const double miss = miss_of(window, i);
    const double weight = window.rows[i].weight;
    by_row_->losses.push_back(static_cast<float>(weight > 0 ? loss / weight : 0));
    by_row_->misses.push_back(static_cast<float>(classify_ ? miss : std::sqrt(miss)));
    by_row_->weights.push_back(static_cast<float>(weight));
    if (in_folds_) by_row_->ids.push_back(window.rows[i].id);
    if (!classify_ || !solver_->parts().empty()) return;
    by_row_->margins.push_back(static_cast<float>(margins_[i]));
    by_row_->labels.push_back(window.rows[i].label > 0 ? 1.0F : -1.0F);
  }

  // Row by row: where a window ends must not change the sum.
  double loss_of(const Window& window, std::size_t i) {
    of_row_.clear();
    for (std::size_t at = i; at < margins_.size(); at += window.rows.size()) {
      of_row_.push_back(margins_[at]);
    }
    return solver_->loss(of_row_, std::span(window.rows).subspan(i, 1));
  }

  // Wrong or not; the squared residual for regression.
  double miss_of(const Window& window, std::size_t i) const {
    const double label = window.rows[i].label;
    if (!solver_->parts().empty()) {
      return wrong_class(margins_, window.rows.size(), i, label) ? 1 : 0;
    }
    if (classify_) return (margins_[i] > 0) != (label > 0) ? 1 : 0;
    constexpr double kSquares = 1e150;  // without overflow
    const double predicted = logs_ ? std::min(portable::exp(margins_[i]), kSquares) : margins_[i];
    return (predicted - label) * (predicted - label);
  }

  Solver* solver_;
  bool classify_;
  bool logs_;  // margins are logarithms of what is predicted
  bool in_folds_;
  std::vector<double> margins_;
  std::vector<double> of_row_;  // its margins, one a class
  Score total_;
  std::shared_ptr<RowScores> by_row_;
  double squares_ = 0;         // sum of w^2
  double miss_squares_ = 0;    // sum of w^2 e
  double square_squares_ = 0;  // sum of w^2 e^2
};

}  // namespace

void add_margins(Solver& solver, std::span<const Row> rows, std::vector<double>& margins) {
  const LinearState& state = solver.state();
  if (SliceSums* const sums = solver.slice_sums(); sums != nullptr) {
    const std::size_t before = margins.size();
    sums->dots(state.weights, rows, margins);
    for (std::size_t i = before; i < margins.size(); ++i) margins[i] += state.intercept;
    return;
  }
  for (const Row& row : rows) margins.push_back(dot(state.weights, row) + state.intercept);
}

std::vector<Score> score_all(std::span<Solver* const> solvers,
                             const std::shared_ptr<RowSource>& source, const RowView& view,
                             bool by_row) {
  std::vector<Scorer> scorers;
  scorers.reserve(solvers.size());
  for (Solver* solver : solvers) {
    scorers.emplace_back(*solver, view, by_row);
  }
  for_each_window(source, view, [&](const Window& window) {
    parallel_for(scorers.size(), [&](std::size_t i) { scorers[i].add(window); });
  });
  std::vector<Score> scores;
  scores.reserve(scorers.size());
  for (const Scorer& scorer : scorers) scores.push_back(scorer.finish());
  return scores;
}

Score score(Solver& solver, const std::shared_ptr<RowSource>& source, const RowView& view,
            bool by_row) {
  Solver* const alone[] = {&solver};
  return score_all(alone, source, view, by_row).front();
}

}  // namespace thresh
