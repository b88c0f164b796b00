#include "common/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "select/side_by_side.hpp"

namespace thresh::experiments {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The number of examples between points of a curve, at least a batch. A coordinate step counts as
// an example.
std::uint64_t trace_every(const DataSet& data, const Options& options, std::uint64_t points) {
  const auto& all = solvers();
  const auto info = std::find_if(all.begin(), all.end(),
                                 [&](const SolverInfo& s) { return s.name == options.solver; });
  const std::uint64_t pass = info->counts == "coordinates" ? data.features : data.rows;
  const auto given = options.solver_options.find("batch");
  const std::uint64_t batch = given == options.solver_options.end()
                                  ? 1
                                  : std::min<std::uint64_t>(std::stoull(given->second), data.rows);
  const std::uint64_t examples =
      options.steps ? *options.steps * std::max<std::uint64_t>(1, batch) : options.passes * pass;
  return std::max<std::uint64_t>({1, batch, examples / points});
}

// Weights of at least a millionth of the largest: some solvers leave tiny ones.
std::size_t weighty(const Model& model) {
  double largest = 0;
  for (const Coefficient& one : model.coefficients) {
    largest = std::max(largest, std::fabs(one.weight));
  }
  return static_cast<std::size_t>(std::count_if(
      model.coefficients.begin(), model.coefficients.end(),
      [&](const Coefficient& one) { return std::fabs(one.weight) >= 1e-6 * largest; }));
}

Json run(const DataSet& data, Options options, std::uint64_t points) {
  hold_out_by_options(options);
  options.trace = TraceAt{TraceAt::Kind::examples, trace_every(data, options, points)};
  const FitResult result = fit(data.problem, options);
  Json curves;
  for (const TracePoint& point : result.trace) {
    curves["examples"].push_back(point.at.examples);
    curves["accesses"].push_back(point.at.accesses);
    curves["seconds"].push_back(point.at.seconds);
    curves["objective"].push_back(point.objective.value_or(kNaN));
    curves["nonzeros"].push_back(point.at.nonzeros);
    curves["train_error"].push_back(point.train_error.value_or(kNaN));
    if (point.valid_error) curves["valid_error"].push_back(*point.valid_error);
  }
  return {{"status", name_of(result.status.outcome)},
          {"weighty", weighty(result.model)},
          {"curves", curves}};
}

// What the name of a run says of the options that the grid does not set.
std::string order_of(const Group& group) {
  return group.base.order == Order::replacement ? " order=replacement" : "";
}

void read(const Json& result, Trained& trained) {
  trained.status = result.at("status");
  trained.weighty = result.at("weighty");
  for (const auto& [name, values] : result.at("curves").items()) {
    for (const Json& value : values) {
      trained.curves[name].push_back(number(value));
    }
  }
}

}  // namespace

std::string job_name(const Context& context, const std::string& what) {
  return what + (context.quick ? " quick" : "") + " thresh=" THRESH_VERSION;
}

