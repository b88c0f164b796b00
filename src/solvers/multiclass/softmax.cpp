// One multinomial logistic loss for all classes (Duchi et al., eq. 12 without its kernel):
//
//     L = log sum_c exp(a_c) - a_y,   slope for class c:  p_c - [c = y],   p = exp(a) / sum exp(a)
//
// Each class has its own solver, with its own ball, threshold or budget. Only the slopes are
// computed jointly.

#include <cmath>

#include "data/feed/matrix.hpp"
#include "math/elementary.hpp"
#include "solvers/batch/batch_solver.hpp"
#include "solvers/multiclass/class_parts.hpp"
#include "solvers/multiclass/multiclass.hpp"

namespace thresh {
namespace {

// Turns margins into probabilities. Returns log sum exp(margins). Works relative to the largest
// margin, so that nothing overflows.
double to_probabilities(std::vector<double>& margins) {
  const double largest = *std::max_element(margins.begin(), margins.end());
  double sum = 0;
  for (double& a : margins) sum += a = portable::exp(a - largest);
  for (double& a : margins) a /= sum;
  return largest + portable::log(sum);
}

template <class Base>
class Softmax : public ClassParts<Base> {
 public:
  using ClassParts<Base>::parts_;
  using ClassParts<Base>::state_;

  Softmax(Parts parts, BudgetOf budget, double largest_margin)
      : ClassParts<Base>(std::move(parts), budget), largest_margin_(largest_margin) {}

  // Margins are ordered by class: all rows of class 0 first.
  double loss(std::span<const double> margins, std::span<const Row> rows) const override {
    double total = 0;
    std::vector<double> of_row(parts_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t c = 0; c < parts_.size(); ++c) of_row[c] = margins[c * rows.size() + i];
      const double truth = of_row[static_cast<std::size_t>(rows[i].label)];
      total += rows[i].weight * (to_probabilities(of_row) - truth);
    }
    return total;
  }

 protected:
  // Turns the margins of one row into slopes, and counts a wrong classification.
  void to_slopes(std::vector<double>& margins, double label) {
    const auto truth = static_cast<std::size_t>(label);
    const auto best = std::max_element(margins.begin(), margins.end());
    state_.mistakes += best - margins.begin() != static_cast<std::ptrdiff_t>(truth);
    to_probabilities(margins);
    margins[truth] -= 1;
  }

  bool is_in_bounds(double margin) const { return std::fabs(margin) <= largest_margin_; }

 private:
  double largest_margin_;
};

class RowsSoftmax : public Softmax<RowSolver> {
 public:
  using Softmax::Softmax;

  std::size_t visit(std::span<const Row> rows, const Until& until) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      visit_row(rows[i]);
      if (ended_ || part(0).state().t >= until.steps) {
        add_up();
        return i + 1;
      }
    }
    add_up();
    return rows.size();
  }

  void end_pass() override {
    for_each_part(false, [&](std::size_t c) { part(c).end_pass(); });
  }

 private:
  SlopeSolver& part(std::size_t c) { return static_cast<SlopeSolver&>(*parts_[c]); }

  void visit_row(const Row& row) {
    slopes_.resize(parts_.size());
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      slopes_[c] = part(c).margin(row);
      if (!is_in_bounds(slopes_[c])) {
        part(c).give_up(row);
        add_up();
        return;
      }
    }
    to_slopes(slopes_, row.label);
    for (std::size_t c = 0; c < parts_.size(); ++c) part(c).learn(row, slopes_[c]);
  }

  std::vector<double> slopes_;
};

class MatrixSoftmax : public Softmax<MatrixSolver> {
 public:
  using Softmax::Softmax;

  void load(std::shared_ptr<const Matrix> matrix) override {
    matrix_ = std::move(matrix);
    for (std::size_t c = 0; c < parts_.size(); ++c) part(c).load(matrix_);
  }
  std::uint64_t steps_per_pass() const override { return 1; }

  void advance(std::uint64_t n, const Until& until) override {
    for (; n > 0 && state_.t < until.steps && !ended_; --n) {
      find_slopes();
      if (ended_) return;
      for_each_part(false, [&](std::size_t c) { part(c).step_along(slopes_[c]); });
    }
  }

 private:
  BatchSolver& part(std::size_t c) { return static_cast<BatchSolver&>(*parts_[c]); }

  void find_slopes() {
    slopes_.resize(parts_.size());
    for (std::size_t c = 0; c < parts_.size(); ++c) {
      const std::span<const double> margins = part(c).margins_now();
      slopes_[c].assign(margins.begin(), margins.end());
    }
    std::vector<double> of_row(parts_.size());
    for (std::size_t i = 0; i < matrix_->rows(); ++i) {
      for (std::size_t c = 0; c < parts_.size(); ++c) {
        of_row[c] = slopes_[c][i];
        if (!is_in_bounds(of_row[c])) {
          part(c).diverge_at(i);
          add_up();
          return;
        }
      }
      to_slopes(of_row, matrix_->label(i));
      for (std::size_t c = 0; c < parts_.size(); ++c) {
        slopes_[c][i] = matrix_->weight(i) * of_row[c];
      }
    }
  }

  std::shared_ptr<const Matrix> matrix_;
  std::vector<std::vector<double>> slopes_;  // by class and row
};

}  // namespace

std::unique_ptr<Solver> softmax(Parts parts, BudgetOf budget, double largest_margin) {
  if (parts[0]->row_solver() != nullptr) {
    return std::make_unique<RowsSoftmax>(std::move(parts), budget, largest_margin);
  }
  return std::make_unique<MatrixSoftmax>(std::move(parts), budget, largest_margin);
}

}  // namespace thresh
