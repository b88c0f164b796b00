// train(): models of many sizes in one run, then the smallest good one, learned from all rows.

#include "thresh/train.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/read/row_keys.hpp"
#include "select/doubts.hpp"
#include "select/sharpness.hpp"
#include "select/side_by_side.hpp"
#include "select/upward.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"
#include "thresh/threshold.hpp"
#include "train/screened.hpp"

namespace thresh {
namespace {

bool sets_size(const Options& options) {
  return options.features || options.density;
}

// Options that belong to a single run.
bool is_single_run(const Options& options) {
  return options.trace || options.calibrate || options.steps;
}

// A certificate is about the loss with a ridge over all features.
void leave_certifiable(Frontier& frontier) {
  const auto has_only_ridge = [](const SizedResult& model) {
    return model.settings.size() == 1 && model.settings.front().first == "ridge";
  };
  std::erase_if(frontier.tried, [&](const SizedResult& model) { return !has_only_ridge(model); });
  frontier.constant.reset();
  if (!frontier.tried.empty()) return;
  throw Error("no certificate: no model with a ridge was fitted; give --ridge, or more --memory");
}

bool has_rows_to_judge_on(const Problem& problem, const Options& options) {
  return options.holdout > 0 || options.folds > 0 || problem.valid != nullptr;
}

// Whether a part of the rows would have enough rows of each class.
bool has_rows_to_hold_out(const Survey& survey, const Options& options) {
  constexpr std::uint64_t kLeastOfAClass = 8;
  if (survey.rows < 2 * kLeastOfAClass) return false;
  return options.task == Task::regression ||
         std::all_of(survey.labels.begin(), survey.labels.end(),
                     [](const LabelCount& label) { return label.rows >= kLeastOfAClass; });
}

// Whether models are compared before the last run. A size that is set is an upper limit if the
// caller has given rows to compare on. If not, some rows are held out to compare settings.
bool compares_models(const Problem& problem, const Options& options) {
  if (!find_solver(options.solver).info.many_sizes) return false;
  if (!sets_size(options)) return true;
  const Survey* survey = problem.train->survey();
  if (is_single_run(options) || survey == nullptr) return false;
  return has_rows_to_judge_on(problem, options) ||
         (has_settings_to_choose(options) && has_rows_to_hold_out(*survey, options));
}

void check_measure(const Problem& problem, const TrainOptions& options) {
  const bool regression = options.task == Task::regression;
  const Survey* survey = problem.train->survey();
  const bool two_classes = !regression && survey != nullptr && survey->labels.size() == 2;
  if ((options.as_good == AsGood::auc || options.as_good == AsGood::f1) && !two_classes) {
    throw UsageError("choosing a size by AUC or F1 requires two classes");
  }
  if (!options.threshold_by.empty()) {
    if (!two_classes) throw UsageError("--threshold-by requires two classes");
    check_threshold_rule(options.threshold_by);
  }
  if (options.as_good == AsGood::rmse && !regression) {
    throw UsageError("choosing a size by RMSE requires a regression");
  }
}

const SizedResult& best_of(const Frontier& frontier) {
  return *std::min_element(frontier.tried.begin(), frontier.tried.end(),
                           [&](const SizedResult& a, const SizedResult& b) {
                             return frontier.by_loss ? *a.last.valid_loss < *b.last.valid_loss
                                                     : *a.last.valid_error < *b.last.valid_error;
                           });
}

// A size that is set without rows to judge on is what the caller wants, even if no model is better
// than the constant one.
SizedResult best_of_the_size(Frontier frontier, AsGood as_good) {
  frontier.constant.reset();
  return best_of_all(frontier, as_good);
}

SizedResult choose_from(const Frontier& frontier, const Problem& problem,
                        const TrainOptions& options) {
  if (!options.max_error) {
    if (!sets_size(options)) return smallest_near_best(frontier, options.as_good);
    return has_rows_to_judge_on(problem, options) ? best_of_all(frontier, options.as_good)
                                                  : best_of_the_size(frontier, options.as_good);
  }
  if (const auto chosen = smallest_within(frontier, *options.max_error)) return *chosen;
  const SizedResult& best = best_of(frontier);
  throw LimitMissed(fmt::format(
      "no model has a validation {} of at most {}: the best one has {} with {} features",
      name_of(error_kind(options)), as_error(*options.max_error, options.task),
      as_error(*best.last.valid_error, options.task), grouped(best.last.at.nonzeros)));
}

class Sizes : public SelectObserver {
 public:
  explicit Sizes(TrainObserver* observer) : observer_(observer) {}
  void on_progress(const Progress& progress) override {
    if (observer_ != nullptr) observer_->on_sizes(progress);
  }

