// The figures and tables of an experiment, in the form in which results are saved.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace thresh::experiments {

using Json = nlohmann::ordered_json;

struct Series {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
};

struct Figure {
  std::string file;  // name without folder and .svg
  std::string title, x, y;
  bool log_x = true, log_y = true;
  std::vector<Series> series;
};

struct Table {
  std::string file;  // without folder and .csv
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;  // a cell is a text, a number, or null if missing
  std::vector<std::string> keys = {};   // columns that say what a row is about; for add_saved()
};

// At most `most` points, evenly spaced, including both ends.
Series thinned(const Series& series, std::size_t most = 200);

Json to_json(const Figure& figure);
Json to_json(const Table& table);
std::string to_csv(const Table& table);
// A number with at most six digits.
std::string short_number(double value);

}  // namespace thresh::experiments
