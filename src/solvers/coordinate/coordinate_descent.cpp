// Catalog entries for the three ways to choose a coordinate.

#include "solvers/coordinate/coordinate_descent.hpp"

namespace thresh {
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
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::squared_hinge};
  entry.info.steps = "1/b_j; --eta is not used";
  entry.info.options = {{OptionInfo::Kind::word,
                         "curvature",
                         "column",
                         "b_j: column (beta mean x_j^2) or global (beta, for features in [-1, 1])",
                         {"column", "global"}}};
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
