// Sections of runs: traces, and the final output of train.

#include "report/sections.hpp"

namespace thresh::report {
namespace {

struct Curve {
  const char* field;
  const char* name;
  const char* se = nullptr;  // field of its standard error
};

// Curves of all traces, each for all axes. Those without numbers are left out.
void add_figure(Json& section, const std::string& title, const char* y,
                const std::vector<Field>& axes, const std::vector<Points>& traces,
                const std::vector<Curve>& curves) {
  Json names = Json::array();
  for (const Field& axis : axes) names.push_back(axis.heading);
  Json result = figure(title, names, y);
  for (const Points& trace : traces) {
    for (const Curve& curve : curves) {
      const std::string both = curves.size() > 1 ? trace.name + ": " + curve.name : trace.name;
      Json series = Json::object();
      series["name"] = traces.size() == 1 ? curve.name : both;
      for (const Field& axis : axes) series["x"][axis.heading] = column(trace.points, axis.name);
      series["y"] = column(trace.points, curve.field);
      if (!any_number(series["y"])) continue;
      if (curve.se != nullptr) series["se"] = column(trace.points, curve.se);
      result["series"].push_back(std::move(series));
    }
  }
  choose_log_x(result);
  if (!result["series"].empty()) section["figures"].push_back(std::move(result));
}

// Whether some weights vanish beside the largest. Otherwise the figure is omitted.
bool draw_apart(const std::vector<Points>& traces) {
  for (const Points& trace : traces) {
    for (const Json& share : column(trace.points, "exponents_within")) {
      if (share.is_number() && share < 1) return true;
    }
  }
  return false;
}

void add_figures(Json& section, const std::vector<Points>& traces) {
  const std::vector<Curve> errors = {{"train_error", "training error"},
                                     {"valid_error", "validation error", "valid_error_se"}};
  const std::vector<Field> size = {"density", "nonzeros"};
  const std::vector<Field> course = {"data_accesses", "seconds", "examples", "pass"};
  add_figure(section, "Error against density", "error", size, traces, errors);
  add_figure(section, "Objective", "objective", course, traces, {{"objective", "objective"}});
  add_figure(section, "Density", "density", course, traces, {{"density", "density"}});
  add_figure(section, "Error in the course of training", "error", course, traces, errors);
  add_figure(section, "Validation loss", "loss", course, traces,
             {{"valid_loss", "validation loss"}});
  if (draw_apart(traces)) {
    add_figure(section, "Weights within 51 of the largest exponent", "share of the weights", course,
               traces, {{"exponents_within", "weights"}});
  }
}

void add_table(Json& section, const std::vector<Points>& traces) {
  Json all = Json::array();
  for (const Points& trace : traces) {
    for (Json point : trace.points) {
      if (traces.size() > 1) point["trace"] = trace.name;
      all.push_back(std::move(point));
    }
  }
  section["tables"].push_back(
      table("Points of the trace", all,
            {"trace", "pass", "examples", "updates", "data_accesses", "seconds", "objective",
             "nonzeros", "density", "train_error", "valid_error", "valid_error_se", "valid_loss"}));
}

}  // namespace

Json trace_section(const std::vector<Points>& traces) {
  Json result = section(
      "trace", traces.size() == 1 ? "Training: " + traces.front().name : std::string("Training"));
  add_figures(result, traces);
  add_table(result, traces);
  return result;
}

Json run_section(const std::string& file, const Json& run) {
  Json result = section("run", "Training: " + file);
  Json facts = run;
  facts.erase("trace");
  facts.erase("frontier");
  if (run.contains("trace") && !run["trace"].empty()) {
    const std::vector<Points> traces = {{file, run["trace"]}};
    add_figures(result, traces);
    add_table(result, traces);
  }
  if (run.contains("frontier")) {
    const Json sizes = frontier_section(file, run);
    result["figures"] = sizes["figures"];
    result["tables"] = sizes["tables"];
  }
  add_trouble(result, facts);
  if (facts.contains("options")) {
    const Json options = facts["options"];
    facts["options"] = used_options(options, options.value("solver", ""));
  }
  // The answer first.
  for (const char* name :
       {"chosen", "nonzeros", "best_valid_error", "train_error", "valid_error"}) {
    if (facts.contains(name)) add_facts(result, {{heading_of(name), facts[name]}});
    facts.erase(name);
  }
  add_facts(result, facts);
  return result;
}

}  // namespace thresh::report
