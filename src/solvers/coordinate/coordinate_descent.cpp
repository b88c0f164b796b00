// Steps on rates, what is proved about scd, and the catalog entries for the three ways to choose a
// coordinate.

#include "solvers/coordinate/coordinate_descent.hpp"

#include "math/elementary.hpp"

namespace thresh {

std::vector<Finding> CoordinateDescent::theory() const {
  if (!promises_) return {};
  Finding bound{"expected suboptimality (Theorem 1)", std::nullopt, ""};
  const auto no = [&](const std::string& why) {
    bound.note = "does not apply: " + why;
    return std::vector<Finding>{bound};
  };
  if (!global_) return no("it asks for --curvature global");
  if (choice_ != Choice::random) return no("coordinates were not drawn at random");
  if (!two_classes_) return no("it is evaluated for two classes only");
  if (learns_intercept_) return no("an intercept is outside the theorem (see --no-intercept)");
  if (largest_value() > 1) return no("features go beyond [-1, 1]");
  if (lambda_ <= 0) return no("without lambda nothing bounds the optimum");
  if (lower_ > 0 || upper_ < 0) return no("w = 0 is not allowed");
  if (started_) return no("the run must start from 0, not from a model");
  if (budget_ != kUnlimited) return no("with a feature budget an earlier state may come out");
  // The proof bounds the sum over w_0 ... w_T. The mean of w_1 ... w_T, by --iterate average, has T
  // terms of it; the objective is convex.
  const auto steps = static_cast<double>(state_.t) - (average_ ? 1 : 0);
  bound.value = scd_bound(static_cast<double>(coordinates_), steps, *loss_.curvature(),
                          loss_at_zero(loss_.kind()), lambda_);
  bound.note = "with |w*|_1 <= P(0)/lambda";
  return {bound};
}

double CoordinateDescent::largest_value() const {
  double largest = 0;
  for (std::size_t j = 0; j < matrix_->columns(); ++j) largest = std::max(largest, largest_in(j));
  return largest;
}

double CoordinateDescent::largest_in(std::size_t j) const {
  if (is_intercept(j)) return 1;
  const SparseVector column = matrix_->column(j);
  double largest = 0;
  for (std::size_t k = 0; k < column.size; ++k) {
    largest = std::max(largest, std::fabs(column.values[k]));
  }
  return largest;
}

// Of the rates e^a at the present margins, times x_j^2.
double CoordinateDescent::curvature_of_rates(std::size_t j) const {
  const auto rate = [&](std::size_t i) {
    return std::max(0.0, slopes_[i] + matrix_->weight(i) * matrix_->label(i));
  };
  double sum = 0;
  if (is_intercept(j)) {
    for (std::size_t i = 0; i < slopes_.size(); ++i) sum += rate(i);
  } else {
    const SparseVector column = matrix_->column(j);
    for (std::size_t k = 0; k < column.size; ++k) {
      sum += rate(column.at[k]) * column.values[k] * column.values[k];
    }
  }
  return sum / matrix_->total_weight();
}

// A step that moves no margin by more than r raises no rate more than e^r times, so e^r times the
// present curvature is a bound along it. The Newton step tells r; if it is above 1, the step ends
// where r is 1.
double CoordinateDescent::moved_with_rates(std::size_t j, double g) const {
  const double h = curvature_of_rates(j);
  const double w = weight(j);
  if (!(h > 0)) return moved_by(j, g, 0);
  const double r = std::fabs(moved_by(j, g, h) - w) * largest_[j];
  const double next = moved_by(j, g, h * portable::exp(std::min(r, 1.0)));
  const double far = 1 / largest_[j];
  const double within = std::clamp(next, w - far, w + far);
  return is_intercept(j) ? within : allowed(j, within);
}

namespace {

template <Choice choice>
CatalogEntry entry_for(const char* name, const char* paper, const char* which, const char* cost) {
  CatalogEntry entry;
  entry.info.name = name;
  entry.info.paper = paper;
  entry.info.objective = "mean L(a, y) + lambda |w|_1";
  entry.info.update = std::string("w_j = S(w_j - g_j/b_j, lambda/b_j), ") + which;
  entry.info.cost = cost;
  entry.info.needs = "all rows and columns in memory";
  entry.info.in_memory = true;
  entry.info.counts = "coordinates";
  entry.info.unused = {"eta", "schedule"};
  entry.info.halves_steps = false;
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::squared_hinge, Loss::huber};
  if (choice != Choice::greedy) entry.info.losses.push_back(Loss::poisson);
  entry.info.steps = "1/b_j; --eta is not used";
  entry.info.signs = true;
  entry.info.options = {{OptionInfo::Kind::word,
                         "curvature",
                         "column",
                         "b_j: column (beta mean x_j^2) or global (beta, for features in [-1, 1])",
                         {"column", "global"}},
                        {OptionInfo::Kind::word, "lower", "", "no weight is below this"},
                        {OptionInfo::Kind::word, "upper", "", "no weight is above this"},
                        non_negative_option()};
  entry.info.example = std::string("thresh train DATA --solver ") + name + " --lambda 1e-3";
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    return std::make_unique<CoordinateDescent>(setup, choice);
  };
  return entry;
}

}  // namespace

CatalogEntry scd() {
  return entry_for<Choice::random>("scd", "Shalev-Shwartz & Tewari 2009, Algorithm 2",
                                   "j uniform at random", "O(non-zeros of column j)");
}

CatalogEntry cd() {
  return entry_for<Choice::cyclic>("cd", "Friedman et al. 2010; Dhingra et al., Algorithm 1",
                                   "j from low to high", "O(non-zeros of column j)");
}

CatalogEntry gcd() {
  return entry_for<Choice::greedy>("gcd", "Shalev-Shwartz & Tewari 2009, section 4.2",
                                   "j of the largest guaranteed decrease",
                                   "O(d + non-zeros of the rows in which feature j occurs)");
}

}  // namespace thresh
