// Trains many models side by side on the same rows, and chooses between them on held-out rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresh/fit.hpp"

namespace thresh {

// Trains a model for each candidate, on all cores. The results equal those of fit(), bit for bit,
// but take less time: candidates that visit the same rows in the same order share the reading, and
// those that need all rows in memory share the memory. Candidates with equal seed, order, holdout
// and weights can share; solver, passes, steps, budget and loss may differ. A candidate that ends
// early or diverges does not affect the others.
//
// `observers` is empty or has one for each candidate, which may be null. Each is called by one
// thread at a time, but different ones concurrently. Throws what fit() throws for the first
// candidate that fails.
std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               const std::vector<Observer*>& observers = {});

// Receives the progress of a search. Called by one thread at a time.
class SelectObserver {
 public:
  virtual ~SelectObserver() = default;
  struct Progress {
    std::size_t done = 0;    // finished trials
    std::size_t trials = 0;  // in total
    double share = 0;        // fraction of the work done, including unfinished trials
  };
  virtual void on_progress(const Progress&) {}
};

// The same with one observer for all. Throws Interrupted, an Error, once Options::stop is true.
std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               SelectObserver& observer);

// Appends the warnings of a run to those of others. Of warnings that differ only in their numbers,
// as those of folds and budgets do, only the first is kept.
void add_warnings(std::vector<std::string>& all, const std::vector<std::string>& more);

struct Candidate {
  Settings settings;  // the options in which it differs from the others
  Options options;
  std::optional<FeatureScale> scale;  // none: that of the problem
};

// The values that one option may take.
struct Axis {
  std::string name;
  std::vector<std::string> values;
  bool whole = false;                                  // values are integers
  bool percent = false;                                // values are percentages
  std::optional<std::pair<double, double>> log_range;  // a random search draws from it
  double between(double share) const;                  // the point at this fraction of log_range
};

// Parses "lambda=1e-4,1e-3 eta=0.1:0.5:0.1 tau=log:1e-3:1:4": a list, a range lo:hi:step, a
// logarithmic range log:lo:hi:count. Names are tunable options, or `scale` with values none, max,
// rms. Throws UsageError for bad syntax, and for names or values that the solver does not accept.
std::vector<Axis> parse_grid(const std::string& text, const std::string& solver);
// All combinations; the last axis changes fastest.
std::vector<Candidate> grid_candidates(const Options& base, const std::vector<Axis>& axes);
// At most `count` distinct combinations, drawn with base.seed. Values of a logarithmic range are
// drawn from the whole range.
std::vector<Candidate> random_candidates(const Options& base, const std::vector<Axis>& axes,
                                         std::size_t count);

// Trains a model for each candidate; candidates differ in the option `over`. Solvers with
// SolverInfo::lambdas solve for descending values of lambda or lambda-ratio in one run, each from
// the previous solution; values not reached within the passes have no result. A candidate that
// diverges has failed; it is not continued with smaller steps. Throws Interrupted once
// Options::stop is true.
std::vector<FitResult> learn_path(const Problem& problem, const std::string& over,
                                  const std::vector<Candidate>& candidates,
                                  SelectObserver& observer);

// The result of a candidate on its held-out rows.
struct Trial {
  double error = 0;     // see ErrorKind
  double error_se = 0;  // standard error of `error` over the rows
  double loss = 0;
  std::uint64_t rows = 0;  // held out
  std::uint64_t nonzeros = 0;
  std::string failure;                // why the trial is invalid; empty if it is valid
  std::vector<std::string> warnings;  // of its run, see FitResult
};

// A mean and its standard error; none if it cannot be computed.
struct Estimate {
  double mean = 0;
  std::optional<double> se;
};
Estimate estimate_of(const std::vector<double>& values);

// The results of a candidate: one trial per fold, or a single one.
struct Judged {
  Candidate candidate;
  std::vector<Trial> trials;
  std::string failure;  // of one of the trials; empty if all are valid
  Estimate error, loss, nonzeros;
  std::size_t rung = 0;  // round of successive halving, from 0
};

// Evaluates candidates by `folds`-fold cross-validation. With 0 folds, uses the held-out rows of
// the candidate's options or the problem's validation rows. Throws Interrupted, an Error, once
// Options::stop is true.
std::vector<Judged> cross_validate(const Problem& problem, const std::vector<Candidate>& candidates,
                                   std::uint64_t folds, SelectObserver* observer = nullptr);

enum class Search {
  all,      // every candidate, with all its passes
  halving,  // successive halving: a few passes for all, then restart the best third with three
            // times as many, and so on
};
enum class By { error, loss };

struct TuneOptions {
  Search search = Search::all;
  std::uint64_t folds = 0;  // see cross_validate()
  By by = By::error;        // ties: the other criterion decides, then fewer non-zeros;
                            // errors of different losses are RMSEs
  bool one_se = false;      // choose the smallest model within one standard error of the best
  std::string state_file;   // saves finished trials, so that a search can resume after an
                            // interruption; "": none
};

struct TuneResult {
  std::vector<Judged> candidates;     // best first, failures last
  std::optional<std::size_t> chosen;  // none if all failed
};

