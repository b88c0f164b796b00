// Settings in the form that the library takes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capi/handles.hpp"
#include "thresh/train.hpp"

namespace thresh::capi {

struct Parsed {
  TrainOptions options;
  ReadOptions read;
  bool certify = false;
  bool partial = false;  // see Problem
  double delta = 0.05;
  std::map<std::string, std::string> others;  // settings of the function that is called
  std::vector<std::string> names;             // all that were set

  bool has(const std::string& name) const;
  // A setting of the function, or `otherwise`.
  std::string text(const std::string& name, const std::string& otherwise = "") const;
  std::uint64_t count(const std::string& name, std::uint64_t otherwise) const;
  bool flag(const std::string& name) const;
};

// Throws UsageError for a name that is neither an option of `thresh train` nor one of `others`, and
// for an invalid value. `settings` may be null, and so may `call`.
Parsed parsed(const thresh_settings* settings, thresh_call* call,
              const std::vector<std::string>& others = {});

// Throws UsageError if one of these is set, because `function` would ignore it.
void refuse_settings(const Parsed& settings, const std::vector<std::string>& names,
                     const std::string& function);

// The same for all settings that neither say how rows are read nor are among `used`.
void refuse_learning(const Parsed& settings, const std::vector<std::string>& used,
                     const std::string& function);

// The options of reading and those of train() that are not in shared_options().
const std::vector<OptionInfo>& reading_options();

}  // namespace thresh::capi
