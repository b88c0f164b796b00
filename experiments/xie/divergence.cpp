#include "xie/divergence.hpp"

#include <fmt/format.h>

#include <cmath>

#include "diagnose/grades_run.hpp"
#include "xie/tasks.hpp"

namespace thresh::experiments {
namespace {

constexpr int kGammas[] = {3, 100};
constexpr std::uint64_t kKept = 2000, kKeptQuick = 400;

struct GradesJob {
  std::string task;
  Weighting weighting;
  double gamma;
};

Json walk(const DataSet& data, double gamma, std::uint64_t kept) {
  RowSource& rows = *data.problem.train;
  GradesOptions options;
  options.features = kept;
  options.gamma = gamma;
  const GradesRun run =
      run_grades(rows, overview_of(rows), LabelMap::from_survey(*rows.survey(), {}), options);
  Json result = {{"radius", Json::array()}, {"potential", Json::array()}};
  for (const GradesStep& step : run.steps) {
    result["radius"].push_back(step.radius.value);
    result["potential"].push_back(step.log10_potential);
  }
  return result;
}

Figure figure_of(int number, Weighting weighting, double gamma, const std::string& what) {
  const bool tf_idf = weighting == Weighting::tf_idf;
  Figure figure{fmt::format("{}{}", number, tf_idf ? "-tf-idf" : ""),
                fmt::format("Figure {}: GraDes, gamma = {}{}", number, gamma,
                            tf_idf ? ", tf-idf rows of unit length" : ", words present or not"),
                "step",
                what == "radius" ? "spectral radius of the iteration" : "log10 of the potential",
                false,
                what == "radius",
                {}};
  return figure;
}

Series series_of(const std::string& task, const Json& values) {
  Series series{task, {}, {}};
  for (std::size_t t = 0; t < values.size(); ++t) {
    series.x.push_back(static_cast<double>(t));
    series.y.push_back(number(values[t]));
  }
  return series;
}

// None if the walk ended before it.
Json at_step(const Json& values, std::size_t t) {
  return t < values.size() ? values[t] : Json(nullptr);
}

// Of X'X, from the radius of I - X'X / gamma; a radius of 1 comes from the other end of the
// spectrum.
Json largest_of(double radius, double gamma) {
  return radius > 1 ? Json((radius + 1) * gamma) : Json(nullptr);
}

}  // namespace

void add_divergence(const Context& context, Report& report) {
  std::vector<GradesJob> plan;
  std::vector<Job> jobs;
  const std::uint64_t kept = context.quick ? kKeptQuick : kKept;
  for (const Weighting weighting : {Weighting::present, Weighting::tf_idf}) {
    for (const int gamma : kGammas) {
      for (const std::string& task : newsgroup_tasks()) {
        const std::string data = few_words(task, weighting);
        if (!context.data.has(data)) continue;
        plan.push_back({task, weighting, static_cast<double>(gamma)});
        jobs.push_back(
            {job_name(context,
                      fmt::format("{} grades gamma={} features={} steps=10", data, gamma, kept)),
             [&context, data, gamma, kept] { return walk(context.data.get(data), gamma, kept); }});
      }
    }
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  Table table{"divergence",
              "GraDes: spectral radius and potential at the first and the last step",
              {"task", "rows", "gamma", "largest eigenvalue", "radius before", "radius at step 1",
               "radius at step 10", "log10 potential before", "log10 potential at step 10"},
              {},
              {"task", "rows"}};
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto& [task, weighting, gamma] = plan[i];
    const Json &radius = results[i].at("radius"), &potential = results[i].at("potential");
    const bool first_of_figure = i == 0 || plan[i - 1].gamma != gamma;
    if (first_of_figure) {
      const int number = gamma == kGammas[0] ? 1 : 2;
      report.figures.push_back(figure_of(number, weighting, gamma, "radius"));
      report.figures.push_back(figure_of(number + 2, weighting, gamma, "potential"));
    }
    report.figures[report.figures.size() - 2].series.push_back(series_of(task, radius));
    report.figures.back().series.push_back(series_of(task, potential));
    table.rows.push_back(
        {task, weighting == Weighting::tf_idf ? "tf-idf, unit length" : "words present", gamma,
         largest_of(number(at_step(radius, 0)), gamma), at_step(radius, 0), at_step(radius, 1),
         at_step(radius, 10), at_step(potential, 0), at_step(potential, 10)});
  }
  report.tables.push_back(std::move(table));
}

}  // namespace thresh::experiments
