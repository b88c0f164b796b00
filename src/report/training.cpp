// Sections of runs: traces, and the final output of train.

#include "report/sections.hpp"

namespace thresh::report {
namespace {

struct Axis {
  const char* field;
  const char* name;
};
constexpr Axis kCourse[] = {{"data_accesses", "data accesses"},
                            {"seconds", "seconds"},
                            {"examples", "examples"},
                            {"pass", "pass"}};
constexpr Axis kSize[] = {{"density", "density"}, {"nonzeros", "features used"}};

struct Curve {
  const char* field;
  const char* name;
  const char* se = nullptr;  // field of its standard error
};
constexpr Curve kErrors[] = {{"train_error", "training error"},
                             {"valid_error", "validation error", "valid_error_se"}};

// Adds one curve of one trace, for all axes.
template <std::size_t N>
void add_series(Json& figure, const Axis (&axes)[N], const Points& trace, const Curve& curve,
                const std::string& name) {
  Json series;
  series["name"] = name;
  for (const Axis& axis : axes) series["x"][axis.name] = column(trace.points, axis.field);
  series["y"] = column(trace.points, curve.field);
  if (!any_number(series["y"])) return;
  if (curve.se != nullptr) series["se"] = column(trace.points, curve.se);
  figure["series"].push_back(std::move(series));
}

template <std::size_t N, std::size_t M>
void add_figure(Json& section, const std::string& title, const char* y, const Axis (&axes)[N],
                const std::vector<Points>& traces, const Curve (&curves)[M]) {
  Json names = Json::array();
  for (const Axis& axis : axes) names.push_back(axis.name);
  Json result = figure(title, names, y);
  for (const Points& trace : traces) {
    for (const Curve& curve : curves) {
      const bool one = traces.size() == 1;
      const std::string both = M > 1 ? trace.name + ": " + curve.name : trace.name;
      add_series(result, axes, trace, curve, one ? curve.name : both);
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
  constexpr Curve objective[] = {{"objective", "objective"}};
  constexpr Curve density[] = {{"density", "density"}};
  constexpr Curve loss[] = {{"valid_loss", "validation loss"}};
  constexpr Curve within[] = {{"exponents_within", "weights"}};
  add_figure(section, "Error against density", "error", kSize, traces, kErrors);
  add_figure(section, "Objective", "objective", kCourse, traces, objective);
  add_figure(section, "Density", "density", kCourse, traces, density);
  add_figure(section, "Error in the course of training", "error", kCourse, traces, kErrors);
  add_figure(section, "Validation loss", "loss", kCourse, traces, loss);
  if (draw_apart(traces)) {
    add_figure(section, "Weights within 51 of the largest exponent", "share of the weights",
               kCourse, traces, within);
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
  section["tables"].push_back(table("Points of the trace", all,
                                    {{"trace", "trace"},
                                     {"pass", "pass"},
                                     {"examples", "examples"},
                                     {"updates", "updates"},
                                     {"data_accesses", "data accesses"},
                                     {"seconds", "seconds"},
                                     {"objective", "objective"},
                                     {"nonzeros", "features used"},
                                     {"density", "density"},
                                     {"train_error", "training error"},
                                     {"valid_error", "validation error"},
                                     {"valid_error_se", "standard error"},
                                     {"valid_loss", "validation loss"}}));
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
  add_facts(result, facts);
  return result;
}

}  // namespace thresh::report
