// budget: a model of at most K features, without a step size or a penalty to choose; or, in one run
// that records models on its way down, the best ones of several sizes.
//
// Minimises mean L(a, y) subject to at most K non-zeros. The run is cut into stages of the same
// number of rows (plan.hpp), after each of which fewer features are left (selection.hpp):
//
// 1. While there are many, all learn by FTRL-Proximal, whose threshold lambda is read off, at the
//    end of each stage, so that it leaves as many features as the stage allows
//    (threshold_path.hpp). Dropped ones may come back.
// 2. Once 512 are left, a stage gathers a quadratic model of the loss over them, and the features
//    are chosen in that by pivots: the least useful are dropped, then single ones swapped as long
//    as that helps (curvature.hpp, choose.hpp). This is a Newton step with selection in it.
// 3. At a budget that was asked for, the features found are refitted without penalty for five
//    stages (refit.hpp), beside the selection if that goes on; those of the smallest one for as
//    many as are left, which are five or more. How large a step features take that have been seen
//    little is decided by beta; learn_frontiers() has 0.1 and 1 tried in one run.
//
// More than two classes have a learner each (learner.hpp), with a budget of its own or, if asked
// for, one budget for all: then 512 is for each class, and all else counts all classes together.
//
// Rows are measured in units of a typical row's length, targets of regression in those of a typical
// target, so the scale of the data does not matter.
//
// Cost: O(non-zeros of the row) per step while features are many, O(m^2) for m non-zeros among 512
// candidates, but only once for rows that a stage shows several times; once a stage O(features
// seen). Memory: three doubles a feature, fewer once candidates are chosen; five numbers for each
// feature and beta of a model that is being refitted, and up to a million entries of few rows.

#include "solvers/budget/learner.hpp"
#include "solvers/budget/plan.hpp"
#include "solvers/budget/selection.hpp"
#include "solvers/catalog.hpp"

namespace thresh {

CatalogEntry budget() {
  CatalogEntry entry;
  entry.info.name = "budget";
  entry.info.paper = "thresh; the learner is McMahan et al. 2013, Algorithm 1";
  entry.info.objective = "mean L(a, y) with at most K non-zeros";
  entry.info.update =
      "w_j = -S(z_j, lambda) / (1 + sqrt(n_j)), lambda read off the |z_j|; from 512 features on "
      "Newton steps that select; then a refit";
  entry.info.cost =
      "O(non-zeros of the row), squared among 512; 15 times in a run O(features seen)";
  entry.info.needs = "rows, one at a time; their number";
  entry.info.unused = {"eta", "lambda", "schedule"};
  entry.info.halves_steps = false;
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.softmax = true;
  entry.info.budget = BudgetUse::required;
  entry.info.passes = 0;
  entry.info.least_pass = kLeastStage;
  entry.info.most_shown = kMostShown;
  entry.info.measures_rows = true;
  entry.info.one_scale = true;
  entry.info.frontier = true;
  entry.info.steps = "its own: --eta, --lambda and --schedule are not used";
  entry.info.example = "thresh train DATA --features 500";
  entry.info.options = {{OptionInfo::Kind::number,
                         "beta",
                         "0.3",
                         "Of the refit: smaller, and rare features take larger steps",
                         {}}};
  entry.make = [](const SolverSetup& setup) -> std::unique_ptr<Solver> {
    return std::make_unique<BudgetLearner>(setup, std::make_shared<Selection>(setup, 1));
  };
  entry.passes_for = stages_for;
  entry.betas = {"0.1", "1"};
  entry.make_sharing = [](const SolverSetup& setup, std::size_t classes) {
    const auto selection = std::make_shared<Selection>(setup, classes);
    std::vector<std::unique_ptr<Solver>> learners;
    for (std::size_t c = 0; c < classes; ++c) {
      learners.push_back(std::make_unique<BudgetLearner>(setup, selection));
    }
    return learners;
  };
  return entry;
}

}  // namespace thresh
