// Options by the names and values that the command line has for them.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "solvers/catalog.hpp"
#include "solvers/option_table.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

const SharedOption& shared_option(std::string_view name) {
  for (const SharedOption& option : option_table()) {
    if (option.is_called(name)) return option;
  }
  throw UsageError(fmt::format("no option is called --{}", name));
}

bool is_unused(const SolverInfo& info, const std::string& name) {
  return std::count(info.unused.begin(), info.unused.end(), name) > 0;
}

void set_own(Options& options, const OptionInfo& option, const std::string& text) {
  if (option.kind == OptionInfo::Kind::number) to_number(option.name, text);
  options.solver_options[option.name] = text;
  if (option.kind == OptionInfo::Kind::flag && !to_flag(option, text)) {
    options.solver_options.erase(option.name);
  }
}

template <class Value>
const char* word(const char* option, Value value) {
  return shared_option(option).words.at(static_cast<std::size_t>(value)).c_str();
}

template <class Value>
std::optional<Value> value_named(const char* option, std::string_view name) {
  const std::vector<std::string>& words = shared_option(option).words;
  const auto found = std::find(words.begin(), words.end(), name);
  if (found == words.end()) return std::nullopt;
  return static_cast<Value>(found - words.begin());
}

}  // namespace

const char* name_of(Schedule schedule) {
  return word("schedule", schedule);
}
std::optional<Schedule> schedule_named(std::string_view name) {
  return value_named<Schedule>("schedule", name);
}
const char* name_of(ErrorKind kind) {
  constexpr const char* kNames[] = {"error", "RMSE", "deviance", "Huber loss", "pinball loss"};
  return kNames[static_cast<std::size_t>(kind)];
}

ErrorKind error_kind(const Options& options) {
  if (options.task == Task::classification) return ErrorKind::share;
  if (options.by_rmse || !options.loss) return ErrorKind::rmse;
  return *options.loss == Loss::poisson    ? ErrorKind::deviance
         : *options.loss == Loss::huber    ? ErrorKind::huber
         : *options.loss == Loss::quantile ? ErrorKind::pinball
                                           : ErrorKind::rmse;
}

const char* name_of(Loss loss) {
  return word("loss", loss);
}
std::optional<Loss> loss_named(std::string_view name) {
  return value_named<Loss>("loss", name);
}
const char* name_of(OnDivergence what) {
  return word("on-divergence", what);
}

const std::vector<OptionInfo>& shared_options() {
  static const std::vector<OptionInfo> infos(option_table().begin(), option_table().end());
  return infos;
}

const OptionInfo& known_option(const SolverInfo& info, const std::string& name, bool tunable) {
  if (const OptionInfo* own = find_option(info, name)) return *own;
  std::vector<std::string> known;
  for (const OptionInfo& option : shared_options()) {
    if (tunable && !option.tunable && !is_unused(info, option.name)) continue;
    if (option.is_called(name)) return option;
    known.push_back(option.name);
  }
  for (const OptionInfo& option : info.options) known.push_back(option.name);
  const std::string guess = nearest(name, known);
  throw UsageError(fmt::format("{} has no option {}{}{}", info.name, name,
                               tunable ? " that can be tuned" : "",
                               guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess)));
}

void set_shared_option(Options& options, const std::string& name, const std::string& text) {
  const SharedOption& option = shared_option(name);
  option.read(option, text, options);
}

void set_option(Options& options, const std::string& name, const std::string& text) {
  const SolverInfo& info = find_solver(options.solver).info;
  const OptionInfo& option = known_option(info, name, false);
  if (is_unused(info, option.name) && text != "auto") {
    throw UsageError(fmt::format("--{} does not apply to {}", name, info.name));
  }
  if (find_option(info, name) != nullptr) return set_own(options, option, text);
  set_shared_option(options, name, text);
}

nlohmann::ordered_json option_json(const Options& options, std::string_view name) {
  const SharedOption& option = shared_option(name);
  return option.write(option, options);
}

}  // namespace thresh
