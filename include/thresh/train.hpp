// train(): what `thresh train DATA` does, as one call.
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

// The options of `thresh train` with the program's defaults: the solver `budget`, as many passes as
// the solver wants (passes = 0), and a size that held-out rows choose. Set `features` or `density`
// for a model of a given size.
struct TrainOptions : Options {
  TrainOptions();
  // Without a given size: take the smallest model whose error on held-out rows is at most this (a
  // fraction, an RMSE for regression). None: the smallest within one standard error of the best.
  std::optional<double> max_error;
};

// The share of rows that train() holds out to choose a size if nothing else is said.
inline constexpr double kUsualHoldout = 0.2;

// How the size of a model was chosen.
struct SizeChoice {
  SizedResult chosen;
  SizedResult best;                   // the one with the lowest error on held-out rows
  std::vector<SizedResult> curve;     // one model for each budget, ascending: of the lowest loss,
                                      // but at its budget the chosen one
  std::vector<std::string> warnings;  // reasons to doubt the choice
  double seconds = 0;                 // of learning, until it was made
};

// A model with everything that is known about its last run. `model` is learned from all rows.
struct Trained : FitResult {
  std::optional<SizeChoice> choice;  // none if the options gave the size
};

// No model has an error of at most TrainOptions::max_error.
class LimitMissed : public Error {
 public:
  using Error::Error;
};

// Told how far train() is. Called by one thread at a time.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  // While models of all sizes are learned.
  virtual void on_sizes(const SelectObserver::Progress&) {}
  // A size was chosen; the run on all rows comes next.
  virtual void on_choice(const SizeChoice&) {}
  // Who watches the run that gives the model. Asked once, right before it; null: nobody.
  virtual Observer* last_run() { return nullptr; }
};

// Trains a model. If the options give no size and the solver can learn all sizes in one run
// (SolverInfo::many_sizes), it learns models of all sizes on a part of the rows, chooses one on the
// others (problem.valid, or a share of the training rows), and learns a model of that size from all
// rows. Otherwise it is fit().
//
// Throws what fit() throws; LimitMissed; and Interrupted, an Error, if Options::stop becomes true
// before a size is chosen. After that a stopped run gives the model so far.
Trained train(const Problem& problem, const TrainOptions& options = {},
              TrainObserver* observer = nullptr);

}  // namespace thresh
