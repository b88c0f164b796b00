// margin-perceptron: Xie, Fan, Verscheure & Ren, "Efficient and Numerically Stable Sparse
// Learning", Algorithm 1.
//
// Finds a sparse w with y <w,x> > tau on every row. For row (x, y) with margin a = <w,x>:
//
//     if y a <= tau:   w_j <- S(w_j + eta x_j y, lambda)    for the non-zero x_j only
//
// Rows with a margin above tau change nothing, so features enter the model only when needed. Only
// the row's own coordinates are thresholded, so nothing is deferred.
//
// Departures from the paper:
// - The paper stops after the density has passed its bound and keeps that update. Here an update
//   that would exceed the budget is not made, so the budget holds.
// - The intercept (a feature equal to 1) takes the plain step; it is never thresholded nor counted.
// - An example of weight s takes the step eta s, s relative to the mean of the positive weights.
//
// Cost: O(non-zeros of the row) per step; one double per feature.

#include <cmath>

#include "solvers/catalog.hpp"
#include "sparse/row_loops.hpp"

namespace thresh {
namespace {

class MarginPerceptron : public RowSolver {
 public:
  explicit MarginPerceptron(const SolverSetup& setup)
      : tau_(setup.number("tau")),
        lambda_(setup.options.lambda),
        step_size_(setup.step_size()),
        intercept_(setup.options.intercept),
        compensated_(setup.options.compensated),
        budget_(setup.max_nonzeros),
        largest_margin_(setup.largest_margin()) {
    average_ = setup.average();
  }

  void begin() override {
    if (!average_) return;
    state_.for_each_weight(
        [&](std::uint32_t slot, double weight) { average_->stay_at(slot, weight); });
  }

  std::size_t visit(std::span<const Row> rows, const Until& until) override {
    Dots dots{};
    std::uint64_t known_at = kUnlimited;  // the number of updates at which dots.second is valid
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + 2 < rows.size()) prefetch(rows[i + 2]);
      if (known_at == state_.updates) {
        dots.first = dots.second;
        known_at = kUnlimited;
      } else if (i + 1 < rows.size() && !compensated_) {
        // Computes the next row's too, which is valid if this row causes no update.
        dots = dot_two({state_.weights.at(0)}, rows[i], rows[i + 1]);
        known_at = state_.updates;
      } else {
        dots.first = dot(state_.weights, rows[i], compensated_);
      }
      step(rows[i], dots.first + state_.intercept);
      if (ended_ || state_.t >= until.steps || state_.nonzeros >= until.nonzeros) return i + 1;
    }
    return rows.size();
  }

  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double short_of = tau_ - rows[i].label * margins[i];
      if (short_of > 0) sum += rows[i].weight * short_of;
    }
    return sum;
  }

  bool counts_freely() const override { return true; }

  std::vector<Finding> theory() const override {
    return {
        {"kernel examples", static_cast<double>(set_rows_), "distinct rows that caused an update"}};
  }
  std::vector<std::uint64_t> compression_set() const override {
    std::vector<std::uint64_t> rows;
    rows.reserve(set_rows_);
    for (std::uint64_t id = 0; id < 8 * in_set_.size(); ++id) {
      if ((in_set_[id / 8] >> (id % 8) & 1) != 0) rows.push_back(id);
    }
    return rows;
  }
  // Those that caused an update remain counted.
  void forget_rows() override { in_set_ = {}; }
  bool done_without_update() const override { return true; }

  void archive(Archive& a) override {
    a(in_set_, set_rows_);
    RowSolver::archive(a);
  }

 private:
  void step(const Row& row, double margin) {
    if (!(std::fabs(margin) <= largest_margin_)) {
      diverge(row);
      return;
    }
    ++state_.t;
    ++state_.examples;
    state_.accesses += row.size;
    state_.mistakes += (margin > 0) != (row.label > 0);
    if (row.label * margin <= tau_) update(row);
    if (average_ && !ended_) average_->step(state_.intercept);
  }

  void update(const Row& row) {
    const double step = step_size_.at(state_.t) * row.weight * row.label;
    // The new support must be known in advance only near the budget.
    if (state_.nonzeros + row.size > budget_ && support_after(row, step) > budget_) {
      ended_ = {Outcome::budget_reached, "the next update would pass the feature budget"};
      return;
    }
    for (std::size_t i = 0; i < row.size; ++i) {
      double& weight = state_.weights[row.slots[i]];
      const double moved = soft_threshold(weight + step * row.values[i], lambda_);
      state_.nonzeros +=
          static_cast<std::uint64_t>(moved != 0) - static_cast<std::uint64_t>(weight != 0);
      weight = moved;
      if (average_) average_->stay_at(row.slots[i], moved);
    }
    if (intercept_) state_.intercept += step;
    ++state_.updates;
    state_.accesses += row.size;
    note_row_of_set(row.id);
  }

  // Adds a row to the compression set: one bit per row.
  void note_row_of_set(std::uint64_t id) {
    in_set_.ensure(id / 8 + 1);
    const auto bit = static_cast<unsigned char>(1U << (id % 8));
    set_rows_ += (in_set_[id / 8] & bit) == 0;
    in_set_[id / 8] |= bit;
  }

  std::uint64_t support_after(const Row& row, double step) const {
    std::uint64_t support = state_.nonzeros;
    for (std::size_t i = 0; i < row.size; ++i) {
      const double weight = state_.weights[row.slots[i]];
      const double moved = soft_threshold(weight + step * row.values[i], lambda_);
      support += static_cast<std::uint64_t>(moved != 0) - static_cast<std::uint64_t>(weight != 0);
    }
    return support;
  }

  double tau_;
  double lambda_;
  StepSize step_size_;
  bool intercept_;
  bool compensated_;
  std::uint64_t budget_;
  double largest_margin_;
  ZeroedArray<unsigned char> in_set_;
  std::uint64_t set_rows_ = 0;
};

}  // namespace

CatalogEntry margin_perceptron() {
  CatalogEntry entry;
  entry.info.name = "margin-perceptron";
  entry.info.paper = "Xie, Fan, Verscheure & Ren 2010, Algorithm 1";
  entry.info.objective = "y a > tau on every row; traced: mean max(0, tau - y a)";
  entry.info.update = "if y a <= tau: w_j = S(w_j + eta x_j y, lambda) for the non-zeros of x";
  entry.info.cost = "O(non-zeros of the row)";
  entry.info.needs = "rows, one at a time";
  entry.info.example = "thresh train DATA --solver margin-perceptron --tau 1 --density 5%";
  entry.info.stops_at_budget = true;
  entry.info.schedule = Schedule::constant;
  entry.info.options = {{OptionInfo::Kind::number, "tau", "0.01",
                         "learn from a row unless its margin y a is above this"}};
  entry.make = make_solver<MarginPerceptron>;
  return entry;
}

}  // namespace thresh
