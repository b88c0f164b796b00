#include "common/merge.hpp"

#include <algorithm>

namespace thresh::experiments {
namespace {

// The saved things, in their order, with new ones in the place of those that they replace; then
// what is new.
template <class Thing, class Same>
std::vector<Thing> merged(const std::vector<Thing>& saved, const std::vector<Thing>& now,
                          const Same& same) {
  std::vector<Thing> all;
  std::vector<bool> added(now.size(), false);
  for (const Thing& old : saved) {
    bool replaced = false;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!same(old, now[i])) continue;
      replaced = true;
      if (!added[i]) all.push_back(now[i]);
      added[i] = true;
    }
    if (!replaced) all.push_back(old);
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!added[i]) all.push_back(now[i]);
  }
  return all;
}

std::vector<double> numbers(const Json& values) {
  std::vector<double> all;
  for (const Json& value : values) all.push_back(number(value));
  return all;
}

Figure figure_of(const Json& saved) {
  Figure figure{
      "", saved.at("title"), saved.at("x"), saved.at("y"), saved.at("log_x"), saved.at("log_y"),
      {}};
  for (const Json& one : saved.at("series")) {
    figure.series.push_back({one.at("name"), numbers(one.at("x")), numbers(one.at("y"))});
  }
  return figure;
}

Table table_of(const Json& saved) {
  return {"", saved.at("title"), saved.at("columns"), saved.at("rows")};
}

bool have_equal_keys(const Table& table, const std::vector<Json>& a, const std::vector<Json>& b) {
  return std::ranges::all_of(table.keys, [&](const std::string& key) {
    const auto at = std::ranges::find(table.columns, key) - table.columns.begin();
    return a.at(static_cast<std::size_t>(at)) == b.at(static_cast<std::size_t>(at));
  });
}

template <class Thing, class Read>
std::vector<Thing> all_of(const Json& saved, const Read& read) {
  std::vector<Thing> all;
  for (const Json& one : saved) all.push_back(read(one));
  return all;
}

}  // namespace

void add_saved(const Json& saved, bool series, Report& report) {
  const auto figures = all_of<Figure>(saved.at("figures"), figure_of);
  const auto tables = all_of<Table>(saved.at("tables"), table_of);
  for (const Figure& old : figures) {
    for (Figure& now : report.figures) {
      if (!series || now.title != old.title || now.x != old.x) continue;
      now.series = merged(old.series, now.series,
                          [](const Series& a, const Series& b) { return a.name == b.name; });
    }
  }
  for (const Table& old : tables) {
    for (Table& now : report.tables) {
      if (now.keys.empty() || now.title != old.title || now.columns != old.columns) continue;
      now.rows = merged(old.rows, now.rows,
                        [&](const auto& a, const auto& b) { return have_equal_keys(now, a, b); });
    }
  }
  report.figures = merged(figures, report.figures, [](const Figure& a, const Figure& b) {
    return a.title == b.title && a.x == b.x;
  });
  report.tables = merged(tables, report.tables,
                         [](const Table& a, const Table& b) { return a.title == b.title; });
  Json options = saved.at("options");
  options.update(report.options);
  report.options = std::move(options);
}

}  // namespace thresh::experiments
