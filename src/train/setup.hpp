// Prepares a run: labels, weights, budget, held-out rows; and the context shared by its parts.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "data/feed/feeder.hpp"
#include "solvers/catalog.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/fit.hpp"

namespace thresh {

struct RunSetup {
  RowView training;                     // the rows to learn from
  std::optional<RowView> validation;    // the rows to validate on
  std::shared_ptr<RowSource> train;     // held in memory if there are several passes
  std::shared_ptr<RowSource> validate;  // the same source or the validation file
  std::uint64_t dimension = 0;          // 0 for a pipe that is read once
  std::uint64_t max_nonzeros = 0;       // the budget
  std::shared_ptr<const std::vector<double>> feature_labels;  // by feature id; may be null
  double row_length = 0;   // of a typical row; 0 for a pipe that is read once
  double long_rows = 0;    // the length of long rows among the first; 0 if unknown
  double target_size = 0;  // of a typical target of regression; 0 for other tasks
  double target_mean = 0, target_spread = 0;  // mean and standard deviation of the first targets
  std::uint64_t training_rows = 0;            // per pass; 0 for a pipe that is read once
};

// Facts that several runs on the same data need, read or counted once.
struct SideFiles {
  // Weights, seed, holdout, folds and fold: they determine the rows of a pass.
  using RowChoice =
      std::tuple<const RowWeights*, std::uint64_t, double, std::uint64_t, std::uint64_t>;

  std::map<std::string, std::shared_ptr<const RowWeights>> weights;
  std::map<std::string, std::shared_ptr<const std::vector<double>>> feature_labels;
  std::map<RowChoice, std::uint64_t> training_rows;
};

// Throws Error if the data are not suitable for training, UsageError if the source does not support
// the options.
RunSetup set_up(const Problem& problem, const Options& options, SideFiles& files);

// Whether scaled_for_solver() may change anything.
bool may_be_scaled(const Problem& problem, const Options& options);
// The problem with the features of a table on one scale, if the solver needs that and the user did
// not choose a scale.
Problem scaled_for_solver(const Problem& problem, const Options& options);

// Shared by all parts of a run: the problem, the options, the result of set_up(), and warnings.
struct RunContext {
  const Problem& problem;
  const Options options;  // with the solver's number of passes, if the user set none
  Observer& observer;
  const CatalogEntry& entry;
  RunSetup setup;
  std::vector<std::string> warnings = {};
  std::uint64_t all_steps = 0;  // --iterate random draws one of these; 0: not used
  std::uint64_t drawn_step = 0;
  double largest_value = 0;    // |x_ij| of all rows, measured unless --iterate last
  bool weighted_rows = false;  // some row's weight is not 1; likewise

  // The number of classes if there are more than two, else 0.
  std::size_t classes() const { return setup.training.labels.class_labels().size(); }
  // The maximum number of weights of a model.
  std::uint64_t dimension() const {
    return setup.dimension * std::max<std::uint64_t>(1, classes());
  }
  // The maximum number of passes.
  std::uint64_t passes() const { return options.steps ? kUnlimited : options.passes; }
  // The step after which the run ends, if the options set one.
  std::optional<std::uint64_t> last_step() const {
    return drawn_step > 0 ? drawn_step : options.steps;
  }
  // The index in the file of the feature at a slot.
  std::uint64_t index_of(std::uint32_t slot) const {
    return problem.features->id(slot) + (problem.zero_based ? 0 : 1);
  }

  void warn(std::string what) {
    observer.on_warning(what);
    warnings.push_back(std::move(what));
  }
  void warn_all(std::vector<std::string> what) {
    for (std::string& warning : what) warn(std::move(warning));
  }
};

}  // namespace thresh
