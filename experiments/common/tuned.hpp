// What an earlier run of an experiment has chosen, for repeating its best runs without tuning
// again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/training.hpp"

namespace thresh::experiments {

using CellsOfRow = std::vector<std::pair<std::string, std::string>>;  // column and text

// The cell of a column in the tables of saved results: the first row with all of `cells` in a table
// that has these columns. Null if there is none.
Json saved_cell(const Json& saved, const CellsOfRow& cells, const std::string& column);

// The grid with the step size that a table shows, "100" or "100, sqrt", instead of those to try.
std::string with_step(const std::string& grid, const std::string& step);

// The grid with the step size of the row with these cells, if the saved results have one.
std::string with_saved_step(const Context& context, const CellsOfRow& cells,
                            const std::string& grid);

}  // namespace thresh::experiments
