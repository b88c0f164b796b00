#include "common/tuned.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

namespace thresh::experiments {
namespace {

// The place of a column; none if there is no such column.
std::optional<std::size_t> place_of(const Json& columns, const std::string& column) {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

bool has_cells(const Json& columns, const Json& row, const CellsOfRow& cells) {
  return std::all_of(cells.begin(), cells.end(), [&](const auto& cell) {
    const auto place = place_of(columns, cell.first);
    return place && row.at(*place) == cell.second;
  });
}

}  // namespace

Json saved_cell(const Json& saved, const CellsOfRow& cells, const std::string& column) {
  if (saved.is_null()) return nullptr;
  for (const Json& table : saved.at("tables")) {
    const auto place = place_of(table.at("columns"), column);
    if (!place) continue;
    for (const Json& row : table.at("rows")) {
      if (has_cells(table.at("columns"), row, cells)) return row.at(*place);
    }
  }
  return nullptr;
}

std::string with_step(const std::string& grid, const std::string& step) {
  const std::size_t comma = step.find(", ");
  std::istringstream words(grid);
  std::string one;
  for (std::string word; words >> word;) {
    if (word.starts_with("eta=")) word = "eta=" + step.substr(0, comma);
    if (word.starts_with("schedule=") && comma != std::string::npos) {
      word = "schedule=" + step.substr(comma + 2);
    }
    one += " " + word;
  }
  return one;
}

std::string with_saved_step(const Context& context, const CellsOfRow& cells,
                            const std::string& grid) {
  const Json step = saved_cell(context.saved, cells, "step size");
  const bool known = step.is_string() && !step.get<std::string>().empty();
  return known ? with_step(grid, step.get<std::string>()) : grid;
}

}  // namespace thresh::experiments
