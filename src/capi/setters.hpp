// The options of reading and those of train() that are not in shared_options(), with the functions
// that set them.
#pragma once

#include <string>
#include <vector>

#include "capi/settings.hpp"

namespace thresh::capi {

struct Setter {
  OptionInfo info;
  void (*set)(const std::string& name, const std::string& text, Parsed& parsed);
};
const std::vector<Setter>& setters();

// Values; they throw UsageError.
[[noreturn]] void refuse(const std::string& name, const std::string& text, const std::string& use);
std::uint64_t count_of(const std::string& name, const std::string& text);
bool flag_of(const std::string& name, const std::string& text);

}  // namespace thresh::capi
