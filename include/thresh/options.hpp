// What to learn and how. Names are those of the options of `thresh train`.
//
// These are the options of a single run, fit(), whose default solver needs to be told nothing. The
// program's defaults (solver `budget`, size chosen on held-out rows) are TrainOptions in train.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thresh {

enum class Task { classification, regression };
// A pass visits every row once in a random or in the given order, or draws as many rows with
// replacement.
enum class Order { shuffle, sequential, replacement };
enum class Schedule { constant, sqrt, inverse };  // eta, eta/sqrt(t), eta/t at step t = 1, 2, ...
const char* name_of(Schedule schedule);
std::optional<Schedule> schedule_named(std::string_view name);

// log(1 + exp(-y a)), (a - y)^2 / 2, max(0, 1 - y a), max(0, 1 - y a)^2 of margin a and target y.
enum class Loss { logistic, squared, hinge, squared_hinge };
const char* name_of(Loss loss);
std::optional<Loss> loss_named(std::string_view name);

// More than two classes: each against the rest, or one multinomial logistic loss for all of them.
enum class Multiclass { one_vs_rest, softmax };

// What becomes of a run that gets out of control: a number that is no number any more, or margins
// beyond all bounds. It goes back to its last good state and goes on with half the step; or ends
// there; or goes on until something is not finite.
enum class OnDivergence { recover, stop, proceed };
const char* name_of(OnDivergence what);

// What to do when the support has outgrown the feature budget: end the training, or go on. Both
// return the last state within the budget.
enum class AtBudget { stop, proceed };

// Which w a run returns: that after its last step, the mean over all steps, or that after a step
// drawn uniformly from all of them by the seed. Bounds on the expected objective are about the last
// two.
enum class Iterate { last, average, random };

// The step size where neither the user nor the solver has an opinion.
inline constexpr double kDefaultEta = 0.1;

// When a line of the trace is due. The end of training always is.
struct TraceAt {
  enum class Kind { passes, densities, examples } kind = Kind::passes;
  std::uint64_t every = 0;  // examples
};

struct Options {
  std::string solver = "margin-perceptron";

  // The step.
  std::optional<double> eta;  // none: kDefaultEta, or less where the rows are too long for that
  bool auto_eta = false;  // choose eta by what is known about the data, see SolverInfo::auto_eta
  double lambda = 1e-4;
  std::optional<Loss> loss;          // default: the solver's, squared for regression
  std::optional<Schedule> schedule;  // default: the solver's
  std::map<std::string, std::string>
      solver_options;  // the solver's own options by name, see solvers()

  // The feature budget: at most one of the first two.
  std::optional<std::uint64_t> features;  // non-zero weights at most
  std::optional<double> density;          // the same as a fraction of the dimension, in (0, 1]
  std::vector<std::uint64_t> budgets;     // larger ones to record on the way, see learn_frontiers()
  std::vector<double> betas;   // of solver budget: others than its own option beta, to make
                               // models with beside, see learn_frontiers()
  bool shared_budget = false;  // more than two classes: all of them together, instead of each,
                               // have no more weights than these say
  std::optional<AtBudget> at_budget;    // default: proceed; margin-perceptron
                                        // always stops, unless its classes share a budget
  std::vector<double> lambdas;          // larger ones to solve for on the way, falling; with
                                        // the own option lambda-ratio: shares like it
  std::vector<std::uint64_t> keep;      // features, as the data number them, that must stay
  std::vector<std::string> keep_names;  // the same by name, where the data have names

  // The run.
  std::uint64_t passes = 10;           // 0: as many as the solver wants
  std::optional<std::uint64_t> steps;  // instead of passes: rows, batches or coordinates
  Order order = Order::shuffle;
  Iterate iterate = Iterate::last;
  std::optional<double> delta;  // scd: the best of ceil(log2(1/delta)) runs, with seeds from `seed`
                                // on; fit() only. Its bound holds with probability 1 - delta
  std::uint64_t seed = 1;
  bool intercept = true;
  OnDivergence on_divergence = OnDivergence::recover;
  bool compensated = false;  // margins and gradients as if summed with twice the digits

