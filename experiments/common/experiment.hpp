// The experiment of one paper: its data, and the function that makes figures and tables.
#pragma once

#include <string>
#include <vector>

#include "common/training.hpp"

namespace thresh::experiments {

struct Report {
  Json options;  // what was run
  std::vector<Figure> figures;
  std::vector<Table> tables;
};

struct Experiment {
  std::string name;  // of command and folder
  std::string title;
  std::vector<DataSpec> data;
  Report (*run)(const Context& context);
  std::vector<std::string> solvers = {};  // that can be run alone, see --solvers
};

// One file each.
Experiment dhingra();
Experiment duchi();
Experiment shalev_shwartz();
Experiment xie();

// Writes results.json, one CSV file per table and one drawing per figure, each atomically.
// Figures and tables without a name of a file are in results.json only.
void write(const Experiment& experiment, const Report& report, const std::string& results,
           const std::string& figures);

}  // namespace thresh::experiments
