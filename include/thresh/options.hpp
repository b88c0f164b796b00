// Options of a training run, named like the options of `thresh train`, and the list of solvers.
//
// Options holds the defaults of fit(), whose default solver needs no further options. For the
// program's defaults (solver `budget`, size chosen on held-out rows) see TrainOptions in train.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thresh {

class Checkpoint;
class Comm;
struct LearnerState;

using Settings = std::vector<std::pair<std::string, std::string>>;  // names and values of options

enum class Task { classification, regression };
// A pass visits every row once, in random or file order, or draws the same number of rows with
// replacement.
enum class Order { shuffle, sequential, replacement };
enum class Schedule { constant, sqrt, inverse };  // eta, eta/sqrt(t), eta/t at step t = 1, 2, ...
const char* name_of(Schedule schedule);
std::optional<Schedule> schedule_named(std::string_view name);

// log(1 + exp(-y a)), (a - y)^2 / 2, max(0, 1 - y a), max(0, 1 - y a)^2 of margin a and target y.
// For numbers also: exp(a) - y a + y (log y - 1), half the Poisson deviance of a count y at the
// rate exp(a); Huber's, (a - y)^2 / 2 up to a distance d, then d (|a - y| - d/2); and the one of
// the quantile q, max(q (y - a), (1 - q) (a - y)).
enum class Loss { logistic, squared, hinge, squared_hinge, poisson, huber, quantile };
const char* name_of(Loss loss);
std::optional<Loss> loss_named(std::string_view name);
// Whether targets are numbers whatever the task, as for poisson, huber and quantile.
inline bool is_for_numbers(Loss loss) {
  return loss == Loss::poisson || loss == Loss::huber || loss == Loss::quantile;
}

// What the error of a model is: the share of wrong predictions; of a regression the root mean
// squared error, or of a loss for numbers its mean: the deviance, twice the loss of poisson,
// Huber's loss, the pinball loss of a quantile.
enum class ErrorKind { share, rmse, deviance, huber, pinball };
struct Options;
ErrorKind error_kind(const Options& options);
const char* name_of(ErrorKind kind);  // for people: "error", "RMSE", "deviance", ...

// More than two classes: one model per class against the rest, or one multinomial logistic loss.
enum class Multiclass { one_vs_rest, softmax };

// What a run does when it diverges, that is, when a number is not finite or margins grow without
// bound. recover: roll back to the last good state and continue with half the step. stop: roll back
// and end. proceed: continue until a number is not finite.
enum class OnDivergence { recover, stop, proceed };
const char* name_of(OnDivergence what);

// What a run does when its support exceeds the feature budget: stop or continue. Both return the
// last state within the budget.
enum class AtBudget { stop, proceed };

// Which w a run returns: after the last step, the mean over all steps, or after a step drawn
// uniformly with the seed. Bounds on the expected objective apply to `average` and `random`.
enum class Iterate { last, average, random };

// The step size if neither the user nor the solver sets one.
inline constexpr double kDefaultEta = 0.1;

// When to record a line of the trace. The end of training always gets one.
struct TraceAt {
  enum class Kind { passes, densities, examples } kind = Kind::passes;
  std::uint64_t every = 0;  // for Kind::examples: a line after this many
};

struct Options {
  std::string solver = "margin-perceptron";

  // The step.
  std::optional<double> eta;  // none: kDefaultEta, or less if the rows are too long for it
  bool auto_eta = false;      // derive eta from the data, see SolverInfo::auto_eta
  double lambda = 1e-4;
  std::optional<Loss> loss;          // default: the solver's; squared for regression
  double huber_delta = 1;            // d of Loss::huber, in units of the target
  double quantile = 0.5;             // q of Loss::quantile
  std::optional<Schedule> schedule;  // default: the solver's
  std::map<std::string, std::string>
      solver_options;  // options of this solver only, by name, see solvers()

  // The feature budget. Set at most one of `features` and `density`.
  std::optional<std::uint64_t> features;  // maximum number of non-zero weights
  std::optional<double> density;          // the same as a fraction of the dimension, in (0, 1]
  std::vector<std::uint64_t> budgets;     // larger budgets, whose models the run records too, see
                                          // learn_frontiers()
  std::vector<double> betas;   // solver budget: more values of its option beta, with a model for
                               // each, see learn_frontiers()
  bool polish = false;         // solver budget: also fit the features of every model to their
                               // optimum, with the ridge that is best on the held-out rows
  bool shared_budget = false;  // more than two classes: the budget limits all classes together
                               // instead of each
  std::optional<AtBudget> at_budget;    // default: proceed; margin-perceptron
                                        // always stops, unless its classes share a budget
  std::vector<double> lambdas;          // larger lambdas to solve for first, descending; ratios
                                        // if the solver's option lambda-ratio is set
  std::vector<std::uint64_t> keep;      // required features, by their index in the data
  std::vector<std::string> keep_names;  // the same by name, if the data have names
  std::vector<std::string> signs;  // "+NAME", "-NAME": weights that must not be negative, or not
                                   // positive; by name or index, see SolverInfo::signs

  // The run.
  std::uint64_t passes = 10;           // 0: the solver decides
  std::optional<std::uint64_t> steps;  // instead of passes; a step is a row, batch or coordinate
  Order order = Order::shuffle;
  Iterate iterate = Iterate::last;
  std::optional<double> delta;  // scd: return the best of ceil(log2(1/delta)) runs with seeds
                                // `seed`, `seed` + 1, ..., so that its bound holds with
                                // probability 1 - delta; fit() only
  std::uint64_t seed = 1;
  bool intercept = true;
  OnDivergence on_divergence = OnDivergence::recover;
  bool compensated = false;  // sum margins and gradients as if in twice the precision

