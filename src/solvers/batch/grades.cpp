// grades: Garg & Khandekar, "Gradient Descent with Sparsification", 2009; Xie et al., eq. 6.
//
// Minimises |y - Xw|^2 subject to at most k non-zeros. H(v, k) keeps the k largest |v_j|:
//
//     w <- H(w + (1/gamma) X'(y - Xw), k)
//
// The gradient is the sum over the rows, not their mean, so gamma must grow with the data. The
// iteration may diverge unless gamma is at least the largest eigenvalue of X'X, the default.
//
// Departures: the intercept takes the same step and is not counted.
//
// Cost: O(all non-zeros) per step on all cores; all rows and columns in memory.

#include <fmt/format.h>

#include "solvers/batch/batch_solver.hpp"
#include "sparse/largest.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

class Grades : public BatchSolver {
 public:
  explicit Grades(const SolverSetup& setup)
      : BatchSolver(setup),
        k_(setup.max_nonzeros),
        gamma_text_(setup.word("gamma")),
        step_scale_(setup.step_scale) {
    if (gamma_text_ != "auto") gamma_ = setup.number("gamma");
    if (gamma_text_ != "auto" && gamma_ <= 0) throw UsageError("--gamma must be above 0");
  }

  void begin() override {
    BatchSolver::begin();
    for (std::size_t j = 0; sums_ && j < matrix_->columns(); ++j)
      slots_.push_back(matrix_->slot(j));
    if (gamma_text_ == "auto") {
      gamma_ = find_eigenvalue();
    } else {
      check_gamma();
    }
    gamma_ /= step_scale_;
  }

 private:
  // Skips the power iterations if a cheap bound on the eigenvalue shows that gamma is safe.
  void check_gamma() {
    if (2 * gamma_ > matrix_->total_weight() * mean_squared_length()) return;
    const double least = find_eigenvalue(kGlimpsePasses) / 2;
    if (gamma_ > least) return;
    warn(
        fmt::format("--gamma {:g} is too small for these rows: up to {:.3g} the iteration may "
                    "blow up (--gamma auto chooses a safe one)",
                    gamma_, least));
  }

  void step(double) override {
    const double rate = matrix_->total_weight() / gamma_;  // the gradient is a mean
    for (std::size_t j = 0; j < now_.weights.size(); ++j) {
      now_.weights[j] -= rate * gradient_.weights[j];
    }
    if (sums_) {
      keep_largest_anywhere(sums_->features(), k_, slots_, now_.weights);
    } else {
      keep_largest(now_.weights, k_);
    }
    if (learns_intercept_) now_.intercept -= rate * gradient_.intercept;
  }

  std::uint64_t k_;
  std::string gamma_text_;
  double step_scale_;
  double gamma_ = 1;
  std::vector<std::uint32_t> slots_;  // of the columns, with --slices
};

}  // namespace

CatalogEntry grades() {
  CatalogEntry entry;
  entry.info.name = "grades";
  entry.info.paper = "Garg & Khandekar 2009; Xie et al. 2010, eq. 6";
  entry.info.objective = "sum (a - y)^2 / 2 with at most k non-zeros; traced: the mean";
  entry.info.update = "w = H(w + (1/gamma) X'(y - Xw), k)";
  entry.info.cost = "O(all non-zeros)";
  entry.info.needs = "all rows and columns in memory";
  entry.info.in_memory = true;
  entry.info.unused = {"eta", "lambda", "schedule", "iterate"};
  entry.info.auto_eta = "gamma is the largest eigenvalue of X'X, as with --gamma auto";
  entry.info.losses = {Loss::squared};
  entry.info.budget = BudgetUse::required;
  entry.info.steps = "1/gamma; --eta is not used";
  entry.info.options = {{OptionInfo::Kind::word, "gamma", "auto",
                         "inverse step size; auto: the largest eigenvalue of X'X, which is safe"},
                        slices_option()};
  entry.info.example = "thresh train DATA --solver grades --features 500 --passes 100";
  entry.make = make_solver<Grades>;
  return entry;
}

}  // namespace thresh
