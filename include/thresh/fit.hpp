// fit(): rows in, a sparse model out.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thresh/model.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class FeatureScales;

// Rows to learn from, rows to validate on, and the numbering of features they share.
struct Problem {
  std::shared_ptr<FeatureMap> features;
  std::shared_ptr<RowSource> train;
  std::shared_ptr<RowSource> valid;        // may be null
  std::shared_ptr<Vocabulary> vocabulary;  // what words mean that are in the rows; may be null
  Format format = Format::libsvm;          // how the rows were read; the model remembers
  bool zero_based = false;
  bool normalize_l2 = false;
  bool as_it_is = false;  // whatever scale the solver wants features on
  std::string note;       // what the user should know about how the rows were read; "" if nothing
  // What features of `train` and `valid` were divided by; null: nothing. The weights of models are
  // divided by it, too, so that they are for features as they are.
  std::shared_ptr<const FeatureScales> scales;
};

// Whether a run needs to see its rows only once and in order, with nothing known beforehand: then a
// pipe can be learned from as it flows, opened with ReadOptions::once.
bool one_look_is_enough(const Options& options);

// Opens a training file, and a validation file unless its path is "".
Problem open_problem(const std::string& train, const std::string& valid = "",
                     const ReadOptions& options = {});

// How rows in memory are to be understood.
struct MemoryOptions {
  bool zero_based = true;     // feature indices start at 0; false: at 1, as those of libsvm files
  bool normalize_l2 = false;  // scale every row to unit length
  FeatureScale scale = FeatureScale::automatic;  // see ReadOptions::scale
};

// The same for rows in memory; `valid` are rows to validate on, null for none.
//
// Features keep the numbers that the caller gives them: the model remembers whether they start at 0
// or at 1, and its coefficients, predict() and evaluate() count in the same way. A file with the
// same rows gives the same weights.
//
// Throws UsageError, with the number of the row counted from 0, for arrays of lengths that do not
// fit together, indices that do not ascend or are out of range, and numbers that are not finite.
Problem memory_problem(const MemoryRows& train, const MemoryOptions& options = {},
                       const MemoryRows* valid = nullptr);

enum class Outcome { converged, budget_reached, passes_spent, steps_spent, stopped, diverged };

// How training ended, and why.
struct Status {
  Outcome outcome;
  std::string reason;
};
const char* name_of(Outcome outcome);

// Where training stands. Errors are fractions.
struct Progress {
  std::uint64_t pass = 0;  // counted from 1
  std::uint64_t examples = 0;
  std::uint64_t updates = 0;
  std::uint64_t accesses = 0;  // stored feature values read
  std::uint64_t nonzeros = 0;
  std::uint64_t dimension = 0;   // 0 while unknown
  std::uint64_t bytes = 0;       // of text behind the rows so far
  double seconds = 0;            // of learning: the clock stands while something is evaluated
  double progressive_error = 0;  // of this pass, each row predicted before it was learned from;
                                 // NaN where rows are not predicted on the way
  std::uint64_t expected_examples = 0;  // of the whole run; 0 if unknown

  double density() const;
};

// How the base-2 exponents of a model's weights are spread: that of 1 is 0, that of 0.9 is -1.
struct WeightExponents {
  double within = 0;  // the share that is at most 51 below the largest: a sum of doubles notices it
  double mean = 0;
  double deviation = 0;
};

// A line of the trace.
struct TracePoint {
  Progress at;
  std::optional<double> objective;
  std::optional<double> train_error;         // an RMSE for regression
  std::optional<WeightExponents> exponents;  // none if all weights are zero
  std::optional<double> valid_error;
  std::optional<double> valid_error_se;  // its standard error, from row to row
  std::optional<double> valid_loss;      // the mean of the solver's loss, without its penalty
  std::uint64_t valid_rows = 0;
  double valid_weight = 0;  // of these rows together
};

// The same as a record, and as JSON: a line of the trace file, without the line feed.
Record trace_record(const TracePoint& point);
std::string trace_json(const TracePoint& point);

// Where a run got out of control, and what was done about it. Rows and features are numbered as the
// data number them.
struct Divergence {
  std::optional<std::uint64_t> row;      // counted from 1, among those learned from
  std::optional<std::uint64_t> line;     // of the file
  std::optional<std::uint64_t> feature;  // none: the intercept, or unknown
  double weight = 0;                     // that it had
  double value = 0;                      // of the feature in that row
  std::uint64_t examples = 0;            // seen until then
  std::uint64_t back_to = 0;             // examples seen at the state that the run went back to
  double step = 0;   // what all steps are multiplied by from there on; 0: the run ended there
  std::string what;  // in words
};

// Watches a run. Calls come between rows, with the clock stopped.
class Observer {
 public:
  virtual ~Observer() = default;
  // Asked often, after at most a few hundred rows. Counting non-zeros may take a while for solvers
  // that put work off, so saying no is worth it. `nonzeros` is not up to date yet.
  virtual bool wants_progress(const Progress&) const { return true; }
  virtual void on_progress(const Progress&) {}
  // on_progress() also comes right after this many examples.
  virtual std::uint64_t wake_at() const { return std::numeric_limits<std::uint64_t>::max(); }
  virtual void on_trace(const TracePoint&) {}
  // What the user should know about the steps of the run.
  virtual void on_warning(const std::string&) {}
  // The run got out of control. It goes on from its last good state, unless `step` is 0.
  virtual void on_divergence(const Divergence&) {}
};

// Something the papers prove about a run, or why it does not apply to this one.
struct Finding {
  std::string name;
  std::optional<double> value;
  std::string note;
};

// A model that a run recorded on its way, see Options::budgets and Options::betas.
struct Recorded {
  TracePoint last;
  Model model;
};

// The rows that made a model, or its part for a class, what it is.
struct CompressionSet {
  std::vector<std::uint64_t> rows;  // the ids of those that caused updates, ascending
  std::uint64_t updates = 0;        // how many
};

struct FitResult {
  Model model;
  Status status;
  TracePoint last;                // objective and training error only if a trace was asked for
  std::vector<TracePoint> trace;  // empty unless one was asked for
  std::vector<Finding> theory;
  std::vector<Recorded> recorded;  // the largest first, and those of a size by Options::betas
  std::vector<CompressionSet>
      compression_sets;  // with Options::certify and margin-perceptron: one, or one a class
  std::vector<Divergence> divergences;
  std::vector<std::string> warnings;  // steps that are too large, or were made smaller
  std::uint64_t bad_rows = 0;  // of the training file, left out, see ReadOptions::skip_bad_rows
};

// Trains. `start` is a model to continue from. Throws Error for bad data, UsageError for options
// that make no sense; a run that was stopped before its first row is an Error too. A diverged run
// is a Status, not an exception; its model is the last good state, and always finite.
FitResult fit(const Problem& problem, const Options& options, const Model* start = nullptr,
              Observer* observer = nullptr);

}  // namespace thresh
