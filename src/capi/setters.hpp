// Settings that are no options of a run: each with the function that sets it, and how values are
// read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capi/settings.hpp"

namespace thresh::capi {

// An option with the function that sets it.
struct Setter {
  OptionInfo info;
  void (*set)(const std::string& name, const std::string& text, Parsed& parsed);
};

// How files, tables, texts and arrays are read.
std::vector<Setter> reading_setters();

// Values. All throw UsageError with the name of the setting.
[[noreturn]] void refuse(const std::string& name, const std::string& text, const std::string& use);
double number_of(const std::string& name, const std::string& text);
std::uint64_t count_of(const std::string& name, const std::string& text);
double seconds_of(const std::string& name, const std::string& text);  // 90, 90s, 5m, 2h
double share_of(const std::string& name, const std::string& text);    // 5%
bool flag_of(const std::string& name, const std::string& text);
std::vector<std::string> list_of(const std::string& text);  // A,B,C

}  // namespace thresh::capi
