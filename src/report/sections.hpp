// Builds one section of a report per kind of input, as JSON described in docs/formats.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/model.hpp"
#include "thresh/report.hpp"

namespace thresh::report {

using Json = nlohmann::ordered_json;

// Points written by thresh, with a name.
struct Points {
  std::string name;
  Json points;
};

Json trace_section(const std::vector<Points>& traces);
Json run_section(const std::string& file, const Json& run);            // of train
Json frontier_section(const std::string& file, const Json& frontier);  // of frontier
Json tune_section(const std::string& file, const Json& tuned);
Json trials_section(const std::string& file, const Json& lines);  // of tune --state
Json cv_section(const std::string& file, const Json& judged);
Json path_section(const std::string& file, const Json& path);
Json eval_section(const std::string& file, const Json& metrics);
Json diagnosis_section(const std::string& file, const Json& diagnosis);
Json model_section(const std::string& file, const Model& model);
Json expert_section(const std::string& file, const Model& model);  // what few readers need of it
Json answer_section(const ModelResults& results, const Json& metrics);
Json uses_section(const std::string& file, const Json& uses);  // of explain --summary

// Throws Error with the place of the fault if a section written by another program is invalid.
void check_section(const Json& section);

inline constexpr const char* kUsed = "features used";

// Building blocks of sections.
std::string heading_of(std::string field);
std::string percent_text(double share);  // 0.123 -> "12.3%"
Json section(const std::string& kind, const std::string& title);
Json figure(const std::string& title, const Json& x, const std::string& y);
// One field of all points, null where it is missing. Throws Error if a value is not a number.
Json column(const Json& points, const std::string& field);
// A setting as a number (percentages as a fraction); null if it is not a number.
Json number_of(const Json& value);
bool any_number(const Json& numbers);
// Sets a logarithmic x axis if the initial values are all positive and spread widely.
void choose_log_x(Json& figure);
// Adds the metrics of an evaluation, each with its 95% interval, in the order of `fields`; those it
// lacks are left out.
void add_metrics(Json& section, const Json& metrics, const std::vector<std::string>& fields);
// Leaves out the options that the solver of a run or model does not use.
Json used_options(const Json& options, const std::string& solver);
// Adds [name, value] for every scalar of an object and of the objects in it.
void add_facts(Json& section, const Json& object, const std::string& prefix = "");
// Moves problems from a run's summary to the section: warnings to the notes, divergences to a
// table.
void add_trouble(Json& section, Json& summary);
// A field of points, and its title for readers; without one the usual title of the field is used.
struct Field {
  Field(const char* field) : Field(field, heading_of(field)) {}
  Field(std::string field, std::string shown) : name(std::move(field)), heading(std::move(shown)) {}
  std::string name;
  std::string heading;
};
// A table of these fields of all points. Fields that no point has are left out.
Json table(const std::string& title, const Json& points, const std::vector<Field>& fields);

}  // namespace thresh::report
