// The one list of solvers. The program, the documentation and the tests read it.
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

// All that a solver is made from. Options have been checked against the catalog.
struct SolverSetup {
  const Options& options;
  const SolverInfo& info;
  std::uint64_t max_nonzeros = kUnlimited;  // the feature budget
  std::uint64_t dimension = 0;              // 0 while unknown
  std::uint64_t rows = 0;                   // to learn from in a pass; 0 while unknown
  const FeatureMap* features = nullptr;     // slots to feature ids
  std::shared_ptr<const std::vector<double>> feature_labels = nullptr;  // by feature id
  double row_length = 0;                 // of a typical row; 0 while unknown
  double target_size = 0;                // of a typical target of regression; 0 if unknown
  std::vector<std::uint32_t> kept = {};  // slots that must have a weight, ascending
  std::uint64_t all_steps = 0;           // of which --iterate random draws one; 0: it does not
  double largest_value = 0;              // |x_ij| of all rows; unless --iterate last
  bool weighted_rows = false;            // some row's weight is not 1; unless --iterate last
  double class_label = 1;                // of the class that is +1
  bool zero_based = false;               // the data number features from 0, not from 1
  double eta = kDefaultEta;              // the user's, or what is safe
  double step_scale = 1;                 // of all steps; smaller once a run has diverged

  // The value of one of the solver's own options, or its default.
  double number(const std::string& name) const;
  std::uint64_t count(const std::string& name) const;
  bool flag(const std::string& name) const;
  std::string word(const std::string& name) const;

  Signs signs() const;                             // of the own option non-negative
  std::unique_ptr<WeightAverage> average() const;  // of --iterate average; else null
  LossFunction loss() const;
  StepSize step_size() const;
  StepSize step_size(double eta) const;  // with another eta
  // Beyond it a margin counts as a divergence. The slopes of some losses are bounded and so is what
  // a step does: only overflow is a danger there. With the others steps too large feed themselves.
  double largest_margin() const;
  double largest_loss() const;  // the mean loss of such margins
};

template <class Made>
std::unique_ptr<Solver> make_solver(const SolverSetup& setup) {
  return std::make_unique<Made>(setup);
}

// What the training loop must know of a solver, beyond what the user does.
struct LoopInfo : SolverInfo {
  std::optional<Schedule> schedule_of_all_rows;  // the default one with all rows in a batch
  bool in_memory = false;        // it needs all rows at once, if only without mini-batches
  bool columns_only = false;     // of those it only ever looks at columns
  bool plain_steps = false;      // a row moves weights by eta times its gradient: long rows, large
                                 // steps
  std::string no_average;        // why it refuses --iterate average; "": it does not
  bool starts_anew = false;      // it cannot continue from a model
  bool halves_steps = true;      // smaller steps are a way out of a divergence
  bool measures_rows = false;    // it wants to know how long rows are, and how many
  bool measures_values = false;  // a theorem of it asks how large values are; see all_steps
  bool one_scale = false;        // it wants the features of a table on one scale
  std::uint64_t least_pass = 0;  // rows: fewer are shown again until they are as many,
  std::uint64_t most_shown = 1;  // but no more often than this

  // How many passes over so many rows (0: nobody knows) count as one.
  std::uint64_t passes_in_one(std::uint64_t rows) const {
    if (rows == 0 || rows >= least_pass) return 1;
    return std::min(most_shown, (least_pass + rows - 1) / rows);
  }
};

struct CatalogEntry {
  LoopInfo info;
  std::unique_ptr<Solver> (*make)(const SolverSetup& setup);
  // Solvers of several classes that share out one feature budget among themselves; null: it cannot.
  std::vector<std::unique_ptr<Solver>> (*make_sharing)(const SolverSetup& setup,
                                                       std::size_t classes) = nullptr;
  // How many passes a run for these budgets wants, which so many classes share; null: info.passes.
  std::uint64_t (*passes_for)(const std::vector<std::uint64_t>& budgets,
                              std::uint64_t classes) = nullptr;
  // Values of its own option beta that held-out rows should choose between: how far rare features
  // go is a matter of the data. In one run it makes models with all of them, see Options::betas.
  std::vector<std::string> betas = {};
};

// The entry of that name. Throws UsageError with the nearest name for one that does not exist.
const CatalogEntry& find_solver(std::string_view name);

// One of the solver's own options, or null.
const OptionInfo* find_option(const SolverInfo& info, const std::string& name);
// The finite number that an option's text is. Throws UsageError for anything else.
double to_number(const std::string& name, const std::string& text);

// The loss that a run minimises; none if the solver has its own.
std::optional<Loss> loss_of(const Options& options);

// The schedule of a run's step sizes: as asked, or the solver's default.
Schedule schedule_of(const Options& options);

// How many classes of these rows (null: nothing is known about them) one budget is for: all if they
// share it, else 1.
std::uint64_t sharing_classes(const Options& options, const Survey* survey);

// How many passes a run makes over these rows: as asked, or as many as the solver wants.
std::uint64_t passes_of(const Options& options, const Survey* survey);

// Whether the solver asked for will want all rows in memory.
bool needs_all_rows(const Options& options);

// How many rows a step learns from: 0 for all of them, 1 if the solver has no batches.
std::uint64_t batch_of(const Options& options);

// What the entries of solvers that follow gradients row by row have in common: the l1-penalised
// objective, all losses, softmax.
CatalogEntry entry_for_rows(const std::string& name, const std::string& paper,
                            const std::string& update, const std::string& cost);

// The own option that many solvers have: how many rows a step looks at.
OptionInfo batch_option(const std::string& default_value = "1");
OptionInfo non_negative_option();

}  // namespace thresh
