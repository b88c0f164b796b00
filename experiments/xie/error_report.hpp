// What Figure 5 and Table 3 show of the methods that were tuned and tested.
#pragma once

#include <string>
#include <vector>

#include "common/experiment.hpp"
#include "xie/tasks.hpp"

namespace thresh::experiments {

struct XieMethod {
  std::string name, solver;
  std::string at_budget;     // "stop" or "continue"; "": it always stops
  std::string grid;          // ends with p, if there is one
  std::string grid_of_many;  // for a task of millions of features; "": it takes too long there
  bool shuffled;             // tuned on several orders of the rows
  bool slow = false;         // its steps cost as much as its model is large: fewer seeds
};

// What it does at the bound.
inline std::string bound_word(const XieMethod& method) {
  return method.at_budget.empty() ? "stop" : method.at_budget;
}

// One training set and one method: tuned on the validation rows, then looked at on the test rows.
struct XieEntry {
  const XieTask* task;
  const XieMethod* method;
  std::vector<Candidate> candidates;
  std::vector<double> errors;  // on the validation rows, by candidate
  std::size_t chosen = 0;
  std::vector<Json> tested;  // by shuffle
};

// A figure a task, and the two tables. The entries of a task follow each other.
void add_error_report(const std::vector<XieEntry>& entries, Report& report);

}  // namespace thresh::experiments
