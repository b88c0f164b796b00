// The list of solvers, used by the program, the documentation and the tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loss/loss.hpp"
#include "solvers/signs.hpp"
#include "solvers/solver.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct FeatureGroups;

// The input for constructing a solver. Options have been checked against the catalog.
struct SolverSetup {
  const Options& options;
  const SolverInfo& info;
  std::uint64_t max_nonzeros = kUnlimited;  // the feature budget
  std::uint64_t dimension = 0;              // 0 while unknown
  std::uint64_t rows = 0;                   // per pass, without held-out ones; 0 while unknown
  const FeatureMap* features = nullptr;     // slots to feature ids
  std::shared_ptr<const std::vector<double>> feature_labels = nullptr;  // by feature id
  double row_length = 0;                      // of a typical row; 0 while unknown
  double target_size = 0;                     // of a typical target of regression; 0 if unknown
  double target_mean = 0, target_spread = 0;  // of the first targets of regression
  std::vector<std::uint32_t> kept = {};       // slots of required features, ascending
  std::uint64_t all_steps = 0;                // --iterate random draws one of these; 0: not used
  double largest_value = 0;                   // |x_ij| of all rows; not set for --iterate last
  bool weighted_rows = false;  // some row's weight is not 1; not set for --iterate last
  std::shared_ptr<const FeatureGroups> groups = nullptr;      // of budget's --groups; null: none
  std::shared_ptr<const Signs::BySlot> some_signs = nullptr;  // of --signs; null: none
  double class_label = 1;                                     // of the class that is +1
  bool zero_based = false;   // feature indices in the data start at 0, not at 1
  double eta = kDefaultEta;  // the user's, or a safe one
  double step_scale = 1;     // factor of all steps; below 1 after a divergence

  // The value of an option of this solver, or its default.
  double number(const std::string& name) const;
  std::uint64_t count(const std::string& name) const;
  bool flag(const std::string& name) const;
  std::string word(const std::string& name) const;

  std::unique_ptr<SliceSums> slice_sums() const;   // for the solver option slices; else null
  Signs signs() const;                             // for --signs and the solver option non-negative
  std::unique_ptr<WeightAverage> average() const;  // for --iterate average; else null
  LossFunction loss() const;
  StepSize step_size() const;
  StepSize step_size(double eta) const;  // with another eta
  // A larger margin counts as a divergence. If the slope of the loss is bounded, so is the effect
  // of a step, and only overflow is a danger. Otherwise steps that are too large grow further.
  double largest_margin() const;
  double largest_loss() const;  // the mean loss of such margins
};

template <class Made>
std::unique_ptr<Solver> make_solver(const SolverSetup& setup) {
  return std::make_unique<Made>(setup);
}

// Properties of a solver for the training loop, in addition to the public ones.
struct LoopInfo : SolverInfo {
  std::optional<Schedule> schedule_of_all_rows;  // the default if a batch has all rows
  bool in_memory = false;        // it needs all rows in memory, at least without mini-batches
  bool columns_only = false;     // it reads these only by column
  bool plain_steps = false;      // a row moves weights by eta times its gradient, so long rows
                                 // cause large steps
  std::string no_average;        // why it rejects --iterate average; "": it accepts it
  bool starts_anew = false;      // it cannot continue from a model
  bool halves_steps = true;      // smaller steps can prevent a divergence
  bool measures_rows = false;    // it needs the number and typical length of rows
  bool measures_values = false;  // a theorem about it needs the largest value; see all_steps
  bool one_scale = false;        // it needs the features of a table on one scale
  std::uint64_t least_pass = 0;  // minimum rows of a pass: fewer rows are shown repeatedly,
  std::uint64_t most_shown = 1;  // at most this often

  // How many passes over `rows` rows (0: unknown) count as one.
  std::uint64_t passes_in_one(std::uint64_t rows) const {
    if (rows == 0 || rows >= least_pass) return 1;
    return std::min(most_shown, (least_pass + rows - 1) / rows);
  }
};

struct CatalogEntry {
  LoopInfo info;
  std::unique_ptr<Solver> (*make)(const SolverSetup& setup);
  // Makes solvers of several classes that share one feature budget; null: not supported.
  std::vector<std::unique_ptr<Solver>> (*make_sharing)(const SolverSetup& setup,
                                                       std::size_t classes) = nullptr;
  // The default number of passes for these budgets and number of classes that share them; null:
  // info.passes.
  std::uint64_t (*passes_for)(const std::vector<std::uint64_t>& budgets,
                              std::uint64_t classes) = nullptr;
  // Values of its option beta to choose from on held-out rows: the best step for rare features
  // depends on the data. One run makes models for all of them, see Options::betas.
  std::vector<std::string> betas = {};
};

// The entry with this name. Throws UsageError with the nearest name if there is none.
const CatalogEntry& find_solver(std::string_view name);

// The option of this solver with this name, or null.
const OptionInfo* find_option(const SolverInfo& info, const std::string& name);
// Parses the text of an option as a finite number. Throws UsageError for other text.
double to_number(const std::string& name, const std::string& text);

// The loss that a run minimises; none if the solver has its own.
std::optional<Loss> loss_of(const Options& options);
// The same with its parameter. The solver must not have its own.
LossFunction loss_function_of(const Options& options);
// The unit of targets and margins, so that learning does not depend on theirs: a typical target.
// The margins of counts are logarithms, which have none.
double target_unit(const Options& options, double target_size);
// Adds the losses for numbers other than squared to a solver's.
void add_losses_for_numbers(SolverInfo& info);

// The step size schedule of a run: the user's, or the solver's default.
Schedule schedule_of(const Options& options);

// How many classes share one budget: all with Options::shared_budget, else 1. `survey` is null if
// unknown.
std::uint64_t sharing_classes(const Options& options, const Survey* survey);

// The number of passes of a run: the user's, or the solver's default.
std::uint64_t passes_of(const Options& options, const Survey* survey);

// Whether the solver needs all rows in memory.
bool needs_all_rows(const Options& options);

// How many rows a step learns from: 0 for all of them, 1 if the solver has no batches.
std::uint64_t batch_of(const Options& options);

// The solver option `slices`; 0 if it is not set, or if the solver has no such option.
std::uint64_t slices_of(const Options& options);

// The common part of entries for solvers that follow gradients row by row: the l1-penalised
// objective, all losses, softmax.
CatalogEntry entry_for_rows(const std::string& name, const std::string& paper,
                            const std::string& update, const std::string& cost);

// The solver option `batch`: how many rows a step uses.
OptionInfo batch_option(const std::string& default_value = "1");
OptionInfo non_negative_option();
OptionInfo slices_option();

}  // namespace thresh
