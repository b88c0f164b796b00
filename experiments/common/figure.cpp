#include "common/figure.hpp"

#include <fmt/format.h>

namespace thresh::experiments {
namespace {

std::string csv_cell(const Json& cell) {
  if (cell.is_null()) return "";
  if (cell.is_number_float()) return short_number(cell.get<double>());
  const std::string text = cell.is_string() ? cell.get<std::string>() : cell.dump();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

template <class Cells>
std::string csv_line(const Cells& cells) {
  std::string line;
  for (const auto& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    line += csv_cell(cell);
  }
  return line + '\n';
}

// Results are for readers and are saved in the repository: six digits suffice.
double rounded(double value) {
  return std::stod(fmt::format("{:.6g}", value));
}

}  // namespace

std::string short_number(double value) {
  return fmt::format("{:.6g}", value);
}

Series thinned(const Series& series, std::size_t most) {
  const std::size_t n = series.x.size();
  if (n <= most) return series;
  Series thin{series.name, {}, {}, series.dashed};
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t k = i * (n - 1) / (most - 1);
    thin.x.push_back(series.x[k]);
    thin.y.push_back(series.y[k]);
  }
  return thin;
}

Json to_json(const Figure& figure) {
  Json json = {{"title", figure.title}, {"x", figure.x},         {"y", figure.y},
               {"log_x", figure.log_x}, {"log_y", figure.log_y}, {"series", Json::array()}};
  for (const Series& series : figure.series) {
    Json& entry = json["series"].emplace_back();
    entry["name"] = series.name;
    for (const double x : series.x) entry["x"].push_back(rounded(x));
    for (const double y : series.y) entry["y"].push_back(rounded(y));
  }
  return json;
}

Json to_json(const Table& table) {
  return {{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}};
}

std::string to_csv(const Table& table) {
  std::string text = csv_line(table.columns);
  for (const auto& row : table.rows) text += csv_line(row);
  return text;
}

}  // namespace thresh::experiments
