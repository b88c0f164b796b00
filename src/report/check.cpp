// Validates sections written by other programs, because the page shows them unchecked.

#include <fmt/format.h>

#include "report/sections.hpp"
#include "thresh/error.hpp"

namespace thresh::report {
namespace {

void require(bool good, const std::string& where, const std::string& what) {
  if (!good) throw Error(fmt::format("{}: {}", where, what));
}

const Json& list(const Json& object, const char* key, const std::string& where) {
  static const Json none = Json::array();
  if (!object.contains(key)) return none;
  require(object[key].is_array(), where + key, "not a list");
  return object[key];
}

// Calls check(part, place) for the parts in a list of the object.
template <class Check>
void check_each(const Json& object, const char* key, const std::string& where, const Check& check) {
  const Json& parts = list(object, key, where);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    check(parts[i], fmt::format("{}{}[{}]", where, key, i));
  }
}

void check_text(const Json& object, const char* key, const std::string& where) {
  require(object.is_object() && object.contains(key) && object[key].is_string(), where,
          fmt::format("needs a {}, a text", key));
}

void check_numbers(const Json& object, const std::string& key, std::size_t size,
                   const std::string& where) {
  require(object.contains(key) && object[key].is_array(), where,
          fmt::format("needs {}, a list of numbers", key));
  for (const Json& number : object[key]) {
    require(number.is_number() || number.is_null(), where,
            fmt::format("{} holds something that is not a number", key));
  }
  require(object[key].size() == size, where,
          fmt::format("{} has {} numbers, y {}", key, object[key].size(), size));
}

void check_labels(const Json& series, const std::string& where) {
  const Json& labels = list(series, "labels", where + ".");
  require(labels.size() == series["y"].size(), where, "needs as many labels as numbers");
  for (const Json& label : labels) require(label.is_string(), where, "a label is not a text");
}

void check_series(const Json& series, const Json& figure, const std::string& where) {
  check_text(series, "name", where);
  const std::size_t size = series.contains("y") ? series["y"].size() : 0;
  check_numbers(series, "y", size, where);
  if (series.contains("se")) check_numbers(series, "se", size, where);
  if (figure.value("kind", "lines") == "bars") return check_labels(series, where);
  if (figure["x"].is_string()) return check_numbers(series, "x", size, where);
  require(series.contains("x") && series["x"].is_object(), where,
          "needs x, an object with a list for each x of the figure");
  for (const Json& name : figure["x"]) check_numbers(series["x"], name, size, where + ".x");
}

void check_figure(const Json& figure, const std::string& where) {
  check_text(figure, "title", where);
  check_text(figure, "y", where);
  const Json kind = figure.value("kind", Json("lines"));
  require(kind == "lines" || kind == "points" || kind == "columns" || kind == "bars", where,
          "kind is lines, points, columns or bars");
  if (figure.contains("note")) check_text(figure, "note", where);
  for (const char* key : {"log_x", "log_y"}) {
    require(figure.value(key, Json(false)).is_boolean(), where,
            "log_x and log_y are true or false");
  }
  if (kind != "bars") {
    const Json x = figure.value("x", Json());
    bool names = x.is_string() || (x.is_array() && !x.empty());
    if (x.is_array()) {
      for (const Json& name : x) names &= name.is_string();
    }
    require(names, where, "needs x, a text or a list of texts");
  }
  check_each(figure, "series", where + ".", [&](const Json& series, const std::string& place) {
    check_series(series, figure, place);
  });
}

void check_table(const Json& table, const std::string& where) {
  check_text(table, "title", where);
  if (table.contains("note")) check_text(table, "note", where);
  const Json& columns = list(table, "columns", where + ".");
  for (const Json& name : columns)
    require(name.is_string(), where, "a column's name is not a text");
  for (const Json& row : list(table, "rows", where + ".")) {
    require(row.is_array() && row.size() == columns.size(), where,
            "a row needs as many cells as there are columns");
    for (const Json& cell : row)
      require(cell.is_primitive(), where, "a cell is not a single value");
  }
}

}  // namespace

void check_section(const Json& section) {
  check_text(section, "title", "the section");
  for (const Json& note : list(section, "notes", "")) {
    require(note.is_string(), "notes", "not a text");
  }
  for (const Json& fact : list(section, "facts", "")) {
    require(fact.is_array() && fact.size() == 2 && fact[0].is_string() && fact[1].is_primitive(),
            "facts", "not a pair of a name and a value");
  }
  check_each(section, "figures", "", check_figure);
  check_each(section, "tables", "", check_table);
}

}  // namespace thresh::report
