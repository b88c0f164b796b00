// Rejects options that are out of range, contradictory, or unknown to the solver.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "solvers/catalog.hpp"
#include "solvers/option_table.hpp"
#include "thresh/error.hpp"
#include "thresh/threshold.hpp"

namespace thresh {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw UsageError(message);
}

// Why a solver cannot sum margins by slices.
std::string no_slices(const LoopInfo& info) {
  std::vector<std::string> able;
  for (const SolverInfo& each : solvers()) {
    if (find_option(each, "slices") != nullptr) able.push_back(each.name);
  }
  const char* const why =
      info.columns_only || info.counts == "coordinates"
          ? "it steps along one feature at a time, so there is no margin to share"
      : info.in_memory ? "it works on a matrix in memory, which is not divided yet"
                       : "its steps depend on all weights, which is not divided yet";
  return fmt::format("--slices does not apply to {}: {} (use {})", info.name, why,
                     fmt::join(able, ", "));
}

void check_slices(const Options& options, const LoopInfo& info) {
  if (options.solver_options.contains("slices") && find_option(info, "slices") == nullptr) {
    throw UsageError(no_slices(info));
  }
  const std::uint64_t slices = slices_of(options);
  require(slices == 0 || !options.compensated, "--slices does not support --compensated");
}

void check_own_options(const Options& options, const SolverInfo& info) {
  for (const auto& [name, value] : options.solver_options) {
    const OptionInfo* option = find_option(info, name);
    require(option != nullptr, fmt::format("{} has no option --{}", info.name, name));
    if (option->kind == OptionInfo::Kind::number) to_number(name, value);
    const auto& words = option->words;
    if (option->kind == OptionInfo::Kind::word && !words.empty()) {
      require(std::count(words.begin(), words.end(), value) > 0,
              fmt::format("--{} {}: use {}", name, value, fmt::join(words, ", ")));
    }
  }
  for (const OptionInfo& option : info.options) {
    const bool required = option.kind == OptionInfo::Kind::number && option.default_value.empty();
    require(!required || options.solver_options.contains(option.name),
            fmt::format("{} needs --{}", info.name, option.name));
  }
}

// Where no weight is negative the penalty is lambda times their sum. So a negative lambda is a
// linear term, as the dual of the SVM has one.
bool lambda_is_linear(const Options& options) {
  const bool by_coordinates =
      options.solver == "cd" || options.solver == "scd" || options.solver == "gcd";
  const auto lower = options.solver_options.find("lower");
  return by_coordinates && lower != options.solver_options.end() &&
         to_number("lower", lower->second) >= 0 && options.lambda > -1e300;
}

void check_ranges(const Options& options) {
  for (const SharedOption& option : option_table()) {
    if (option.rules.empty()) continue;
    if (option.name == "lambda" && lambda_is_linear(options)) continue;
    const nlohmann::ordered_json value = option.write(option, options);
    for (const OptionRule& rule : option.rules) {
      require(!value.is_number() || (value >= rule.least && value <= rule.most),
              fmt::format("--{} must be {}", option.name, rule.text));
    }
  }
}

// A solver that saves its last state within a budget can do so for the sum of its classes too.
bool can_share_a_budget(const SolverInfo& info) {
  return info.budget == BudgetUse::optional || find_solver(info.name).make_sharing != nullptr;
}

void check_shared_budget(const Options& options, const SolverInfo& info) {
  if (!options.shared_budget) return;
  require(options.features || options.density, "--shared-budget requires --features or --density");
  std::vector<std::string> able;
  for (const SolverInfo& each : solvers()) {
    if (can_share_a_budget(each)) able.push_back(each.name);
  }
  require(can_share_a_budget(info), fmt::format("{} cannot share a budget among classes (use {})",
                                                info.name, fmt::join(able, ", ")));
}

void check_at_budget(const Options& options, const SolverInfo& info, bool budget) {
  if (!options.at_budget) return;
  require(info.budget != BudgetUse::required,
          fmt::format("{} never exceeds its budget; leave out --at-budget", info.name));
  require(budget, "--at-budget requires --features or --density");
  const bool stops = info.stops_at_budget && !options.shared_budget;
  require(*options.at_budget == AtBudget::stop || !stops,
          fmt::format("{} always stops at its budget and does not support --at-budget continue",
                      info.name));
}

void check_budget(const Options& options, const SolverInfo& info) {
  require(!options.features || !options.density, "--features and --density exclude each other");
  const bool budget = options.features || options.density;
  require(budget || info.budget != BudgetUse::required,
          fmt::format("{} needs a model size: give --features or --density", info.name));
  require(!budget || info.budget != BudgetUse::refused,
          fmt::format("{} has no feature budget; leave out --features and --density", info.name));
  check_shared_budget(options, info);
  check_at_budget(options, info, budget);
}

