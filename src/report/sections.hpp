// One section of a report for each kind of input. All of them are JSON as docs/formats.md has it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/model.hpp"

namespace thresh::report {

using Json = nlohmann::ordered_json;

// Points that thresh wrote, and what to call them.
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

// Throws Error unless a section that others wrote is in order, saying where it is not.
void check_section(const Json& section);

inline constexpr const char* kUsed = "features used";

// What they are made of.
Json section(const std::string& kind, const std::string& title);
Json figure(const std::string& title, const Json& x, const std::string& y);
// The numbers of one field of all points; null where a point has none. Throws Error for anything
// but a number.
Json column(const Json& points, const std::string& field);
// A setting as a number, a share for a percentage; null if it is none.
Json number_of(const Json& value);
bool any_number(const Json& numbers);
// Begins with a logarithmic x where that suits what is shown first: all above 0, and far apart.
void choose_log_x(Json& figure);
// Adds [name, value] for every single value of an object, and for those of the objects in it.
void add_facts(Json& section, const Json& object, const std::string& prefix = "");
// Moves what went wrong on the way from a run's summary: warnings to the notes, divergences to a
// table.
void add_trouble(Json& section, Json& summary);
// Rows of these fields of all points, under these headings; a field that no point has is left out.
struct Field {
  std::string name;
  std::string heading;
};
Json table(const std::string& title, const Json& points, const std::vector<Field>& fields);

}  // namespace thresh::report