std::string as_grid(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string as_words(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) {
    if (name == "passes" || name == "intercept" || name == "density") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

void shorten(std::vector<Axis>& axes) {
  for (Axis& axis : axes) {
    if (axis.values.size() > 2) axis.values = {axis.values.front(), axis.values.back()};
    if (axis.name == "passes") axis.values = {"3"};
    if (axis.name == "steps") axis.values = {"100"};
  }
}

std::string Trained::setting(const std::string& option) const {
  for (const auto& setting : settings) {
    if (setting.first == option) return setting.second;
  }
  return "";
}

Series Trained::series(const std::string& x, const std::string& y) const {
  return thinned({name, curve(x), curve(y)});
}

Trained mean_of(const std::vector<Trained>& runs) {
  Trained mean = runs.front();
  for (auto& [name, curve] : mean.curves) {
    for (const Trained& run : runs) curve.resize(std::min(curve.size(), run.curve(name).size()));
    for (std::size_t i = 0; i < curve.size(); ++i) {
      curve[i] = 0;
      for (const Trained& run : runs) {
        curve[i] += run.curve(name)[i] / static_cast<double>(runs.size());
      }
    }
  }
  return mean;
}

Spread spread_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Spread spread{0, 0, HUGE_VAL, -HUGE_VAL};
  for (const double value : values) {
    if (std::isnan(value)) return {kNaN, kNaN, kNaN, kNaN};
    spread.mean += value / count;
    spread.least = std::min(spread.least, value);
    spread.most = std::max(spread.most, value);
  }
  if (values.empty()) return {kNaN, kNaN, kNaN, kNaN};
  for (const double value : values) spread.deviation += std::pow(value - spread.mean, 2);
  spread.deviation = values.size() < 2 ? 0 : std::sqrt(spread.deviation / (count - 1));
  return spread;
}

Spread spread_of(const std::vector<Trained>& runs, const std::string& what) {
  std::vector<double> values;
  for (const Trained& run : runs) values.push_back(run.last(what));
  return spread_of(values);
}

Options drawn_rows() {
  Options options;
  options.order = Order::replacement;
  options.memory = std::uint64_t{4} << 30;  // any of its rows may be next
  return options;
}

std::vector<Trained> train(const Context& context, const Plan& plan) {
  std::vector<Trained> runs;
  std::vector<Job> jobs;
  for (const Group& group : plan.groups) {
    Options base = group.base;
    base.solver = group.solver;
    std::vector<Axis> axes = parse_grid(group.grid, group.solver);
    if (context.quick) shorten(axes);
    const std::uint64_t points = group.points > 0 ? group.points : plan.points;
    for (const std::string& data : group.data) {
      if (!context.data.has(data)) continue;
      for (const Candidate& candidate : grid_candidates(base, axes)) {
        for (const std::uint64_t seed : group.seeds.empty() ? plan.seeds : group.seeds) {
          Options options = candidate.options;
          options.seed = seed;
          runs.push_back({group.name, data, group.solver, candidate.settings, seed, {}, 0, {}});
          jobs.push_back({job_name(context, fmt::format("{} {}{}{} seed={} points={}{}", data,
                                                        group.solver, as_grid(candidate.settings),
                                                        order_of(group), seed, points, plan.note)),
                          [&context, data, options, points] {
                            return run(context.data.get(data), options, points);
                          }});
        }
      }
    }
  }
  const std::vector<Json> results = run_jobs(jobs, context.work, plan.threads);
  for (std::size_t i = 0; i < runs.size(); ++i) read(results[i], runs[i]);
  return runs;
}

Json to_json(const Plan& plan) {
  Json groups = Json::array();
  for (const Group& group : plan.groups) {
    groups.push_back({{"name", group.name},
                      {"data", group.data},
                      {"solver", group.solver},
                      {"grid", group.grid + order_of(group)},
                      {"seeds", group.seeds.empty() ? plan.seeds : group.seeds}});
  }
  return {{"groups", groups}};
}

std::vector<Trained> select(const std::vector<Trained>& all, const std::string& data,
                            const Settings& settings, const std::string& name) {
  std::vector<Trained> found;
  for (const Trained& one : all) {
    const bool fits = std::all_of(settings.begin(), settings.end(), [&](const auto& setting) {
      return one.setting(setting.first) == setting.second;
    });
    if (fits && one.data == data && (name.empty() || one.name == name)) found.push_back(one);
  }
  return found;
}

const Trained* smallest(const std::vector<Trained>& all, const std::string& what) {
  if (all.empty()) return nullptr;
  std::vector<double> values;
  for (const Trained& one : all) {
    values.push_back(one.status == name_of(Outcome::diverged) ? kNaN : one.last(what));
  }
  return &all[smallest_of(values)];
}

}  // namespace thresh::experiments
