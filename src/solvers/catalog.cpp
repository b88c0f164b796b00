#include "solvers/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cluster/slice_sums.hpp"
#include "math/elementary.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {

CatalogEntry margin_perceptron();
CatalogEntry truncated_gradient();
CatalogEntry smidas();
CatalogEntry scd();
CatalogEntry cd();
CatalogEntry gcd();
CatalogEntry l1();
CatalogEntry subgradient();
CatalogEntry fobos();
CatalogEntry l0_sgd();
CatalogEntry grades();
CatalogEntry projected_gradient();
CatalogEntry projected_sgd();
CatalogEntry eg();
CatalogEntry rda();
CatalogEntry ftrl();
CatalogEntry budget();

namespace {

const std::vector<CatalogEntry>& catalog() {
  static const std::vector<CatalogEntry> entries = {
      margin_perceptron(),
      truncated_gradient(),
      smidas(),
      scd(),
      cd(),
      gcd(),
      l1(),
      subgradient(),
      fobos(),
      l0_sgd(),
      grades(),
      projected_gradient(),
      projected_sgd(),
      eg(),
      rda(),
      ftrl(),
      budget(),
  };
  return entries;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

const OptionInfo* find_option(const SolverInfo& info, const std::string& name) {
  for (const OptionInfo& option : info.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

double to_number(const std::string& name, const std::string& text) {
  const auto value = parse_finite(text);
  if (!value) throw UsageError(fmt::format("--{}: '{}' is not a finite number", name, text));
  return *value;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

const CatalogEntry& find_solver(std::string_view name) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  const std::string guess = nearest(std::string(name), names);
  throw UsageError(fmt::format(
      "no solver is called '{}'{}", name,
      guess.empty() ? " (see `thresh solvers`)" : fmt::format(" (did you mean {}?)", guess)));
}

const SolverInfo& solver_named(std::string_view name) {
  return find_solver(name).info;
}

const std::vector<SolverInfo>& solvers() {
  static const std::vector<SolverInfo> infos = [] {
    std::vector<SolverInfo> all;
    for (const CatalogEntry& entry : catalog()) all.push_back(entry.info);
    return all;
  }();
  return infos;
}

std::string SolverSetup::word(const std::string& name) const {
  const auto given = options.solver_options.find(name);
  if (given != options.solver_options.end()) return given->second;
  const OptionInfo* option = find_option(info, name);
  return option != nullptr ? option->default_value : "";
}

double SolverSetup::number(const std::string& name) const {
  return to_number(name, word(name));
}

std::uint64_t SolverSetup::count(const std::string& name) const {
  const double value = number(name);
  if (!(value >= 0 && value == std::floor(value) && value < 0x1p53)) {
    throw UsageError(fmt::format("--{} must be a whole number", name));
  }
  return static_cast<std::uint64_t>(value);
}

bool SolverSetup::flag(const std::string& name) const {
  return word(name) == "true";
}

std::unique_ptr<SliceSums> SolverSetup::slice_sums() const {
  const std::uint64_t slices = slices_of(options);
  return slices > 0 ? std::make_unique<SliceSums>(slices, *features) : nullptr;
}

Signs SolverSetup::signs() const {
  if (some_signs) return Signs(some_signs);
  return flag("non-negative") ? Signs(*features, feature_labels, class_label) : Signs();
}

std::unique_ptr<WeightAverage> SolverSetup::average() const {
  if (options.iterate != Iterate::average) return nullptr;
  return std::make_unique<WeightAverage>(*features);
}

LossFunction SolverSetup::loss() const {
  return loss_function_of(options);
}

StepSize SolverSetup::step_size(double eta_instead) const {
  return {eta_instead * step_scale, schedule_of(options)};
}

StepSize SolverSetup::step_size() const {
  return step_size(eta);
}

double SolverSetup::largest_margin() const {
  constexpr double kHalfTheRange = 1e100;  // its square and its product with 1e200 are finite
  constexpr double kTimesTheTarget = 1e8;
  if (options.on_divergence == OnDivergence::proceed) return std::numeric_limits<double>::max();
  const std::optional<Loss> loss = loss_of(options);
  const bool steps_feed_themselves =
      loss && !has_bounded_slope(*loss) && find_solver(options.solver).info.halves_steps;
  if (!steps_feed_themselves) return kHalfTheRange;
  // No rate is e^64. Long before it overflows, its slope would throw weights anywhere.
  if (loss == Loss::poisson) return 64;
  if (options.task == Task::classification) return kTimesTheTarget;
  return target_size > 0 ? std::min(kTimesTheTarget * target_size, kHalfTheRange) : kHalfTheRange;
}

double SolverSetup::largest_loss() const {
  const double margin = largest_margin();
  const std::optional<Loss> loss = loss_of(options);
  if (!loss || has_bounded_slope(*loss)) return margin;
  if (loss == Loss::poisson) return portable::exp(std::min(margin, 700.0));
  return std::min(margin * margin, std::numeric_limits<double>::max());
}

std::uint64_t batch_of(const Options& options) {
  const SolverInfo& info = find_solver(options.solver).info;
  return find_option(info, "batch") == nullptr ? 1 : SolverSetup{options, info}.count("batch");
}

std::uint64_t slices_of(const Options& options) {
  const SolverInfo& info = find_solver(options.solver).info;
  return find_option(info, "slices") == nullptr ? 0 : SolverSetup{options, info}.count("slices");
}

bool needs_all_rows(const Options& options) {
  const LoopInfo& info = find_solver(options.solver).info;
  return info.in_memory && (find_option(info, "batch") == nullptr || batch_of(options) == 0);
}

Schedule schedule_of(const Options& options) {
  if (options.schedule) return *options.schedule;
  if (options.auto_eta) return Schedule::constant;
  const LoopInfo& info = find_solver(options.solver).info;
  const bool all_rows = batch_of(options) == 0;
  return all_rows && info.schedule_of_all_rows ? *info.schedule_of_all_rows : info.schedule;
}

std::uint64_t sharing_classes(const Options& options, const Survey* survey) {
  if (!options.shared_budget || options.task != Task::classification || survey == nullptr) return 1;
  return survey->labels.size() > 2 ? survey->labels.size() : 1;
}

std::uint64_t passes_of(const Options& options, const Survey* survey) {
  if (options.passes > 0) return options.passes;
  const CatalogEntry& entry = find_solver(options.solver);
  std::uint64_t passes = entry.info.passes;
  if (entry.passes_for != nullptr) {
    // A budget that is a share of the features is the only one.
    std::vector<std::uint64_t> budgets;
    if (options.features) budgets = options.budgets;
    budgets.push_back(options.features.value_or(0));
    passes = entry.passes_for(budgets, sharing_classes(options, survey));
  }
  return passes * entry.info.passes_in_one(survey != nullptr ? survey->rows : 0);
}

LossFunction loss_function_of(const Options& options) {
  const Loss loss = *loss_of(options);
  return LossFunction(loss, loss == Loss::quantile ? options.quantile : options.huber_delta);
}

double target_unit(const Options& options, double target_size) {
  return target_size > 0 && loss_of(options) != Loss::poisson ? target_size : 1;
}

void add_losses_for_numbers(SolverInfo& info) {
  for (const Loss loss : {Loss::poisson, Loss::huber, Loss::quantile}) info.losses.push_back(loss);
}

std::optional<Loss> loss_of(const Options& options) {
  if (options.loss) return options.loss;
  const std::vector<Loss>& losses = find_solver(options.solver).info.losses;
  if (losses.empty()) return std::nullopt;
  return options.task == Task::regression ? Loss::squared : losses.front();
}

CatalogEntry entry_for_rows(const std::string& name, const std::string& paper,
                            const std::string& update, const std::string& cost) {
  CatalogEntry entry;
  entry.info.name = name;
  entry.info.paper = paper;
  entry.info.objective = "mean L(a, y) + lambda |w|_1";
  entry.info.update = update;
  entry.info.cost = cost;
  entry.info.needs = "rows, one at a time";
  entry.info.losses = {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge};
  entry.info.softmax = true;
  return entry;
}

OptionInfo batch_option(const std::string& default_value) {
  return {OptionInfo::Kind::number, "batch", default_value,
          "rows per step; the last batch of a pass may be shorter; 0: all rows"};
}

OptionInfo slices_option() {
  OptionInfo option{OptionInfo::Kind::number, "slices", "0",
                    "sum margins by this many slices of features, so that several machines can "
                    "learn the same model (see docs/cluster.md); 0: one sum"};
  option.recorded = false;
  return option;
}

OptionInfo non_negative_option() {
  return {OptionInfo::Kind::flag, "non-negative", "false",
          "no negative weights; with --feature-labels: a feature supports only its own class"};
}

}  // namespace thresh