 private:
  TrainObserver* observer_;
};

// Whether one part of the rows makes the choice a lottery.
bool has_few_rows(const Survey& survey) {
  constexpr std::uint64_t kFewRows = 5000;
  return survey.rows < kFewRows;
}

// Whether all rows are held out in turn. Both classes must be frequent enough to be in every part.
bool uses_folds(const Problem& problem, const Options& options) {
  const Survey& survey = *problem.train->survey();
  const bool by_time = problem.row_keys && problem.row_keys->by_time();
  return !has_rows_to_judge_on(problem, options) && has_few_rows(survey) && !by_time &&
         has_rows_to_hold_out(survey, options);
}

std::vector<std::uint64_t> budgets_to_try(const Problem& problem, const Options& options) {
  std::vector<std::uint64_t> budgets = usual_budgets_for(problem, options);
  if (!sets_size(options)) return budgets;
  const std::uint64_t most = options.features
                                 ? *options.features
                                 : parse_budgets(fmt::format("{}%", 100 * *options.density),
                                                 largest_budget(problem, options))
                                       .front();
  if (!has_rows_to_judge_on(problem, options)) return {most};
  std::erase_if(budgets, [&](std::uint64_t k) { return k >= most; });
  budgets.push_back(most);
  return budgets;
}

// How many sets of folds: several if there are very few rows, where they are quick.
std::uint64_t repeats_of_folds(const Survey& survey) {
  constexpr std::uint64_t kScores = 1000;  // of all rows together
  constexpr std::uint64_t kMostRepeats = 3;
  constexpr std::uint64_t kQuick = 1'500'000;  // rows times features
  const std::uint64_t cells = survey.rows * std::max<std::uint64_t>(survey.dimension, 1);
  return std::clamp<std::uint64_t>(std::min(kScores / survey.rows, kQuick / cells), 1,
                                   kMostRepeats);
}

// Judges a group of sizes.
Frontier judge_sizes(const Problem& problem, const Options& options,
                     const std::vector<std::uint64_t>& budgets, Sizes& sizes, SizeChoice& choice) {
  constexpr std::uint64_t kFolds = 5;
  Options judged = options;
  judged.features.reset();
  judged.density.reset();
  judged.score_rows = true;
  judged.prove = 0;
  judged.threshold_by.clear();
  if (uses_folds(problem, options)) {
    choice.folds = kFolds;
    choice.repeats = repeats_of_folds(*problem.train->survey());
    return learn_frontier_in_folds(problem, judged, budgets, kFolds, choice.repeats, sizes);
  }
  if (!has_rows_to_judge_on(problem, judged)) judged.holdout = kUsualHoldout;
  return learn_frontiers(problem, {judged}, budgets, sizes).front();
}

// Larger sizes cost most, and are rarely wanted: they are tried only if the largest one so far is
// chosen and more features may help, or if none is as good as was asked.
bool needs_larger(const Frontier& tried, const Problem& problem, const TrainOptions& options) {
  if (!tried.failure.empty()) return false;
  if (options.max_error) return !smallest_within(tried, *options.max_error);
  return wants_larger(tried, choose_from(tried, problem, options));
}

Frontier judge_upward(const Problem& problem, const TrainOptions& options, TrainObserver* observer,
                      SizeChoice& choice) {
  Sizes sizes(observer);
  Frontier all;
  for (const auto& budgets : size_groups(budgets_to_try(problem, options))) {
    const bool first = all.tried.empty();
    if (!first && !needs_larger(all, problem, options)) break;
    Frontier group = judge_sizes(problem, options, budgets, sizes, choice);
    if (first) {
      all = std::move(group);
    } else {
      add_larger(std::move(group), all);
    }
    if (options.stop != nullptr && *options.stop) {
      throw Interrupted(problem.train->name() + ": interrupted");
    }
  }
  return all;
}

SizeChoice choose_size(const Problem& problem, const TrainOptions& options,
                       TrainObserver* observer) {
  SizeChoice choice;
  Frontier frontier = judge_upward(problem, options, observer, choice);
  if (!frontier.failure.empty()) {
    throw Error(fmt::format("{}: {}", frontier.solver, frontier.failure));
  }
  if (options.certify) leave_certifiable(frontier);
  choice.chosen = choose_from(frontier, problem, options);
  choice.best = best_of(frontier);
  choice.seconds = frontier.seconds;
  choice.constant = frontier.constant;
  for (const SizedResult& point : frontier.points) {
    choice.curve.push_back(point.budget == choice.chosen.budget ? choice.chosen : point);
  }
  add_doubts(problem, options, choice);
  return choice;
}

// The run fits the model without features beside its own.
void use_constant(Trained& trained) {
  if (trained.polished.empty() || !trained.polished.back()) return;
  Record summary = trained.model.summary;
  trained.last = trained.polished.back()->last;
  const Record last = trace_record(trained.last);
  for (const char* key : {"nonzeros", "density", "valid_error", "valid_error_se", "valid_loss"}) {
    summary[key] = last.at(key);
  }
  trained.model = std::move(trained.polished.back()->model);
  trained.model.summary = std::move(summary);
  trained.model.options["features"] = std::uint64_t{0};
  trained.model.options.erase("ridge");
  trained.model.options.erase("prune");
  trained.model.options.erase("contrast");
}

// Measures how sure the model may be on the rows that chose it.
void calibrate(const Options& options, const SizedResult& chosen, Model& model) {
  const bool logistic = loss_of(options) == Loss::logistic;
  if (!model.calibration || !model.classes.empty() || !logistic || !chosen.last.row_scores) return;
  model.calibration->slope *= calibrating_factor(*chosen.last.row_scores);
}

// The rows that chose the size choose the threshold, too.
void set_threshold(const Options& options, Trained& trained) {
  if (options.threshold_by.empty()) return;
  const SizedResult& chosen = trained.choice->chosen;
  if (chosen.budget == 0 || !chosen.last.row_scores) {
    trained.warnings.emplace_back("a model without features has no threshold to choose");
  } else {
    trained.model.threshold = choose_threshold(*chosen.last.row_scores, options.threshold_by);
  }
}

Observer* last_run_of(TrainObserver* observer) {
  return observer != nullptr ? observer->last_run() : nullptr;
}

}  // namespace

TrainOptions::TrainOptions() {
  solver = "budget";
  passes = 0;
}

bool has_settings_to_choose(const Options& options) {
  const CatalogEntry& solver = find_solver(options.solver);
  return !solver.betas.empty() && options.passes != 1 && !options.solver_options.contains("beta") &&
         !options.solver_options.contains("ridge");
}

std::uint64_t largest_budget(const Problem& problem, const Options& options) {
  const Survey* survey = problem.train->survey();
  return sharing_classes(problem, options) *
         std::max(options.dim, survey != nullptr ? survey->dimension : 0);
}

std::vector<std::uint64_t> usual_budgets_for(const Problem& problem, const Options& options) {
  const std::uint64_t classes = sharing_classes(problem, options);
  const std::uint64_t kept = (options.keep.size() + options.keep_names.size()) * classes;
  std::uint64_t largest = largest_budget(problem, options);
  // Of many numbers most may never occur; of few, all sizes are cheap.
  constexpr std::uint64_t kMany = 1000;
  if (largest > kMany * classes)
    largest = std::min(largest, classes * count_features(problem, options.stop));
  std::vector<std::uint64_t> budgets = usual_budgets(largest);
  std::erase_if(budgets, [&](std::uint64_t k) { return k < kept; });
  if (budgets.empty()) budgets.push_back(kept);
  return budgets;
}

Trained train(const Problem& problem, const TrainOptions& options, TrainObserver* observer) {
  const ThreadLimit limit(options.threads);
  if (options.max_error && (!find_solver(options.solver).info.many_sizes ||
                            (sets_size(options) && !has_rows_to_judge_on(problem, options)))) {
    throw UsageError("max_error requires the solver budget without features or density");
  }
  if (!compares_models(problem, options)) {
    Options single = options;
    // Too few rows to choose the strength on some of them.
    if (options.certify && has_settings_to_choose(options)) set_option(single, "ridge", "1");
    return {fit_on_one(problem, single, last_run_of(observer)), std::nullopt};
  }
  if (is_single_run(options)) {
    throw UsageError("trace, calibrate and steps require features or density");
  }
  if (problem.train->survey() == nullptr) {
    throw UsageError(
        "choosing a size needs several passes, but this input can be read only once; set the size");
  }
  check_measure(problem, options);
  SizeChoice choice = choose_size(problem, options, observer);
  if (observer != nullptr) observer->on_choice(choice);
  Options all = for_all_rows(options);
  all.density.reset();
  all.threshold_by.clear();
  all.features = std::max<std::uint64_t>(1, choice.chosen.budget);
  all.polish = choice.chosen.budget == 0;
  for (const auto& [name, value] : choice.chosen.settings) set_option(all, name, value);
  Observer* const last = last_run_of(observer);
  Trained trained{
      slices_of(all) > 0 ? fit_screened(problem, all, last) : fit_on_one(problem, all, last),
      std::move(choice)};
  if (all.polish) {
    use_constant(trained);
  } else {
    calibrate(options, trained.choice->chosen, trained.model);
  }
  set_threshold(options, trained);
  std::vector<std::string>& warnings = trained.warnings;
  const std::vector<std::string>& doubts = trained.choice->warnings;
  warnings.insert(warnings.begin(), doubts.begin(), doubts.end());
  return trained;
}

}  // namespace thresh
