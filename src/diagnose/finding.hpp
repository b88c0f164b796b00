// One line of a diagnosis: what was examined, the result, what is normal, and advice.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "thresh/diagnose.hpp"

namespace thresh {

struct DiagnosisLine {
  std::string name;         // JSON key: lower case, underscores
  nlohmann::json value;     // a number, or an object if one number is not enough
  std::string text = {};    // readable form: one line, or a table
  std::string normal = {};  // the usual result
  std::string advice = {};  // what to do, or empty
};

struct Section {
  std::string name;   // JSON key
  std::string title;  // for readers
  std::vector<DiagnosisLine> findings;
};

// A section as the program prints it.
DiagnosisPart part_of(const Section& section);

}  // namespace thresh
