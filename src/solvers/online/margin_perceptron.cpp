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
// With --slices, margins are summed by slices, which several ranks may share. Then the margins of a
// block of rows are made in one exchange and used up to the first update. Where updates are rare,
// blocks grow, so an exchange is paid per decision to update, not per row. While it is under way,
// this rank adds up its part of the next block's sums, which an update makes void.
//
// Cost: O(non-zeros of the row) per step; one double per feature.

#include <cmath>

#include "cluster/slice_sums.hpp"
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
        largest_margin_(setup.largest_margin()),
        sums_(setup.slice_sums()) {
    average_ = setup.average();
  }

  void ensure_slots(std::size_t n) override {
    RowSolver::ensure_slots(n);
    if (sums_) sums_->ensure_slots(n);
  }
  SliceSums* slice_sums() override { return sums_.get(); }

  void begin() override {
    if (!average_) return;
    state_.for_each_weight(
        [&](std::uint32_t slot, double weight) { average_->stay_at(slot, weight); });
  }

  std::size_t visit(std::span<const Row> rows, const Until& until) override {
    if (sums_) return visit_blocks(rows, until);
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
      if (is_over(until)) return i + 1;
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
  // Not more, or blocks would be longer than the spans of the training loop.
  static constexpr std::size_t kLongestBlock = 256;

  std::size_t visit_blocks(std::span<const Row> rows, const Until& until) {
    std::size_t done = 0;
    std::size_t summed = 0;  // rows of the next block, by the weights of now
    sums_->clear();
    while (done < rows.size()) {
      const std::size_t left = rows.size() - done;
      const auto block = rows.subspan(done, std::min(left, sums_->shared() ? block_ : 1));
      for (; summed < block.size(); ++summed) sum(block[summed]);
      sums_->start({state_.nonzeros, state_.accesses});
      sums_->clear();
      summed = sum_ahead(rows.subspan(done + block.size()));
      sums_->finish();
      const std::uint64_t before = state_.updates;
      for (std::size_t i = 0; i < block.size() && state_.updates == before; ++i, ++done) {
        row_of_block_ = i;
        step(block[i], (*sums_)[i] + state_.intercept);
        if (is_over(until, state_.updates != before)) return done + 1;
      }
      if (state_.updates != before) {
        block_ = std::max<std::size_t>(1, block_ / 2);
        summed = 0;
        sums_->clear();
      } else if (block.size() == block_) {
        block_ = std::min(kLongestBlock, 2 * block_);
      }
    }
    return rows.size();
  }

  void sum(const Row& row) { sums_->add(WeightView<1>{state_.weights.at(0)}, row); }

  // Adds as many of the next rows as there is time for, and returns how many. The next block is not
  // shorter than this one if these sums stay valid.
  std::size_t sum_ahead(std::span<const Row> rows) {
    std::size_t n = 0;
    while (n < std::min(rows.size(), block_) && !sums_->arrived()) sum(rows[n++]);
    return n;
  }

  // Only an update can change the support.
  bool is_over(const Until& until, bool updated = true) {
    if (ended_ || state_.t >= until.steps) return true;
    if (until.nonzeros == kUnlimited || !updated) return false;
    return (sums_ ? all_nonzeros() : state_.nonzeros) >= until.nonzeros;
  }

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
    if (exceeds_budget(row, step)) {
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

  // The new support must be known in advance only near the budget.
  bool exceeds_budget(const Row& row, double step) {
    if (!sums_ || !sums_->shared()) {
      return state_.nonzeros + row.size > budget_ && support_after(row, step) > budget_;
    }
    // At most one update follows an exchange, so what it told of the other ranks still holds.
    const std::uint64_t support = state_.nonzeros + sums_->others().nonzeros;
    return support + sums_->entries(row_of_block_) > budget_ &&
           sums_->everywhere(support_after(row, step)) > budget_;
  }

  // Of the features that are here.
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
  std::unique_ptr<SliceSums> sums_;  // null: --slices is not set
  std::size_t block_ = 1;            // rows
  std::size_t row_of_block_ = 0;
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
                         "learn from a row unless its margin y a is above this"},
                        slices_option()};
  entry.make = make_solver<MarginPerceptron>;
  return entry;
}

}  // namespace thresh