  // The data.
  Task task = Task::classification;
  std::optional<double> positive;  // which label is +1; default: the larger
  std::string positive_name;       // the same if labels are words; default: the last one
  Multiclass multiclass = Multiclass::one_vs_rest;
  std::string feature_labels_file;  // one label per feature. With the solver option non-negative, a
                                    // feature counts for the class of its label, against all others
  bool balanced_classes = false;    // weight rows so that both classes have equal total weight
  std::vector<std::pair<std::string, double>>
      class_weights;  // instead: weights of rows by their label as in the data; others have 1
  std::string weights_file;  // row weights, one per line
  double holdout = 0;        // share of rows held out from training, in [0, 1)
  std::uint64_t folds = 0;   // instead of holdout: number of folds, drawn by seed and row; 0: none
  std::uint64_t fold = 0;    // the fold to hold out
  bool calibrate = false;    // probabilities by Platt scaling on the held-out rows
  std::string threshold_by;  // two classes: choose the model's threshold on the held-out rows by
                             // this rule, see choose_threshold(); empty: 0
  std::uint64_t dim = 0;     // the dimension, if known; 0: the largest index in the data
  std::uint64_t memory = 128 << 20;  // bytes for rows held between passes
  std::size_t threads = 0;           // maximum, see ThreadLimit; 0: one per core

  bool by_rmse = false;          // ErrorKind::rmse whatever the loss, to compare losses
  bool score_rows = false;       // keep the score of every held-out row, TracePoint::row_scores
  bool certify = false;          // record which rows caused updates, FitResult::compression_sets
  double prove = 0;              // budget with a ridge and `certify`: branch and bound until the
                                 // bound is within this share of the objective; 0: none
  double prove_seconds = 600;    // or until this time is over
  std::optional<TraceAt> trace;  // none: no evaluations during the run
  const std::atomic<bool>* stop = nullptr;  // training ends after the current rows once it is true
  Checkpoint* checkpoint =
      nullptr;              // saves what is done, see checkpoint.hpp; null: nothing is saved
  Comm* ranks = nullptr;    // they share the runs of a search, each on all rows; null: none
  bool save_state = false;  // FitResult::state, to go on with new rows; fit() only
  const LearnerState* from_state =
      nullptr;  // go on from it, see learner_state.hpp; null: start anew
};

// The description of an option, of one solver or shared by all.
struct OptionInfo {
  // share: a percentage; list: A,B,C; word: one of `words`; text: anything.
  enum class Kind { number, flag, word, file, count, share, bytes, list, text } kind = Kind::number;
  std::string name;           // without dashes
  std::string default_value;  // of the program; "" for a number of a solver: it is required
  std::string help;
  std::vector<std::string> words = {};  // allowed words; empty: the solver checks them
  bool tunable = false;                 // a search may set it; solver options are always tunable
  std::string alias = {};               // another name
  std::string group = "Options";        // its heading in the program's help
  bool recorded = true;                 // solver options: models record it even if it is not set

  bool is_called(std::string_view other) const {
    return other == name || (other == alias && !alias.empty());
  }
};

// Whether a solver rejects, accepts or requires a feature budget.
enum class BudgetUse { refused, optional, required };

// The description of a solver.
struct SolverInfo {
  std::string name;
  std::string paper;
  std::string objective;
  std::string update;  // the rule, in one line
  std::string cost;    // per step
  std::string needs;   // rows, columns, or everything in memory
  std::string example;
  std::vector<Loss> losses;  // supported losses, the default first; empty: it has its own
  BudgetUse budget = BudgetUse::optional;
  bool stops_at_budget = false;            // it ends before an update that would exceed the budget
  std::string auto_eta;                    // how --eta auto chooses eta; "": not supported
  bool softmax = false;                    // it supports Multiclass::softmax
  Schedule schedule = Schedule::constant;  // the default
  std::string steps;                       // remarks on the step size; may be empty
  std::vector<std::string> unused;         // shared options that this solver does not use
  std::string counts = "rows";             // the unit of a step
  bool many_sizes = false;    // it learns models of several budgets in one run, and supports
                              // Options::keep
  bool signs = false;         // it supports Options::signs
  bool lambdas = false;       // it solves for several lambdas in one run, see Options::lambdas
  std::uint64_t passes = 10;  // default number of passes; 0: depends on the rows
  std::vector<OptionInfo> options;  // options of this solver only
};

// All solvers, in display order.
const std::vector<SolverInfo>& solvers();
// The solver with this name. Throws UsageError, suggesting the nearest name, if there is none.
const SolverInfo& solver_named(std::string_view name);

// Throws UsageError for options that are out of range, contradictory or not used by the solver.
void check_options(const Options& options);

// The options that all solvers share, in the order of the program's help.
const std::vector<OptionInfo>& shared_options();

// Sets an option, shared or of the solver, by the name and value that the program uses. Set the
// solver first. `intercept` and other flags are true or false; `memory` is a number of bytes.
// Throws UsageError for an unknown name or an invalid value.
void set_option(Options& options, const std::string& name, const std::string& value);
// The same for shared options only, whether or not the solver uses them.
void set_shared_option(Options& options, const std::string& name, const std::string& value);

}  // namespace thresh
