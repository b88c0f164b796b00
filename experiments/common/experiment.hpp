// One paper's experiment: its data, and what makes figures and tables of them.
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
  std::string name;  // of the command and of its folder
  std::string title;
  std::vector<DataSpec> data;
  Report (*run)(const Context& context);
};

// A file each.
Experiment dhingra();
Experiment duchi();
Experiment shalev_shwartz();
Experiment xie();

// Writes results.json, a CSV file a table, and a drawing a figure, whole or not at all.
void write(const Experiment& experiment, const Report& report, const std::string& results,
           const std::string& figures);

}  // namespace thresh::experiments
