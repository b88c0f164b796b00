// Options by the names and values that the command line has for them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"
#include "thresh/select.hpp"

namespace thresh {
namespace {

std::uint64_t to_count(const std::string& name, const std::string& text) {
  const double value = to_number(name, text);
  if (value < 0 || value != std::floor(value) || value >= 0x1p53) {
    throw UsageError(fmt::format("--{} {}: not a whole number", name, text));
  }
  return static_cast<std::uint64_t>(value);
}

double to_share(const std::string& name, const std::string& text) {
  if (!text.ends_with('%')) {
    throw UsageError(fmt::format("--{} {}: write a percentage, such as 5%", name, text));
  }
  return to_number(name, text.substr(0, text.size() - 1)) / 100;
}

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         const std::string& known) {
  throw UsageError(fmt::format("--{} {}: use {}", option, text, known));
}

// The value of that name among those that an option can have.
template <class Value>
Value by_name(const std::string& option, const std::string& text,
              std::initializer_list<std::pair<const char*, Value>> values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  refuse(option, text, fmt::format("{}", fmt::join(names, ", ")));
}

bool to_flag(const std::string& name, const std::string& text) {
  return by_name<bool>(name, text, {{"true", true}, {"false", false}});
}

const std::vector<std::string> kShared = {"eta",        "lambda",       "loss",     "schedule",
                                          "features",   "density",      "passes",   "steps",
                                          "multiclass", "class-weight", "intercept"};

void set_shared(Options& options, const std::string& name, const std::string& text) {
  if (name == "eta") {
    options.auto_eta = text == "auto";
    if (!options.auto_eta) options.eta = to_number(name, text);
  } else if (name == "lambda") {
    options.lambda = to_number(name, text);
  } else if (name == "loss") {
    options.loss = loss_named(text);
    if (!options.loss) refuse(name, text, "logistic, squared, hinge, squared-hinge");
  } else if (name == "schedule") {
    options.schedule = schedule_named(text);
    if (!options.schedule) refuse(name, text, "constant, sqrt, inverse");
  } else if (name == "features") {
    options.features = to_count(name, text);
  } else if (name == "density") {
    options.density = to_share(name, text);
  } else if (name == "passes") {
    options.passes = to_count(name, text);
  } else if (name == "steps") {
    options.steps = to_count(name, text);
  } else if (name == "multiclass") {
    options.multiclass = by_name<Multiclass>(
        name, text, {{"ovr", Multiclass::one_vs_rest}, {"softmax", Multiclass::softmax}});
  } else if (name == "class-weight") {
    options.balanced_classes = by_name<bool>(name, text, {{"none", false}, {"balanced", true}});
  } else {
    options.intercept = to_flag(name, text);
  }
}

void set_own(Options& options, const OptionInfo& option, const std::string& text) {
  if (option.kind == OptionInfo::Kind::number) to_number(option.name, text);
  const bool off = option.kind == OptionInfo::Kind::flag && !to_flag(option.name, text);
  if (off) {
    options.own.erase(option.name);
  } else {
    options.own[option.name] = text;
  }
}

}  // namespace

void set_option(Options& options, const std::string& name, const std::string& text) {
  const SolverInfo& info = find_solver(options.solver).info;
  if (std::count(info.unused.begin(), info.unused.end(), name) > 0 && text != "auto") {
    throw UsageError(fmt::format("--{} means nothing to {}", name, info.name));
  }
  if (const OptionInfo* option = find_option(info, name)) return set_own(options, *option, text);
  if (std::count(kShared.begin(), kShared.end(), name) > 0) return set_shared(options, name, text);
  std::vector<std::string> known = kShared;
  for (const OptionInfo& option : info.options) known.push_back(option.name);
  const std::string guess = nearest(name, known);
  throw UsageError(fmt::format("{} has no option {} to choose{}", info.name, name,
                               guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess)));
}

}  // namespace thresh
