// Many models at once, and the choice between them: side by side over the same rows, judged on rows
// that were held out.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresh/fit.hpp"

namespace thresh {

// Trains a model for each candidate and gives what fit() would give one by one, bit for bit, in
// less time: candidates that learn from the same rows in the same order are shown each row while it
// is at hand, on all cores, and those that need all rows in memory share them. Solvers, passes,
// steps, budgets and losses may differ as they like, and a candidate that ends early or diverges
// does not disturb the others; the more agree in seed, order, holdout and weights, the more is
// shared.
//
// `observers` is empty or has one for each candidate, null for none. Each is called by one thread
// at a time, but different ones at once. Throws what fit() throws, of the first candidate it does
// so for.
std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               const std::vector<Observer*>& observers = {});

// Told how far a search is. Called by one thread at a time.
class SelectObserver {
 public:
  virtual ~SelectObserver() = default;
  struct Progress {
    std::size_t done = 0;    // trials
    std::size_t trials = 0;  // in all
    double share = 0;        // of all of them, those under way included
  };
  virtual void on_progress(const Progress&) {}
};

// The same with one observer for all. Throws Interrupted, an Error, once options say stop.
std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               SelectObserver& observer);

// Adds what a run warned of to what others did. Folds and budgets warn of the same with other
// numbers: of warnings that differ in numbers alone the first stands for all.
void add_warnings(std::vector<std::string>& all, const std::vector<std::string>& more);

using Settings = std::vector<std::pair<std::string, std::string>>;  // names and values

struct Candidate {
  Settings settings;  // in what it differs from the others
  Options options;
  std::optional<FeatureScale> scale;  // of its features; none: as the problem has them
};

// The values that one option may take.
struct Axis {
  std::string name;
  std::vector<std::string> values;
  bool whole = false;                                  // its values are whole numbers,
  bool percent = false;                                // or percentages
  std::optional<std::pair<double, double>> log_range;  // where a random search draws from
  double between(double share) const;                  // the point that far along it
};

// "lambda=1e-4,1e-3 eta=0.1:0.5:0.1 tau=log:1e-3:1:4": a list, a range lo:hi:step, a logarithmic
// range log:lo:hi:count. A tunable option, or scale=none,max,rms. Throws UsageError for
// what cannot be, or not with that solver.
std::vector<Axis> parse_grid(const std::string& text, const std::string& solver);
// All combinations, the last axis changing fastest.
std::vector<Candidate> grid_candidates(const Options& base, const std::vector<Axis>& axes);
// Different combinations drawn by base.seed, at most `count`; anywhere within a logarithmic range.
std::vector<Candidate> random_candidates(const Options& base, const std::vector<Axis>& axes,
                                         std::size_t count);

// A model for each candidate, all of which differ in the option `over`. Falling values of lambda,
// or of lambda-ratio, are one run for solvers that can (SolverInfo::lambdas), each solved from the
// one before: what its passes do not suffice for has no result. Smaller steps never take the place
// of what a candidate says: one that diverges has failed. Throws Interrupted once options say stop.
std::vector<FitResult> learn_path(const Problem& problem, const std::string& over,
                                  const std::vector<Candidate>& candidates,
                                  SelectObserver& observer);

// A candidate on the rows that were held out from it.
struct Trial {
  double error = 0;     // RMSE for regression
  double error_se = 0;  // its standard error, from row to row
  double loss = 0;
  std::uint64_t rows = 0;  // held out
  std::uint64_t nonzeros = 0;
  std::string failure;                // why the rest means nothing; "" if it does not
  std::vector<std::string> warnings;  // of its run, see FitResult
};

// A mean and its standard error; the latter unknown if there is nothing to find it from.
struct Estimate {
  double mean = 0;
  std::optional<double> se;
};
Estimate estimate_of(const std::vector<double>& values);

// What is known about a candidate: one trial a fold, or one altogether.
struct Judged {
  Candidate candidate;
  std::vector<Trial> trials;
  std::string failure;  // of one of them; "": it has none
  Estimate error, loss, nonzeros;
  std::size_t rung = 0;  // of successive halving, 0 the first
};

