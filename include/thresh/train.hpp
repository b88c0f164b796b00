// train(): the command `thresh train DATA` as one call.
//
//     thresh::Trained trained = thresh::train(thresh::open_problem("rows.svm"));
//     trained.model.save("rows.thresh");
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thresh/error.hpp"
#include "thresh/fit.hpp"
#include "thresh/select.hpp"

namespace thresh {

// The options of `thresh train` with the program's defaults: the solver `budget`, its own number of
// passes (passes = 0), and a size chosen on held-out rows. Set `features` or `density` to fix the
// size.
struct TrainOptions : Options {
  TrainOptions();
  // If no size is set: choose the smallest model whose error on held-out rows is at most this (a
  // fraction; for regression see ErrorKind). None: the smallest that is as good as the best.
  std::optional<double> max_error;
  // When a smaller model is as good as the best one. For regression, the error is the mean absolute
  // residual here, so that no single row decides. UsageError if the task does not have this
  // measure.
  AsGood as_good = AsGood::both;
};

// The share of rows that train() holds out by default to choose a size.
inline constexpr double kUsualHoldout = 0.2;

// How the size of a model was chosen.
struct SizeChoice {
  SizedResult chosen;
  SizedResult best;                // lowest error on held-out rows
  std::vector<SizedResult> curve;  // by ascending budget, the model with the lowest loss; at the
                                   // chosen budget the chosen model
  std::optional<SizedResult> constant;  // the model without features, if it was fitted
  std::uint64_t folds = 0;              // each row was held out in one of these; 0: some were
  std::uint64_t repeats = 1;            // with other folds
  std::vector<std::string> warnings;    // reasons to doubt the choice
  double seconds = 0;                   // learning time until the choice
};

// The result of the last run, on all rows, and how the size was chosen.
struct Trained : FitResult {
  std::optional<SizeChoice> choice;  // none if the options set the size
};

// No model has an error of at most TrainOptions::max_error.
class LimitMissed : public Error {
 public:
  using Error::Error;
};

// Receives the progress of train(). Called by one thread at a time.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  // Called while models of all sizes are learned.
  virtual void on_sizes(const SelectObserver::Progress&) {}
  // Called when a size is chosen, before the run on all rows.
  virtual void on_choice(const SizeChoice&) {}
  // The observer of the last run, or null. Called once, right before that run.
  virtual Observer* last_run() { return nullptr; }
};

// Whether the solver has settings that train() chooses on held-out rows. Not if the options set one
// of them, or allow a single pass only.
bool has_settings_to_choose(const Options& options);

// Trains a model. If the solver has SolverInfo::many_sizes: learns models of all sizes on one part
// of the rows, chooses a size on the rest (problem.valid, a share of the training rows, or all rows
// in turn if there are few), and trains a model of that size on all rows. Otherwise calls fit().
//
// Without a size in the options it chooses the smallest model that is about as good as the best;
// with one, the best model of at most that size. If the options set a size but hold out no rows, it
// chooses settings for this size only, see has_settings_to_choose().
//
// Throws what fit() throws; LimitMissed; and Interrupted, an Error, if Options::stop becomes true
// before a size is chosen. A run stopped later returns the model so far.
Trained train(const Problem& problem, const TrainOptions& options = {},
              TrainObserver* observer = nullptr);

// Estimates the error of what train() returns: each fold is held out once from all of it, the
// choice of a size included. Throws Interrupted once Options::stop is true.
Judged cross_validate_training(const Problem& problem, const TrainOptions& options,
                               std::uint64_t folds, SelectObserver* observer = nullptr);

}  // namespace thresh
