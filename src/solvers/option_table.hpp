// The options that all solvers share, each declared once: flag, help, words, range, how to parse
// its text, and how to write it to records.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/options.hpp"

namespace thresh {

// The range of a number, if it is set; for the message "--NAME must be TEXT".
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

// An option of the solver or a shared one. Throws UsageError with the nearest name if there is
// none. `tunable`: only options that a search may set, and options the solver does not use, which
// set_option() rejects.
const OptionInfo& known_option(const SolverInfo& info, const std::string& name, bool tunable);

// The value of a shared option, as in records.
nlohmann::ordered_json option_json(const Options& options, std::string_view name);

}  // namespace thresh
