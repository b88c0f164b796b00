// One line of a diagnosis: what was looked at, what came out, what is normal, and what to do about
// it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "thresh/diagnose.hpp"

namespace thresh {

struct DiagnosisLine {
  std::string name;      // of the value in JSON: lower case, underscores
  nlohmann::json value;  // a number, or an object where one number is not enough
  std::string text;      // the same for people: one line, or a table
  std::string normal;    // what is usual
  std::string advice;    // what to do, if anything
};

struct Section {
  std::string name;   // in JSON
  std::string title;  // for people
  std::vector<DiagnosisLine> findings;
};

// A section as the program prints it.
DiagnosisPart part_of(const Section& section);

}  // namespace thresh
