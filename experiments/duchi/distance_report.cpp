#include "duchi/distance_report.hpp"

#include <cmath>

#include "duchi/reference.hpp"

namespace thresh::experiments {
namespace {

// What a run's objective would be at the optimum.
double target(const Trained& run, const Optimum& optimum) {
  const bool has_penalty = run.solver == "cd" || run.solver == kInteriorPoint;
  return has_penalty ? optimum.objective : optimum.loss;
}

double accesses_to(const Trained& run, const Optimum& optimum, double distance) {
  for (std::size_t i = 0; i < run.curve("objective").size(); ++i) {
    if (run.curve("objective")[i] - target(run, optimum) <= distance) {
      return run.curve("accesses")[i];
    }
  }
  return HUGE_VAL;
}

Json if_finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string step_of(const Trained& run) {
  if (run.setting("eta").empty() || run.setting("line-search") == "true") return "";
  const std::string schedule = run.setting("schedule");
  return run.setting("eta") + (schedule.empty() ? "" : ", " + schedule);
}

Spread spread_over(const Distances& distances, double Distance::*what) {
  std::vector<double> values;
  for (const Distance& one : distances.all) values.push_back(one.*what);
  return spread_of(values);
}

}  // namespace

Series distance(const Trained& run, const Optimum& optimum, const std::string& x) {
  Series series = run.series(x, "objective");
  for (double& y : series.y) y -= target(run, optimum);
  return series;
}

Distance distance_of(const Trained& run, const Optimum& optimum) {
  return {run.last("objective") - target(run, optimum), accesses_to(run, optimum, 1e-2),
          accesses_to(run, optimum, 1e-4)};
}

Table distance_table() {
  return {"distances",
          "Figures 4-6: the best of the step sizes of each method",
          {"problem", "radius", "method", "step size", "f - f* at the end", "accesses",
           "accesses to 1e-2", "accesses to 1e-4", "non-zeros", "non-zeros of the optimum"},
          {},
          {"problem", "method"}};
}

std::vector<Json> distance_row(const std::string& problem, const Trained& run,
                               const Optimum& optimum) {
  const Distance found = distance_of(run, optimum);
  return {problem,
          optimum.radius,
          run.name,
          step_of(run),
          found.end,
          run.last("accesses"),
          if_finite(found.to_1e2),
          if_finite(found.to_1e4),
          run.last("nonzeros"),
          optimum.nonzeros};
}

Table distance_spread_table() {
  return {"distance-spreads",
          "Figures 4-6: repetitions with the step sizes of the table before",
          {"problem", "method", "step size", "runs", "f - f* at the end, mean", "deviation",
           "least", "most", "accesses to 1e-2, least", "most", "accesses to 1e-4, least", "most"},
          {},
          {"problem", "method"}};
}

std::vector<Json> distance_spread_row(const std::string& problem, const Distances& distances) {
  const Spread end = spread_over(distances, &Distance::end),
               near = spread_over(distances, &Distance::to_1e2),
               nearer = spread_over(distances, &Distance::to_1e4);
  return {problem,
          distances.first.name,
          step_of(distances.first),
          distances.all.size(),
          if_finite(end.mean),
          distances.all.size() < 2 ? Json(nullptr) : if_finite(end.deviation),
          if_finite(end.least),
          if_finite(end.most),
          if_finite(near.least),
          if_finite(near.most),
          if_finite(nearer.least),
          if_finite(nearer.most)};
}

}  // namespace thresh::experiments