void check_loss(const Options& options, const SolverInfo& info) {
  const std::optional<Loss> loss = loss_of(options);
  const auto can = [&](Loss wanted) {
    return std::count(info.losses.begin(), info.losses.end(), wanted) > 0;
  };
  const bool regression = options.task == Task::regression;
  require(!regression || can(Loss::squared),
          fmt::format("{} does not support regression", info.name));
  require(!options.loss || !info.losses.empty(),
          fmt::format("{} has its own loss; leave out --loss", info.name));
  require(!loss || can(*loss),
          fmt::format("{} does not support --loss {}", info.name, loss ? name_of(*loss) : ""));
  require(!regression || *loss == Loss::squared, "--task regression requires --loss squared");
}

void check_delta(const Options& options) {
  if (!options.delta) return;
  require(*options.delta > 0 && *options.delta < 1, "--delta must be between 0 and 1");
  require(options.solver == "scd",
          "--delta, the best of several runs, requires --solver scd, which draws coordinates at "
          "random");
  require(options.order != Order::sequential,
          "--delta needs coordinates drawn at random; leave out --order sequential");
  require(!options.trace,
          "--delta makes several runs, but a trace shows only one; leave out --trace");
}

void check_iterate(const Options& options, const LoopInfo& info) {
  if (options.iterate == Iterate::last) return;
  const bool averages = options.iterate == Iterate::average;
  require(!(options.features || options.density),
          fmt::format(
              "--iterate {} does not support a feature budget{}", averages ? "average" : "random",
              info.budget == BudgetUse::required ? ", which " + info.name + " always has" : ""));
  require(!averages || info.no_average.empty(),
          fmt::format("{} does not support --iterate average: {}", info.name, info.no_average));
}

}  // namespace

void check_options(const Options& options) {
  const LoopInfo& info = find_solver(options.solver).info;
  check_slices(options, info);
  check_own_options(options, info);
  require(!options.auto_eta || !info.auto_eta.empty(),
          fmt::format("{} does not support --eta auto", info.name));
  check_ranges(options);
  check_budget(options, info);
  require((options.keep.empty() && options.keep_names.empty()) || info.many_sizes,
          fmt::format("{} does not support --keep", info.name));
  require(options.budgets.empty() || info.many_sizes,
          fmt::format("{} learns only one budget per run", info.name));
  require(options.budgets.empty() || options.multiclass == Multiclass::one_vs_rest,
          "several budgets in one run require --multiclass ovr");
  require(options.betas.empty() || info.many_sizes,
          fmt::format("{} learns with only one beta per run", info.name));
  require(options.betas.empty() || options.multiclass == Multiclass::one_vs_rest,
          "several betas in one run require --multiclass ovr");
  require(options.lambdas.empty() || info.lambdas,
          fmt::format("{} learns only one lambda per run", info.name));
  check_loss(options, info);
  check_delta(options);
  const bool all_rows = needs_all_rows(options) || info.many_sizes || batch_of(options) == 0;
  require(options.order != Order::replacement || !all_rows,
          fmt::format("{} learns from all rows together{}; leave out --order replacement",
                      info.name, batch_of(options) == 0 ? " (--batch 0)" : ""));
  check_iterate(options, info);
  require(options.folds == 0 || (options.folds >= 2 && options.fold < options.folds),
          "folds must be at least 2, and fold must be below folds");
  require(options.folds == 0 || options.holdout == 0, "folds and --holdout exclude each other");
  require(options.multiclass == Multiclass::one_vs_rest || info.softmax,
          fmt::format("{} does not support --multiclass softmax", info.name));
  require(options.multiclass == Multiclass::one_vs_rest || loss_of(options) == Loss::logistic,
          "--multiclass softmax requires --loss logistic");
  const bool non_negative = options.solver_options.contains("non-negative");
  require(options.feature_labels_file.empty() || non_negative,
          "--feature-labels requires --non-negative");
  require(options.task == Task::classification || !options.calibrate,
          "--calibrate applies only to classification");
  require(options.task == Task::classification || options.threshold_by.empty(),
          "--threshold-by applies only to classification");
  if (!options.threshold_by.empty()) check_threshold_rule(options.threshold_by);
  require(options.task == Task::classification ||
              (!options.balanced_classes && !options.positive && options.positive_name.empty()),
          "--class-weight and --positive apply only to classification");
}

}  // namespace thresh