// Evaluates all candidates and chooses one. Throws UsageError if the options of every candidate are
// invalid. Interruptions do not change the result.
TuneResult tune(const Problem& problem, const std::vector<Candidate>& candidates,
                const TuneOptions& options, SelectObserver* observer = nullptr);

// The result of a model with at most `budget` features.
struct SizedResult {
  std::uint64_t budget = 0;
  TracePoint last;    // its size, and its error on the held-out rows
  Settings settings;  // the settings used, if several were tried
};
// The best model found for a budget.
struct FrontierPoint : SizedResult {
  Model model;
};
struct Frontier {
  std::string solver;
  Task task = Task::classification;
  bool by_loss = false;  // of numbers whose loss was chosen for what it measures: it decides
  std::vector<FrontierPoint> points;    // by ascending budget; empty if a run failed
  std::vector<SizedResult> tried;       // every model, for all settings and budgets
  std::optional<SizedResult> constant;  // the model without features, if it was fitted
  std::uint64_t repeats = 1;            // how often each row was held out, in different folds
  std::string failure;                  // why a run failed; empty if none did
  std::vector<std::string> warnings;    // of all runs, see add_warnings()
  double seconds = 0;                   // learning time
};

// How many classes share one budget: all with Options::shared_budget, else 1.
std::uint64_t sharing_classes(const Problem& problem, const Options& options);
// Parses numbers of features and percentages of the dimension, "10,500,2%", into ascending budgets
// without duplicates. Throws UsageError for other text. For a shared budget, pass the dimension
// times the number of classes.
std::vector<std::uint64_t> parse_budgets(const std::string& text, std::uint64_t dimension);
// The series 1, 2, 5, 10, ... from 10 (from 1 below 1,000 features) up to the dimension.
std::vector<std::uint64_t> usual_budgets(std::uint64_t dimension);

// The largest useful budget: all features, times the number of classes if they share it.
std::uint64_t largest_budget(const Problem& problem, const Options& options);
// usual_budgets() up to largest_budget(), without those below the number of required features. With
// more than 1,000 features, up to the number of those that occur: counting them reads the rows
// once.
std::vector<std::uint64_t> usual_budgets_for(const Problem& problem, const Options& options);

// Trains one model for each budget and each of `solvers`, side by side. Solvers with
// SolverInfo::many_sizes learn all budgets in one run, others need one run per budget.
//
// The loss on held-out rows (for regression the mean absolute residual), if there are any, decides
// two things. The solver `budget` runs with
// beta 0.1 and 1, unless options set it, and each budget gets the better model, or a polished one
// if its loss is lower by more than a standard error of the difference. A budget gets a smaller
// model if that is as good. Throws Interrupted, an Error, once Options::stop is true.
std::vector<Frontier> learn_frontiers(const Problem& problem, const std::vector<Options>& solvers,
                                      const std::vector<std::uint64_t>& budgets,
                                      SelectObserver& observer);

// What makes a model as good as the best one, on the same held-out rows.
enum class AsGood {
  error,  // its error is not higher by more than two standard errors of the difference
  loss,   // likewise its loss
  // Its loss (regression: mean |residual|), averaged with those of the sizes beside it, is not
  // higher by more than half a standard error of the difference; or than 10% of the best loss or 1%
  // of what the best model gains over the constant one, whichever is less. Without a constant
  // model, as `error`.
  both,
  auc,   // as `error`, by the area under the ROC curve, of two classes
  f1,    // by the F1 score, of two classes
  rmse,  // by the root mean squared error of a regression
};
// The area under the ROC curve or the F1 score on the held-out rows, if `as_good` is one of them.
std::optional<double> measured(const SizedResult& model, AsGood as_good);
// The smallest of all models tried, the constant one included, that is as good as the best; of one
// size the one with the lower loss (regression: mean absolute residual). Without the scores of
// single rows, it is within one standard error of the best model's error. The frontier must not
// have failed.
SizedResult smallest_near_best(const Frontier& frontier, AsGood as_good = AsGood::error);
// The best model of all, the constant one included. `both` compares losses, of regressions mean
// absolute residuals; but of models that make fewer errors than the one with the lowest loss, by
// more than two standard errors of the difference, it takes the one with the fewest.
SizedResult best_of_all(const Frontier& frontier, AsGood as_good = AsGood::error);

// Trains models of all budgets on `folds` parts of the rows, `repeats` times with other parts, and
// scores each on the rest. A setting is judged by its scores on all rows.
Frontier learn_frontier_in_folds(const Problem& problem, const Options& options,
                                 const std::vector<std::uint64_t>& budgets, std::uint64_t folds,
                                 std::uint64_t repeats, SelectObserver& observer);
// The smallest model whose error is at most `error`, if there is one.
std::optional<SizedResult> smallest_within(const Frontier& frontier, double error);

// The same rows with scaled features, see ReadOptions::scale. Takes one pass over the rows. Throws
// Interrupted, an Error, once `stop` is true.
Problem with_scale(const Problem& problem, FeatureScale scale,
                   const std::atomic<bool>* stop = nullptr);

// The options without holdout or folds: to train a chosen candidate on all rows.
Options for_all_rows(const Options& options);

}  // namespace thresh
