// The one list of solvers. The program, the documentation and the tests read it.
#pragma once

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
  double class_label = 1;                // of the class that is +1
  double eta = kDefaultEta;              // the user's, or what is safe
  double step_scale = 1;                 // of all steps; smaller once a run has diverged

  // The value of one of the solver's own options, or its default.
  double number(const std::string& name) const;
  std::uint64_t count(const std::string& name) const;
  bool flag(const std::string& name) const;
  std::string word(const std::string& name) const;

  Signs signs() const;  // of the own option non-negative
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

struct CatalogEntry {
  SolverInfo info;
  std::unique_ptr<Solver> (*make)(const SolverSetup& setup);
  // Solvers of several classes that share out one feature budget among themselves; null: it cannot.
  std::vector<std::unique_ptr<Solver>> (*make_sharing)(const SolverSetup& setup,
                                                       std::size_t classes) = nullptr;
  // How many passes a run for these budgets wants, which so many classes share; null: as ever.
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

// The own option that many solvers have: how many rows a step looks at.
OptionInfo batch_option(const std::string& default_value = "1");
OptionInfo non_negative_option();

// Throws UsageError for options that are out of range, contradictory or foreign to the solver.
void check_options(const Options& options);

// The candidate that looks most like `word`, or "" if none does.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace thresh
