// The options that all solvers share, each declared once: its flag, help, words and range, how its
// text is read, and how records write it.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/options.hpp"

namespace thresh {

// What a number must be, if there is one: "--NAME must be TEXT".
struct OptionRule {
  const char* text;
  double least;
  double most = std::numeric_limits<double>::max();
};

struct SharedOption : OptionInfo {
  void (*read)(const OptionInfo& option, const std::string& text, Options& options);
  nlohmann::ordered_json (*write)(const OptionInfo& option, const Options& options);
  std::vector<OptionRule> rules = {};
};

// In the order of help.
const std::vector<SharedOption>& option_table();
// "true" or "false". Throws UsageError for anything else.
bool to_flag(const OptionInfo& option, const std::string& text);

// One of the solver's own options, or one that all share. Throws UsageError with the nearest name
// if there is none. `tunable`: only those that a search may choose, or that mean nothing to the
// solver, which set_option() says.
const OptionInfo& known_option(const SolverInfo& info, const std::string& name, bool tunable);

// The value of a shared option, as records have it.
nlohmann::ordered_json option_json(const Options& options, std::string_view name);

}  // namespace thresh
