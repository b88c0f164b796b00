// train(): models of many sizes in one run, then the smallest good one, learned from all rows.

#include "thresh/train.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/catalog.hpp"
#include "thresh/threads.hpp"

namespace thresh {
namespace {

std::string grouped(std::uint64_t n) {
  if (n < 1000) return std::to_string(n);
  return grouped(n / 1000) + fmt::format(",{:03}", n % 1000);
}

std::string as_error(double error, Task task) {
  return task == Task::regression ? fmt::format("{:.6g}", error)
                                  : fmt::format("{:.4g}%", 100 * error);
}

bool leaves_size_open(const Options& options) {
  return find_solver(options.solver).info.many_sizes && !options.features && !options.density;
}

const SizedResult& best_of(const Frontier& frontier) {
  return *std::min_element(frontier.tried.begin(), frontier.tried.end(),
                           [](const SizedResult& a, const SizedResult& b) {
                             return *a.last.valid_error < *b.last.valid_error;
                           });
}

SizedResult choose_from(const Frontier& frontier, const TrainOptions& options) {
  if (!options.max_error) return smallest_near_best(frontier);
  if (const auto chosen = smallest_within(frontier, *options.max_error)) return *chosen;
  const SizedResult& best = best_of(frontier);
  throw LimitMissed(fmt::format(
      "no model has a validation error of at most {}: the best one has {} with {} features",
      as_error(*options.max_error, options.task), as_error(*best.last.valid_error, options.task),
      grouped(best.last.at.nonzeros)));
}

// If one class is rare, a model that never predicts it may have a low error too.
void doubt_rare_class(const Problem& problem, SizeChoice& choice) {
  const std::vector<LabelCount>& labels = problem.train->survey()->labels;
  if (labels.size() != 2) return;
  const auto [few, many] = std::minmax(labels[0].rows, labels[1].rows);
  const double share = static_cast<double>(few) / static_cast<double>(few + many);
  const auto by_loss = [](const SizedResult& a, const SizedResult& b) {
    return *a.last.valid_loss < *b.last.valid_loss;
  };
  const SizedResult& best = *std::min_element(choice.curve.begin(), choice.curve.end(), by_loss);
  const TracePoint& chosen = choice.chosen.last;
  constexpr double kRare = 0.2;
  if (share > kRare || *chosen.valid_error + *chosen.valid_error_se < share) return;
  if (*best.last.valid_loss > 0.9 * *chosen.valid_loss) return;
  choice.warnings.push_back(fmt::format(
      "the chosen model is barely better than always predicting the more frequent class ({} of the "
      "rows belong to the other); by validation loss, {} features are better (--features {})",
      as_error(share, Task::classification), grouped(best.last.at.nonzeros), best.budget));
}

void add_doubts(const Problem& problem, Task task, SizeChoice& choice) {
  constexpr std::uint64_t kFew = 10;
  if (choice.chosen.last.valid_rows < kFew) {
    choice.warnings.emplace_back(
        "too few held-out rows to choose a size; set it with --features K, or give more rows with "
        "--valid FILE");
  }
  if (task == Task::classification) doubt_rare_class(problem, choice);
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

SizeChoice choose_size(const Problem& problem, const TrainOptions& options,
                       TrainObserver* observer) {
  Options judged = options;
  if (judged.holdout == 0 && judged.folds == 0 && !problem.valid) judged.holdout = kUsualHoldout;
  Sizes sizes(observer);
  const Frontier frontier =
      learn_frontiers(problem, {judged}, usual_budgets_for(problem, judged), sizes).front();
  if (!frontier.failure.empty()) {
    throw Error(fmt::format("{}: {}", frontier.solver, frontier.failure));
  }
  SizeChoice choice;
  choice.chosen = choose_from(frontier, options);
  choice.best = best_of(frontier);
  choice.seconds = frontier.seconds;
  for (const SizedResult& point : frontier.points) {
    choice.curve.push_back(point.budget == choice.chosen.budget ? choice.chosen : point);
  }
  add_doubts(problem, options.task, choice);
  return choice;
}

Observer* last_run_of(TrainObserver* observer) {
  return observer != nullptr ? observer->last_run() : nullptr;
}

}  // namespace

TrainOptions::TrainOptions() {
  solver = "budget";
  passes = 0;
}

std::uint64_t largest_budget(const Problem& problem, const Options& options) {
  const Survey* survey = problem.train->survey();
  return sharing_classes(problem, options) *
         std::max(options.dim, survey != nullptr ? survey->dimension : 0);
}

std::vector<std::uint64_t> usual_budgets_for(const Problem& problem, const Options& options) {
  const std::uint64_t kept =
      (options.keep.size() + options.keep_names.size()) * sharing_classes(problem, options);
  std::vector<std::uint64_t> budgets = usual_budgets(largest_budget(problem, options));
  std::erase_if(budgets, [&](std::uint64_t k) { return k < kept; });
  if (budgets.empty()) budgets.push_back(kept);
  return budgets;
}

Trained train(const Problem& problem, const TrainOptions& options, TrainObserver* observer) {
  const ThreadLimit limit(options.threads);
  if (!leaves_size_open(options)) {
    if (options.max_error) {
      throw UsageError("max_error requires the solver budget without features or density");
    }
    return {fit(problem, options, nullptr, last_run_of(observer)), std::nullopt};
  }
  if (options.trace || options.calibrate || options.steps || options.certify) {
    throw UsageError("trace, calibrate, steps and certify require features or density");
  }
  if (problem.train->survey() == nullptr) {
    throw UsageError(
        "choosing a size needs several passes, but this input can be read only once; set the size");
  }
  SizeChoice choice = choose_size(problem, options, observer);
  if (observer != nullptr) observer->on_choice(choice);
  Options all = for_all_rows(options);
  all.features = choice.chosen.budget;
  for (const auto& [name, value] : choice.chosen.settings) set_option(all, name, value);
  Trained trained{fit(problem, all, nullptr, last_run_of(observer)), std::move(choice)};
  std::vector<std::string>& warnings = trained.warnings;
  const std::vector<std::string>& doubts = trained.choice->warnings;
  warnings.insert(warnings.begin(), doubts.begin(), doubts.end());
  return trained;
}

}  // namespace thresh
