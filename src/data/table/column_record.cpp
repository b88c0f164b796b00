// Columns in the records of models and caches.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "data/read/utf8.hpp"
#include "data/table/columns.hpp"
#include "text/text_format.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Role = Column::Role;
using Missing = TableOptions::Missing;

// The columns of a record, by name.
std::map<std::string, Column> known_columns(const Record& reading, const ColumnTexts& texts) {
  std::map<std::string, Column> known;
  const auto add = [&](const std::string& name, Role role) -> Column& {
    Column& column = known[name];
    column.name = name;
    column.role = role;
    return column;
  };
  for (const std::string& name : reading.at("numbers").texts()) add(name, Role::number);
  for (const std::string& name : reading.at("categories").texts()) add(name, Role::category);
  if (reading.has("dates")) {
    for (const auto& [name, value] : reading.at("dates").record()) {
      Column& column = add(name, Role::date);
      column.latest = static_cast<std::int64_t>(value.record().at("latest").number());
      if (value.record().has("mean")) column.mean = value.record().at("mean").number();
    }
  }
  if (reading.has("texts")) {
    for (const auto& [name, ignored] : reading.at("texts").record()) {
      add(name, Role::text).text = texts.at(name);
    }
  }
  if (reading.has("means")) {
    for (const auto& [name, value] : reading.at("means").record())
      known[name].mean = value.number();
  }
  for (const std::string& name : reading.value("indicators", Value::List()).texts()) {
    known[name].indicator = true;
  }
  for (const auto& [field, role] : {std::pair{"label", Role::label}, {"weight", Role::weight}}) {
    if (reading.has(field)) add(reading.at(field).text(), role);
  }
  return known;
}

bool is_needed(const std::string& column, const TableOptions& options) {
  return !options.needed ||
         std::find(options.needed->begin(), options.needed->end(), column) != options.needed->end();
}

Column unused(const std::string& name) {
  Column column;
  column.name = name;
  column.role = Role::ignored;
  return column;
}

}  // namespace

void Columns::record(Record& reading) const {
  reading["numbers"] = names_of(Role::number);
  reading["categories"] = names_of(Role::category);
  for (const std::string& name : names_of(Role::label)) reading["label"] = name;
  for (const std::string& name : names_of(Role::id)) reading["id"] = name;
  for (const std::string& name : names_of(Role::weight)) reading["weight"] = name;
  for (const std::string& name : names_of(Role::group)) reading["group"] = name;
  for (const std::string& name : names_of(Role::time)) reading["time"] = name;
  Record dates, means, counts;
  std::vector<std::string> indicators;
  for (const Column& column : columns_) {
    if (column.role == Role::ignored) continue;
    if (column.role == Role::date) {
      Record date;
      date["latest"] = static_cast<double>(column.latest);
      if (column.mean) date["mean"] = *column.mean;
      dates[column.name] = date;
    } else if (column.mean) {
      means[column.name] = *column.mean;
    }
    if (column.indicator) indicators.push_back(column.name);
    if (column.missing > 0) counts[column.name] = column.missing;
  }
  if (!dates.empty()) reading["dates"] = dates;
  Record texts;
  for (const auto& [name, text] : this->texts()) texts[name] = to_json(*text).get<Record>();
  if (!texts.empty()) reading["texts"] = texts;
  // What only the options tell, so that the same rows can be read again.
  for (const auto& [option, field] : {std::pair{"--ignore", "ignored"}, {"--numeric", "numeric"}}) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (given_[i] == option) names.push_back(columns_[i].name);
    }
    if (!names.empty()) reading[field] = names;
  }
  if (!na_.empty()) reading["na"] = na_;
  if (missing_ == Missing::refuse) reading["missing"] = "refuse";
  if (missing_ != Missing::mean) return;
  reading["means"] = means;
  if (!indicators.empty()) reading["indicators"] = indicators;
  if (!counts.empty()) reading["missing_cells"] = counts;
}

void Columns::restore(const Record& reading, const ColumnTexts& texts, const TableOptions& options,
                      bool labels_optional) {
  missing_ = reading.has("means")                              ? Missing::mean
             : reading.value("missing", "").text() == "refuse" ? Missing::refuse
                                                               : Missing::zero;
  std::map<std::string, Column> known = known_columns(reading, texts);
  for (Column& column : columns_) {
    column.role = Role::ignored;
    if (const auto found = known.find(column.name); found != known.end()) {
      column = found->second;
      known.erase(found);
    }
    // Terms take time.
    if (column.text && !is_needed(column.name, options)) column = unused(column.name);
  }
  const std::string id = options.id.empty() ? reading.value("id", "").text() : options.id;
  for (Column& column : columns_) {
    if (column.name == id) column.role = Role::id;
    if (labels_optional) continue;
    if (column.name == reading.value("group", "").text()) column.role = Role::group;
    if (column.name == reading.value("time", "").text()) column.role = Role::time;
  }
  if (!options.id.empty()) find("--id", options.id).role = Role::id;
  for (const auto& [name, column] : known) {
    const bool optional = column.role == Role::label || column.role == Role::weight;
    if (optional && labels_optional) continue;
    if (optional) {
      throw Error(fmt::format("{}: no column {}, which holds the {}", file_, shown(name),
                              column.role == Role::label ? "label" : "weights"));
    }
    if (!is_needed(name, options)) continue;
    // Without a header, columns are known by their numbers only, and this is another table.
    if (!options.needed || missing_ == Missing::refuse || !options.header) {
      throw Error(fmt::format("{}: no column {}, which the training data had{}", file_, shown(name),
                              options.header ? "" : " (and no header)"));
    }
    absent_.push_back(column);
  }
  if (absent_.empty() || absent_.size() < options.needed->size()) return;
  throw Error(fmt::format("{}: no column that the model uses: neither {} nor another; {}", file_,
                          shown(absent_.front().name), columns_like(absent_.front().name)));
}

}  // namespace thresh
