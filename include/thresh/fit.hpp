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

class FeaturePairs;
class FeatureScales;
struct LearnerState;

// Rows to learn from, rows to validate on, and the numbering of features they share.
struct Problem {
  std::shared_ptr<FeatureMap> features;
  std::shared_ptr<RowSource> train;
  std::shared_ptr<RowSource> valid;        // may be null
  std::shared_ptr<Vocabulary> vocabulary;  // names of features and classes in the rows; may be null
  Format format = Format::libsvm;          // of the rows; stored in the model
  bool zero_based = false;
  bool normalize_l2 = false;
  bool never_scale = false;  // keep features as given, even if the solver prefers another scale
  std::string note;          // messages for the user about how the rows were read, in lines, or ""
  std::shared_ptr<const RowKeys> row_keys;  // groups or times, for rows that are held out; or null
  bool partial = false;  // more rows will follow in later runs: a class may have none of weight now
  std::string label_guessed;  // the last column of a table, if nothing else tells the label; or ""
  // The pairs of features in `train` and `valid`, see ReadOptions::interactions; null: none.
  std::shared_ptr<const FeaturePairs> pairs;
  std::vector<std::string> interactions;  // as they were asked for
  std::uint64_t own_features = 0;         // of the data, without pairs; 0: there are none
  // The divisors of the features in `train` and `valid`; null: not scaled. Model weights are
  // divided by them too, so models apply to unscaled features.
  std::shared_ptr<const FeatureScales> scales;
};

// Whether a run needs only one pass in file order and no survey. Such a run can learn from a pipe
// without spooling it: open the pipe with ReadOptions::once.
bool one_look_is_enough(const Options& options);

// Opens a training file, and a validation file unless its path is "".
Problem open_problem(const std::string& train, const std::string& valid = "",
                     const ReadOptions& options = {});

// How to interpret rows in memory.
struct MemoryOptions {
  bool zero_based = true;     // feature indices start at 0; false: at 1, as in libsvm files
  bool normalize_l2 = false;  // scale every row to unit length
  FeatureScale scale = FeatureScale::automatic;  // see ReadOptions::scale
};

// The same for rows in memory. `valid` holds validation rows; it may be null.
//
// Features keep the caller's indices: the model stores whether they start at 0 or 1, and its
// coefficients, predict() and evaluate() use the same indices. A file with the same rows gives the
// same weights.
//
// Throws UsageError, with the 0-based number of the row, if array lengths do not match, indices do
// not ascend or are out of range, or numbers are not finite.
Problem memory_problem(const MemoryRows& train, const MemoryOptions& options = {},
                       const MemoryRows* valid = nullptr);

enum class Outcome { converged, budget_reached, passes_spent, steps_spent, stopped, diverged };

// How training ended, and why.
struct Status {
  Outcome outcome;
  std::string reason;
};
const char* name_of(Outcome outcome);

// Counters of a run in progress. Errors are fractions.
struct Progress {
  std::uint64_t pass = 0;  // counted from 1
  std::uint64_t examples = 0;
  std::uint64_t updates = 0;
  std::uint64_t accesses = 0;  // stored feature values read
  std::uint64_t nonzeros = 0;
  std::uint64_t dimension = 0;   // 0 while unknown
  std::uint64_t bytes = 0;       // of text read for the rows so far
  double seconds = 0;            // of learning; the clock is stopped during evaluations
  double progressive_error = 0;  // of this pass: each row is predicted before it is learned from;
                                 // NaN if the solver does not predict rows
  std::uint64_t expected_examples = 0;  // of the whole run; 0 if unknown

  double density() const;
};

// The distribution of the base-2 exponents of a model's weights: 1 has exponent 0, 0.9 has -1.
struct WeightExponents {
  double within = 0;  // share of weights at most 51 below the largest: they affect a sum of doubles
  double mean = 0;
  double deviation = 0;
};

// The scores of a model on its held-out rows, in the order of the rows. Only the first 100,000 rows
// have one.
struct RowScores {
  std::vector<float> losses;
  std::vector<float> misses;  // 1 if the class is wrong, else 0; for regression |residual|
  std::vector<float> weights;
  std::vector<float> margins;      // of two classes, else empty
  std::vector<float> labels;       // likewise: 1 or -1
  std::vector<std::uint64_t> ids;  // Row::id, with Options::folds, else empty
};

// A line of the trace.
struct TracePoint {
  Progress at;
  std::optional<double> objective;
  std::optional<double> train_error;         // see ErrorKind
  std::optional<WeightExponents> exponents;  // none if all weights are zero
  std::optional<double> valid_error;
  std::optional<double> valid_error_se;  // standard error of valid_error over the rows
  std::optional<double> valid_loss;      // mean of the solver's loss, without the penalty
  std::uint64_t valid_rows = 0;
  double valid_weight = 0;                      // total weight of these rows
  std::shared_ptr<const RowScores> row_scores;  // with Options::score_rows; may be null
};

// A trace point as a record, and as JSON: a line of the trace file, without the line feed.
Record trace_record(const TracePoint& point);
std::string trace_json(const TracePoint& point);

