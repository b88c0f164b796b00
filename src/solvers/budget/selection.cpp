#include "solvers/budget/selection.hpp"

#include <algorithm>
#include <functional>

#include "solvers/budget/choose.hpp"
#include "solvers/budget/learner.hpp"
#include "solvers/budget/share_out.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

std::vector<std::uint64_t> budgets_of(const SolverSetup& setup) {
  std::vector<std::uint64_t> budgets = setup.options.budgets;
  budgets.push_back(setup.max_nonzeros);
  std::sort(budgets.begin(), budgets.end(), std::greater<>());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

// Steps of the whole run, 0 if unknown; limited so that steps times stages cannot overflow.
std::uint64_t steps_of(const SolverSetup& setup) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  return std::min(kMost, setup.options.steps.value_or(setup.options.passes * setup.rows));
}

// The difference, or 0 if it would be negative.
std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return a - std::min(a, b);
}

}  // namespace

Selection::Selection(const SolverSetup& setup, std::size_t learners)
    : budgets_(budgets_of(setup)),
      steps_(steps_of(setup)),
      rows_(setup.rows),
      stages_(stages_for(budgets_, learners)),
      candidates_(setup.loss().kind() != Loss::hinge ? learners * kCandidates : 0),
      features_(setup.features),
      kept_(setup.kept) {
  if (steps_ == 0) {
    throw UsageError("budget must know the number of rows: give --steps, or rows from a file");
  }
  if (setup.groups && learners > 1) {
    throw UsageError("--groups does not support --shared-budget");
  }
  if (kept_.size() * learners > budgets_.back()) {
    throw UsageError(
        learners == 1
            ? "--keep names more features than the budget allows"
            : "--keep names more features than the budget allows; each counts once per class");
  }
}

std::uint64_t Selection::stage_end() const {
  return stage_ == stages_ ? kUnlimited : ((stage_ + 1) * steps_ + stages_ - 1) / stages_;
}

void Selection::arrive() {
  if (++arrived_ < learners_.size()) return;
  arrived_ = 0;
  while (steps_done() >= stage_end()) end_stage();
}

void Selection::end_stage() {
  ++stage_;
  if (stage_ == 1) {
    plan_ = only_selects_ ? plan_selection(nonzeros(), budgets_.back(), stages_)
                          : plan_stages(nonzeros(), budgets_, candidates_);
  }
  for (BudgetLearner* learner : learners_) learner->age_refits();
  if (stage_ <= plan_.size()) select(plan_[stage_ - 1]);
}

void Selection::select(const Stage& stage) {
  const bool last = stage_ == plan_.size();
  const bool curves_next = !last && plan_[stage_].curved;
  if (stage.curved) {
    choose_best(stage.features);
  } else {
    narrow_to(stage.features, curves_next ? kCandidates : kUnlimited);
  }
  for (BudgetLearner* learner : learners_) {
    if (stage.records) learner->begin_refit();
    if (last && !only_selects_) learner->end_selection();
    if (curves_next) learner->begin_curvature();
  }
  gathered_from_ = steps_done();
  const bool at_pass_start = rows_ > 0 && gathered_from_ % rows_ == 0;
  gathered_until_ = at_pass_start ? gathered_from_ + rows_ : kUnlimited;
}

void Selection::narrow_to(std::uint64_t features, std::uint64_t most_of_each) {
  if (learners_.front()->has_groups()) {
    return learners_.front()->allow_groups(std::min(features, most_of_each));
  }
  if (learners_.front()->is_sliced()) {
    BudgetLearner& only = *learners_.front();
    return only.cut_at(only.cut_for_all(std::min(features, most_of_each)));
  }
  std::vector<std::vector<double>> scores;
  std::uint64_t kept = 0;
  std::uint64_t kept_of_each = 0;
  for (const BudgetLearner* learner : learners_) {
    scores.push_back(learner->scores());
    const std::uint64_t places = learner->required().in_place().size();
    kept += places;
    kept_of_each = std::max(kept_of_each, places);
  }
  const std::vector<double> cuts =
      share_out(minus(features, kept), minus(most_of_each, kept_of_each), std::move(scores));
  for (std::size_t i = 0; i < learners_.size(); ++i) learners_[i]->cut_at(cuts[i]);
}

void Selection::choose_best(std::uint64_t features) {
  const std::uint64_t shown = std::min(steps_done(), gathered_until_) - gathered_from_;
  if (shown == 0) return keep_largest_weights(features);  // a stage without a row
  std::vector<Choice> choices;
  for (const BudgetLearner* learner : learners_) choices.push_back(learner->choice());
  // Rows shown several times count once.
  const double scale =
      rows_ > 0 ? std::min(1.0, static_cast<double>(rows_) / static_cast<double>(shown)) : 1;
  const std::vector<SparseWeights> chosen = choose(features, choices, scale);
  for (std::size_t i = 0; i < learners_.size(); ++i) learners_[i]->take(chosen[i]);
}

void Selection::keep_largest_weights(std::uint64_t features) {
  if (learners_.front()->has_groups()) return learners_.front()->keep_largest_groups(features);
  std::vector<LinearState*> states;
  std::uint64_t without_weight = 0;  // required features still at zero: they take places too
  for (BudgetLearner* learner : learners_) {
    const LinearState& state = *states.emplace_back(&learner->working());
    for (const std::uint32_t slot : learner->required().in_place()) {
      without_weight += state.weights[slot] == 0 ? 1 : 0;
    }
  }
  // Places are in the order of features.
  const FeatureMap* const features_of_slots = learners_.front()->is_sliced() ? nullptr : features_;
  keep_largest(minus(features, without_weight), kept_, states, features_of_slots);
  for (BudgetLearner* learner : learners_) learner->publish();
}

void Selection::go_back_within(std::uint64_t budget) {
  if (nonzeros() <= budget) return;
  // After a divergence the weights are the last good ones, but the sums are not.
  const bool has_sums = std::all_of(learners_.begin(), learners_.end(), [](const auto* learner) {
    return learner->is_thresholded() && !learner->ended();
  });
  if (has_sums) {
    narrow_to(budget, kUnlimited);
  } else {
    keep_largest_weights(budget);
  }
}

std::uint64_t Selection::steps_done() const {
  return learners_.front()->state().t;
}

std::uint64_t Selection::nonzeros() const {
  std::uint64_t sum = 0;
  for (BudgetLearner* learner : learners_) sum += learner->all_nonzeros();
  return sum;
}

}  // namespace thresh
