// The error for every number of features, as it is shown.
#pragma once

#include <string>
#include <vector>

#include "select.hpp"

namespace thresh::cli {

// Holds out the usual share where nothing was said about rows to judge by.
void hold_out_the_usual(const TrainCommand& c, Options& options);

// A row of a table with a bar of this length behind it, and a remark behind that.
struct BarRow {
  std::vector<std::string> cells;
  double value = 0;
  std::string remark;
};
// The longest bar has a fixed width; the others are as much shorter as their values are smaller.
std::string bar_table(const std::vector<std::string>& heading, const std::vector<BarRow>& rows);

// thresh train without a budget: reads the options, calls train() and shows what it does.
void train_by_choice(const TrainCommand& c);

}  // namespace thresh::cli
