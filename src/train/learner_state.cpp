#include "thresh/learner_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/names/vocabulary.hpp"
#include "solvers/catalog.hpp"
#include "solvers/option_table.hpp"
#include "sparse/archive.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/saved_call.hpp"

namespace thresh {
namespace {

constexpr const char* kPart = "learner";

template <class Enum>
void archive_choice(Archive& a, std::optional<Enum>& value, Enum last) {
  bool has = value.has_value();
  a(has);
  if (a.reads()) value = has ? std::optional(Enum{}) : std::nullopt;
  if (has) a.choice(*value, last);
}

void archive_options(Archive& a, Options& o) {
  a(o.solver, o.eta, o.auto_eta, o.lambda, o.solver_options, o.features, o.shared_budget, o.passes);
  a(o.seed, o.intercept, o.compensated, o.positive, o.positive_name);
  archive_choice(a, o.loss, Loss::quantile);
  a(o.huber_delta, o.quantile);
  archive_choice(a, o.schedule, Schedule::inverse);
  archive_choice(a, o.at_budget, AtBudget::proceed);
  a.choice(o.order, Order::replacement);
  a.choice(o.iterate, Iterate::random);
  a.choice(o.on_divergence, OnDivergence::proceed);
  a.choice(o.task, Task::regression);
  a.choice(o.multiclass, Multiclass::softmax);
}

// The options that archive_options() has, except those that may differ from run to run.
bool is_of_learner(const std::string& name) {
  static const std::vector<std::string> names = {
      "solver",        "eta",       "loss",       "lambda",      "schedule",      "features",
      "shared-budget", "at-budget", "iterate",    "intercept",   "on-divergence", "compensated",
      "task",          "positive",  "multiclass", "huber-delta", "quantile"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse(const std::string& name, const nlohmann::ordered_json& known) {
  const std::string value = known.is_string() ? known.get<std::string>() : known.dump();
  throw UsageError(fmt::format("--{}: the learner to go on with was made with {}", name,
                               known.is_null() ? "none" : value));
}

}  // namespace

void LearnerState::archive(Archive& a) {
  archive_options(a, options);
  std::string bytes = a.reads() ? "" : model.to_bytes();
  a(bytes, identity_end, feature_ids, names, row_length, long_rows, target_size, learner);
  if (a.reads()) model = Model::from_bytes(bytes);
  a.require(identity_end <= FeatureMap::kIdentityLimit);
  for (const std::uint64_t id : feature_ids) a.require(id < FeatureMap::kMaxIndex);
}

void LearnerState::save(Checkpoint& file) const {
  Archive a;
  LearnerState copy = *this;
  a(copy);
  file.finish({{kPart, a.take()}});
}

std::shared_ptr<const LearnerState> LearnerState::load(const std::string& path) {
  const std::unique_ptr<Checkpoint> file = Checkpoint::load(path);
  auto state = std::make_shared<LearnerState>();
  if (!read_part(*file, kPart, [&](Archive& a) { a(*state); })) {
    throw Error(file->finished()
                    ? fmt::format("{}: the checkpoint of a finished run, which has no state to go "
                                  "on from; save one with --save-state",
                                  path)
                    : fmt::format("{}: the checkpoint of an interrupted run; continue it with "
                                  "`thresh resume {}`",
                                  path, path));
  }
  return state;
}

Options LearnerState::options_with(const Options& now,
                                   const std::vector<std::string>& given) const {
  Options used = now;
  Options ours = options;
  Archive bytes;
  archive_options(bytes, ours);
  const std::string text = bytes.take();
  Archive from(text);
  archive_options(from, used);
  for (const std::string& name : given) {
    if (name == "passes") {
      used.passes = now.passes;
    } else if (name == "order") {
      used.order = now.order;
    } else if (name == "seed") {
      used.seed = now.seed;
    } else if (is_of_learner(name) && option_json(used, name) != option_json(now, name)) {
      refuse(name, option_json(used, name));
    }
  }
  const SolverInfo& info = solver_named(used.solver);
  for (const auto& [name, value] : now.solver_options) {
    const OptionInfo* const option = find_option(info, name);
    const auto set = used.solver_options.find(name);
    const std::string known = set != used.solver_options.end() ? set->second
                              : option != nullptr              ? option->default_value
                                                               : "none";
    if (known != value) refuse(name, known);
  }
  return used;
}

std::shared_ptr<Vocabulary> LearnerState::vocabulary() const {
  if (model.format == Format::libsvm) return nullptr;
  const auto bits = static_cast<unsigned>(model.reading.value("hash_bits", 0).count());
  auto vocabulary = std::make_shared<Vocabulary>(bits);
  const auto owner = std::make_shared<const std::string>(names);
  vocabulary->restore(bits, *owner, owner);
  vocabulary->labels = LabelNames(model.label_names);
  vocabulary->reading = model.reading;
  return vocabulary;
}

}  // namespace thresh