// Where a run diverged, and how it continued. Features are numbered as in the data.
struct Divergence {
  std::optional<std::uint64_t> row;      // counted from 1, among the training rows
  std::optional<std::uint64_t> line;     // of the file
  std::optional<std::uint64_t> feature;  // none: the intercept, or unknown
  double weight = 0;                     // of the feature, at that time
  double value = 0;                      // of the feature in that row
  std::uint64_t examples = 0;            // seen before the divergence
  std::uint64_t back_to = 0;             // examples seen in the state that was restored
  double step = 0;                       // factor of all later steps; 0: the run ended
  std::string what;                      // in words
};

// How far a proof by branch and bound is, see Options::prove.
struct ProofProgress {
  std::uint64_t nodes = 0;  // sets of models that were examined
  double objective = 0;     // of the best model so far, a sum over rows
  double bound = 0;         // of all models, likewise
};

// Watches a run. Calls come between rows, with the clock stopped.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called often, at least every few hundred rows; `nonzeros` may be out of date here. Return false
  // to skip on_progress(): counting non-zeros is slow for solvers that defer work.
  virtual bool wants_progress(const Progress&) const { return true; }
  virtual void on_progress(const Progress&) {}
  // Requests a call of on_progress() right after this many examples.
  virtual std::uint64_t wake_at() const { return std::numeric_limits<std::uint64_t>::max(); }
  virtual void on_trace(const TracePoint&) {}
  // A warning for the user about the step sizes of the run.
  virtual void on_warning(const std::string&) {}
  // The run diverged. It continues from its last good state unless Divergence::step is 0.
  virtual void on_divergence(const Divergence&) {}
  // Called often, by the thread that called fit().
  virtual void on_proof(const ProofProgress&) {}
};

// A result that a paper proves about the run, or the reason why it does not apply.
struct Finding {
  std::string name;
  std::optional<double> value;
  std::string note;
};

// An additional model of a run, see Options::budgets and Options::betas.
struct Recorded {
  TracePoint last;
  Model model;
};

// How the features of a model were fitted, and selected if not by the run: options of `budget`.
struct PolishSettings {
  double ridge = 0;
  std::optional<double> prune;
  bool by_errors = false;  // fewest-errors
  bool contrast = false;

  Settings options() const;
};

// The optimum of the loss with a ridge over the features of a model, see Options::polish.
struct Polished : Recorded, PolishSettings {};

// The rows whose updates produced the model (or one class of it).
struct CompressionSet {
  std::vector<std::uint64_t> rows;  // Row::id of each, ascending
  std::uint64_t updates = 0;        // number of updates they caused
};

// A node of a proof by branch and bound: a set of models. See docs/certificates.md.
struct ProofNode {
  // The index of the feature that the models of its first child have, and those of its second one
  // have not; none: it has no children.
  std::optional<std::uint64_t> branch;
  // Its own dual point, a linear model: index and weight of its features.
  bool has_point = false;
  double intercept = 0;
  std::vector<std::pair<std::uint64_t, double>> weights;
  double bound = 0;  // of its models, for the sum of losses; not below that of the node above
};

struct Proof {
  std::vector<ProofNode> nodes;  // each before those of its first child, then of its second one
  double bound = 0;              // that it proves, for the sum of losses
};

// From which certify() computes a bound for all models of as many features.
struct DualPoint {
  Model model;                     // its slopes of the loss are the dual point
  double ridge = 0;                // the objective is the sum of losses + ridge/2 sum_j s_j w_j^2
  std::uint64_t features = 0;      // K, of each class
  std::vector<Proof> proofs = {};  // by class, with Options::prove; empty where the point is enough
  double seconds_left = 0;         // of Options::prove_seconds, for certify()
};

struct FitResult {
  Model model;
  Status status;
  TracePoint last;                // objective and training error only with Options::trace
  std::vector<TracePoint> trace;  // empty without Options::trace
  std::vector<Finding> theory;
  std::vector<Recorded> recorded;  // largest first; equal sizes in the order of Options::betas
  std::vector<std::optional<Polished>>
      polished;  // with Options::polish: one per budget, largest first, then one without features;
                 // none where its rows need more than Options::memory, or where the run's own
                 // model has the lower loss on held-out rows (not with Options::folds)
  std::vector<std::optional<Polished>>
      pruned;  // likewise, with the largest weights of a ridge on all features; empty unless the
               // rows are a table with fewer rows than columns
  std::vector<std::optional<Polished>>
      by_errors;  // likewise, with the few features that leave the fewest errors in training rows
  std::vector<std::optional<Polished>>
      contrasted;  // the features of `polished`, fitted with a ridge that is weaker where they tell
                   // classes apart; none for few features; empty for tables and regression
  std::vector<CompressionSet>
      compression_sets;  // margin-perceptron with Options::certify: one, or one per class
  std::optional<DualPoint> dual_point;  // budget with --ridge and Options::certify
  std::vector<Divergence> divergences;
  std::vector<std::string> warnings;  // about steps that were too large or were reduced
  std::uint64_t bad_rows = 0;  // skipped in the training file, see ReadOptions::skip_bad_rows
  std::shared_ptr<const LearnerState> state;  // with Options::save_state, unless the run diverged
};

// Trains one model. `start` is a model to continue from. Throws Error for bad data or if the run is
// stopped before its first row, UsageError for invalid options. Divergence is reported in the
// Status, not thrown; the model is then the last good state and always finite.
FitResult fit(const Problem& problem, const Options& options, const Model* start = nullptr,
              Observer* observer = nullptr);

}  // namespace thresh