  // The data.
  Task task = Task::classification;
  std::optional<double> positive;  // which label is +1; default: the larger
  std::string positive_name;       // the same where labels are words; default: the last one
  Multiclass multiclass = Multiclass::one_vs_rest;
  std::string feature_labels_file;  // a label a feature: with the own option non-negative a feature
                                    // speaks for the class of its label and against all others
  bool balanced_classes = false;    // weigh rows so that both classes count the same
  std::string weights_file;         // example weights, one a line
  double holdout = 0;               // share of rows kept out of training, in [0, 1)
  std::uint64_t folds = 0;  // instead of a share: rows fall into so many folds, by seed and number,
  std::uint64_t fold = 0;   // and those of this one are held out; 0 folds: none are
  bool calibrate = false;   // probabilities by Platt scaling on the held-out rows
  std::uint64_t dim = 0;    // the dimension, if known; 0: the largest index in the data
  std::uint64_t memory = 128 << 20;  // bytes for rows kept between passes
  std::size_t threads = 0;           // at most, see ThreadLimit; 0: one for each core

  bool certify = false;          // say which rows caused updates, see FitResult::compression_sets
  std::optional<TraceAt> trace;  // none: nothing is evaluated on the way
  const std::atomic<bool>* stop = nullptr;  // training ends after the current rows once it is true
};

// One option: a solver's own, or one that all share.
struct OptionInfo {
  // share: a percentage; list: A,B,C; word: one of `words`; text: anything.
  enum class Kind { number, flag, word, file, count, share, bytes, list, text } kind = Kind::number;
  std::string name;           // without dashes
  std::string default_value;  // of the program; "" for a solver's own number: it must be given
  std::string help;
  std::vector<std::string> words = {};  // that a word may be; empty: the solver decides
  bool tunable = false;                 // a search may choose its value, as that of any own option
  std::string alias = {};               // another name
  std::string group = "Options";        // its heading in the help of the program
  bool recorded = true;                 // own ones: models record it also where it is not given

  bool is_called(std::string_view other) const {
    return other == name || (other == alias && !alias.empty());
  }
};

// What a feature budget means to a solver: nothing it could keep to, an upper limit, or its very
// subject.
enum class BudgetUse { refused, optional, required };

// One solver of the catalog.
struct SolverInfo {
  std::string name;
  std::string paper;
  std::string objective;
  std::string update;  // the rule, in one line
  std::string cost;    // per step
  std::string needs;   // rows, columns, or everything in memory
  std::string example;
  std::vector<Loss> losses;  // that it can minimise, the default first; empty: it has its own
  BudgetUse budget = BudgetUse::optional;
  bool stops_at_budget = false;  // it ends where the next update would exceed its budget
  std::string auto_eta;          // how --eta auto chooses; "": it cannot
  bool softmax = false;          // whether it can minimise the multinomial loss of several classes
  Schedule schedule = Schedule::constant;  // the default one
  std::string steps;                       // where that does not say all about the step size
  std::vector<std::string> unused;         // options that all share but that mean nothing to it
  std::string counts = "rows";             // what a step is about
  bool many_sizes = false;    // it learns models of several budgets in one run, and can be
                              // told which features to keep
  bool lambdas = false;       // it solves for several lambdas in one run, see Options::lambdas
  std::uint64_t passes = 10;  // that it makes unless told otherwise; 0: the rows decide
  std::vector<OptionInfo> options;  // its own, beyond those that all share
};

// All solvers, in the order in which they should be shown.
const std::vector<SolverInfo>& solvers();
// The one of that name. Throws UsageError with the nearest name for one that does not exist.
const SolverInfo& solver_named(std::string_view name);

// Throws UsageError for options that are out of range, contradictory or foreign to the solver.
void check_options(const Options& options);

// The options that all solvers share, in the order of the program's help.
const std::vector<OptionInfo>& shared_options();

// Sets an option by the name and the value that the program's option has: one of shared_options(),
// or one of the solver's own. Set the solver first. `intercept` and other flags are true or false;
// `memory` is a number of bytes. Throws UsageError for a name or a value that it cannot have.
void set_option(Options& options, const std::string& name, const std::string& value);
// The same for shared options alone, whether or not they mean something to the solver.
void set_shared_option(Options& options, const std::string& name, const std::string& value);

}  // namespace thresh