// Judges candidates by `folds`-fold cross-validation, or, with 0 folds, by the validation rows that
// each one's options or the problem have. Throws Interrupted, an Error, once options say stop.
std::vector<Judged> cross_validate(const Problem& problem, const std::vector<Candidate>& candidates,
                                   std::uint64_t folds, SelectObserver* observer = nullptr);

enum class Search {
  all,      // every candidate, with all its passes
  halving,  // successive halving: all for a few passes, the best third anew for three times as many
};
enum class By { error, loss };

struct TuneOptions {
  Search search = Search::all;
  std::uint64_t folds = 0;  // see cross_validate()
  By by = By::error;        // ties are broken by the other one, then by fewer non-zeros
  bool one_se = false;      // the smallest model within one standard error of the best
  std::string state_file;   // "": none; else trials are kept there, and an interrupted search that
                            // is started again goes on
};

struct TuneResult {
  std::vector<Judged> candidates;     // best first, failures last
  std::optional<std::size_t> chosen;  // none if all failed
};

// Tries all candidates. Throws UsageError if the options of all of them are refused. The same
// result however often it was interrupted.
TuneResult tune(const Problem& problem, const std::vector<Candidate>& candidates,
                const TuneOptions& options, SelectObserver* observer = nullptr);

// A model of at most so many features.
struct SizedResult {
  std::uint64_t budget = 0;
  TracePoint last;    // what it has, and how it does on the rows that were held out
  Settings settings;  // that it was made with, where several were tried
};
// The best one that was found.
struct FrontierPoint : SizedResult {
  Model model;
};
struct Frontier {
  std::string solver;
  std::vector<FrontierPoint> points;  // ascending by budget; none if a run failed
  std::vector<SizedResult> tried;     // every model that was made: of all settings and budgets
  std::string failure;                // how it did
  std::vector<std::string> warnings;  // of its runs, see add_warnings()
  double seconds = 0;                 // of learning
};

// How many classes one budget is for: all if they share it, else 1.
std::uint64_t sharing_classes(const Problem& problem, const Options& options);
// Numbers of features and percentages of all of them, "10,500,2%": ascending, each once. Throws
// UsageError for anything else. For a budget that classes share, the dimension is that of all.
std::vector<std::uint64_t> parse_budgets(const std::string& text, std::uint64_t dimension);
// 1, 2, 5, 10, ... from 10 (if there are fewer than 1,000 features: 1) up to all.
std::vector<std::uint64_t> usual_budgets(std::uint64_t dimension);

// The largest budget that means anything: all features, of all classes if they share it.
std::uint64_t largest_budget(const Problem& problem, const Options& options);
// usual_budgets() up to that, without those too small for the features that must stay.
std::vector<std::uint64_t> usual_budgets_for(const Problem& problem, const Options& options);

// One model for each budget and each of `solvers`, side by side. A solver that can do so learns all
// its models in one run (SolverInfo::many_sizes), any other one a run each.
//
// Where rows are held out, they decide two things, by the loss on them. `budget` runs with --beta
// 0.1 and 1, unless options say which, and each budget gets the better of the two models. And a
// budget for which a smaller model is as good gets the smaller one: it may have so many features,
// but need not. Throws Interrupted, an Error, once options say stop.
std::vector<Frontier> learn_frontiers(const Problem& problem, const std::vector<Options>& solvers,
                                      const std::vector<std::uint64_t>& budgets,
                                      SelectObserver& observer);

// Of all that were tried: the smallest model whose error on held-out rows is within one standard
// error of the best one's; of the same size that with the lower loss. Not of a frontier that
// failed.
SizedResult smallest_near_best(const Frontier& frontier);
// The same, if there is one, for an error of at most this.
std::optional<SizedResult> smallest_within(const Frontier& frontier, double error);

// The same rows with features on one scale, see ReadOptions::scale. They are looked at once for
// that; throws Interrupted, an Error, once `stop` is true.
Problem with_scale(const Problem& problem, FeatureScale scale,
                   const std::atomic<bool>* stop = nullptr);

// To learn from all rows what was chosen on some of them: nothing is held out.
Options for_all_rows(const Options& options);

}  // namespace thresh
