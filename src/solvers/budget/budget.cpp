// budget: a model of at most K features, without a step size or penalty to tune. One run can also
// record the best models of several sizes on its way down.
//
// Minimises mean L(a, y) subject to at most K non-zeros. The run is divided into stages of equally
// many rows (plan.hpp). Each stage ends in a selection that leaves fewer features (selection.hpp):
//
// 1. While there are many features, all learn by FTRL-Proximal. At the end of each stage its
//    threshold lambda is set so that as many features remain as the stage allows
//    (threshold_path.hpp). Dropped features may return.
// 2. Once 512 are left, a stage builds a quadratic model of the loss over them. Features are
//    selected in it by pivots: the least useful are dropped, then single ones swapped while that
//    helps (curvature.hpp, choose.hpp). This is a Newton step combined with selection.
// 3. At each requested budget the selected features are refitted without penalty for five stages
//    (refit.hpp), beside any further selection; at the smallest budget for all remaining stages, at
//    least five. beta sets the step size of rarely seen features; learn_frontiers() tries 0.1 and 1
//    in one run.
//
// With more than two classes each class has a learner (learner.hpp). Each has its own budget or, if
// requested, all share one: then 512 applies to each class, all else to all classes together.
//
// Rows are measured in units of a typical row's length, regression targets in units of a typical
// target, so the scale of the data does not matter.
//
// Cost: O(non-zeros of the row) per step while there are many features, O(m^2) for m non-zeros
// among 512 candidates, only once for rows that a stage shows several times; O(features seen) per
// stage. Memory: three doubles per feature, fewer once there are candidates; five numbers per
// feature and beta of a model being refitted; up to a million entries if there are few rows.

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
  add_losses_for_numbers(entry.info);
  entry.info.softmax = true;
  entry.info.budget = BudgetUse::required;
  entry.info.passes = 0;
  entry.info.least_pass = kLeastStage;
  entry.info.most_shown = kMostShown;
  entry.info.measures_rows = true;
  entry.info.one_scale = true;
  entry.info.many_sizes = true;
  entry.info.signs = true;
  entry.info.steps = "its own: --eta, --lambda and --schedule are not used";
  entry.info.example = "thresh train DATA --features 500";
  entry.info.options = {
      {OptionInfo::Kind::number, "beta", "0.3",
       "Step parameter of the refit: a smaller value gives rare features larger steps"},
      {OptionInfo::Kind::number, "ridge", "0",
       "Fit the selected features to the optimum of the loss plus R/2 sum s_j w_j^2 instead, for "
       "rows of typical length 1; s_j is the root mean square of feature j"}};
  entry.info.options.back().recorded = false;
  entry.info.options.push_back(
      {OptionInfo::Kind::number, "prune", "0",
       "With --ridge: select the largest weights of a ridge of this strength on all features"});
  entry.info.options.back().recorded = false;
  entry.info.options.push_back(
      {OptionInfo::Kind::file, "groups", "",
       "Features that enter together or not at all: a file with a feature and its group a line"});
  entry.info.options.back().recorded = false;
  entry.info.options.push_back({OptionInfo::Kind::flag, "fewest-errors", "false",
                                "With --ridge and at most 32 features: search for those that leave "
                                "the fewest errors, instead of the lowest loss"});
  entry.info.options.back().recorded = false;
  entry.info.options.push_back(
      {OptionInfo::Kind::flag, "contrast", "false",
       "With --ridge: divide the ridge of a feature by the log of the ratio of its rates in the "
       "classes, as naive Bayes would"});
  entry.info.options.back().recorded = false;
  entry.info.options.push_back(slices_option());
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
