#include "duchi/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/beyond.hpp"
#include "common/tuned.hpp"
#include "duchi/distance_report.hpp"
#include "duchi/reference.hpp"
#include "duchi/repeats.hpp"

namespace thresh::experiments {
namespace {

// What is run. The minimum of L(w) + lambda |w|_1 is found first; its norm is the radius z for the
// methods that have a ball instead of a penalty, its loss what they are measured against. Step
// sizes beyond these are tried while the best is at an end.
struct Method {
  std::string name, solver, grid;  // z is put in for RADIUS, the problem's lambda for LAMBDA
};
struct Setting {
  std::string file, title, data, lambda;
  bool regression;
  std::uint64_t points;  // of the curves
  std::vector<Method> methods;
  bool timed = false;  // shown against seconds too
};

std::vector<Method> synthetic(const std::string& etas, const std::string& stochastic_etas,
                              const std::string& batch, const std::string& passes) {
  return {{"projected gradient", "projected-gradient",
           "radius=RADIUS eta=" + etas + " passes=" + passes},
          {"projected, line search", "projected-gradient",
           "radius=RADIUS line-search=true eta=1 passes=" + passes},
          {"projected, stochastic", "projected-sgd",
           "radius=RADIUS eta=" + stochastic_etas + " batch=" + batch + " passes=" + passes},
          {"coordinate descent", "cd", "lambda=LAMBDA passes=" + passes}};
}

const std::string kSchedules = " schedule=constant,sqrt,inverse";  // EG may have the best one

std::vector<Method> large_batches() {
  return {{"projected, all rows", "projected-gradient",
           "radius=RADIUS eta=1000,10000,100000 passes=50"},
          {"projected, a quarter", "projected-sgd",
           "radius=RADIUS eta=1000,10000,100000 batch=5938 passes=25"},
          {"EG, all rows", "eg", "radius=RADIUS eta=100,1000,10000 batch=0 passes=50" + kSchedules},
          {"EG, a quarter", "eg",
           "radius=RADIUS eta=100,1000,10000 batch=5938 passes=25" + kSchedules}};
}

std::vector<Method> small_batches() {
  return {{"projected, 1 row", "projected-sgd", "radius=RADIUS eta=10,100,1000 passes=5"},
          {"projected, 100 rows", "projected-sgd",
           "radius=RADIUS eta=100,1000,10000 batch=100 passes=10"},
          {"EG, 1 row", "eg", "radius=RADIUS eta=0.1,1,10 passes=5" + kSchedules},
          {"EG, 100 rows", "eg", "radius=RADIUS eta=10,100,1000 batch=100 passes=10" + kSchedules}};
}

const std::vector<Setting> kSettings = {
    {"4-800", "Figure 4: least squares, n = 800", "least-squares-800", "0.1", true, 100,
     synthetic("1,3,10", "3e-2,1e-1,3e-1", "8", "100")},
    {"4-4000", "Figure 4: least squares, n = 4000", "least-squares-4000", "0.1", true, 30,
     synthetic("1,3", "3e-2,1e-1,3e-1", "40", "30")},
    {"5-800", "Figure 5: logistic regression, n = 800", "logistic-800", "0.01", false, 100,
     synthetic("3,10,30", "1e-1,3e-1,1", "8", "100")},
    {"5-4000", "Figure 5: logistic regression, n = 4000", "logistic-4000", "0.004", false, 30,
     synthetic("3,10,30", "1e-1,3e-1,1", "40", "30")},
    {"6-batch", "Figure 6, left: rcv1, all rows or a quarter of them a step", "rcv1", "1e-4", false,
     50, large_batches(), true},
    {"6-batch-1e-3", "Figure 6, left: rcv1, all rows or a quarter, radius of lambda 1e-3", "rcv1",
     "1e-3", false, 50, large_batches()},
    {"6-stochastic", "Figure 6, right: rcv1, 1 or 100 rows a step", "rcv1", "1e-4", false, 50,
     small_batches(), true},
    {"6-stochastic-1e-3", "Figure 6, right: rcv1, 1 or 100 rows, radius of lambda 1e-3", "rcv1",
     "1e-3", false, 50, small_batches()},
};
constexpr int kRepetitions = 3;  // of the runs that are timed

bool is_generated(const Setting& setting) {
  return setting.data != "rcv1";
}

Options base_of(const Setting& setting) {
  Options base;
  base.intercept = false;
  if (setting.regression) base.task = Task::regression;
  return base;
}

Json minimise(const DataSet& data, const Setting& setting) {
  Options options = base_of(setting);
  options.solver = "l1";
  options.lambda = std::stod(setting.lambda);
  options.passes = 0;
  options.solver_options["gap"] = "1e-8";
  options.trace = TraceAt{};
  const FitResult result = fit(data.problem, options);
  double norm = 0;
  for (const Coefficient& one : result.model.coefficients) norm += std::fabs(one.weight);
  return {{"objective", *result.trace.back().objective},
          {"radius", norm},
          {"nonzeros", result.model.coefficients.size()}};
}

std::vector<Optimum> find_optima(const Context& context, const std::vector<Setting>& settings) {
  std::vector<Job> jobs;
  for (const Setting& setting : settings) {
    jobs.push_back({job_name(context, fmt::format("{} optimum lambda={} gap=1e-8", setting.data,
                                                  setting.lambda)),
                    [&] { return minimise(context.data.get(setting.data), setting); }});
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  std::vector<Optimum> optima;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const double objective = results[i].at("objective"), radius = results[i].at("radius");
    optima.push_back({objective, objective - std::stod(settings[i].lambda) * radius, radius,
                      results[i].at("nonzeros")});
  }
  return optima;
}

std::string filled_in(std::string grid, const std::string& word, const std::string& value) {
  const std::size_t at = grid.find(word);
  return at == std::string::npos ? grid : grid.replace(at, word.size(), value);
}

Plan plan_of(const Setting& setting, const Optimum& optimum, std::uint64_t seed = 1) {
  Plan plan;
  plan.seeds = {seed};
  plan.points = setting.points;
  for (const Method& method : setting.methods) {
    std::string grid = filled_in(method.grid, "RADIUS", fmt::format("{:.17g}", optimum.radius));
    grid = filled_in(grid, "LAMBDA", setting.lambda);
    plan.groups.push_back({method.name, {setting.data}, method.solver, grid, base_of(setting)});
  }
  return plan;
}

std::string problem_of(const Setting& setting) {
  return setting.title.substr(setting.title.find(':') + 2);
}

// The best run of each method.
std::vector<Trained> best_of(const Setting& setting, const std::vector<Trained>& runs) {
  std::vector<Trained> best;
  for (const Method& method : setting.methods) {
    best.push_back(*smallest(select(runs, setting.data, {}, method.name), "objective"));
  }
  return best;
}

void add_setting(const Setting& setting, const Optimum& optimum, const std::vector<Trained>& runs,
                 Report& report, Table& table) {
  Figure figure{setting.file, setting.title, "data accesses", "f(w) - f(w*)", true, true, {}};
  for (const Trained& run : runs) {
    table.rows.push_back(distance_row(problem_of(setting), run, optimum));
    figure.series.push_back(distance(run, optimum, "accesses"));
  }
  report.figures.push_back(std::move(figure));
}

// The same runs again, one at a time; each point of a curve has the least time of all repetitions.
void add_seconds(const Context& context, const Setting& setting, const Optimum& optimum,
                 std::vector<Trained> runs, Report& report) {
  for (int repetition = 1; repetition <= kRepetitions; ++repetition) {
    Plan plan;
    plan.points = setting.points;
    plan.note = fmt::format(" timed={}", repetition);
    plan.threads = 1;
    for (const Trained& run : runs) {
      plan.groups.push_back(
          {run.name, {run.data}, run.solver, as_grid(run.settings), base_of(setting)});
    }
    const std::vector<Trained> again = train(context, plan);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto& least = runs[i].curves.at("seconds");
      for (std::size_t k = 0; k < least.size(); ++k) {
        const double seconds = again[i].curve("seconds")[k];
        least[k] = repetition == 1 ? seconds : std::min(least[k], seconds);
      }
    }
  }
  Figure figure{
      setting.file + "-seconds", setting.title, "seconds", "f(w) - f(w*)", true, true, {}};
  for (const Trained& run : runs) figure.series.push_back(distance(run, optimum, "seconds"));
  report.figures.push_back(std::move(figure));
}

std::vector<Trained> references_of(const Context& context, const std::vector<Setting>& settings) {
  std::vector<ReferenceProblem> problems;
  for (const Setting& setting : settings) {
    if (is_generated(setting)) {
      problems.push_back({setting.data, setting.lambda, setting.regression});
    }
  }
  return interior_points(context, problems);
}

// The setting on the data of a repetition. Each method has the settings of its best run, but the
// radius of these data. rcv1 stays as it is, so that only methods that shuffle its rows differ.
Setting repeated(const Setting& setting, const std::vector<Trained>& best, std::uint64_t k) {
  Setting again = setting;
  again.methods.clear();
  if (is_generated(setting)) again.data = repeated_data(setting.data, k);
  for (const Trained& run : best) {
    const bool shuffles = run.solver != "projected-gradient" && run.setting("batch") != "0";
    if (run.solver == kInteriorPoint || !(is_generated(setting) || shuffles)) continue;
    Settings chosen = run.settings;
    for (auto& [name, value] : chosen) {
      if (name == "radius") value = "RADIUS";
    }
    again.methods.push_back({run.name, run.solver, as_grid(chosen)});
  }
  return again;
}

// Runs the best of each method again, with other data or another seed.
void add_spread(const Context& context, const Setting& setting, const Optimum& optimum,
                const std::vector<Trained>& best, Table& table) {
  std::vector<Distances> found;
  for (const Trained& run : best) found.push_back({run, {distance_of(run, optimum)}});
  for (std::uint64_t k = 2; k <= kRepetitionsOfBest; ++k) {
    const Setting again = repeated(setting, best, k);
    if (!context.data.has(again.data)) continue;
    const Optimum other = find_optima(context, {again}).front();
    std::vector<Trained> runs = train(context, plan_of(again, other, k));
    for (Trained& reference : references_of(context, {again})) runs.push_back(reference);
    for (const Trained& run : runs) {
      for (Distances& one : found) {
        if (one.first.name == run.name) one.all.push_back(distance_of(run, other));
      }
    }
  }
  for (const Distances& one : found) {
    table.rows.push_back(distance_spread_row(problem_of(setting), one));
  }
}

DataSpec generated(const std::string& name, std::uint64_t n, bool targets, std::uint64_t seed) {
  return {repeated_data(name, seed),
          {},
          [=](const std::string&) { return make_data(gaussian_rows(n, n, seed, targets)); },
          [=] { return make_data(gaussian_rows(60, 60, seed, targets)); }};
}

}  // namespace

std::vector<DataSpec> optimum_data() {
  std::vector<DataSpec> data;
  for (std::uint64_t seed = 1; seed <= kRepetitionsOfBest; ++seed) {
    data.push_back(generated("least-squares-800", 800, true, seed));
    data.push_back(generated("least-squares-4000", 4000, true, seed));
    data.push_back(generated("logistic-800", 800, false, seed));
    data.push_back(generated("logistic-4000", 4000, false, seed));
  }
  data.push_back(
      {"rcv1",
       {"rcv1.svm.xz"},
       [](const std::string& folder) { return make_data(read_rows(folder + "/rcv1.svm.xz")); },
       [] { return make_data(corpus_rows(400, 500, 1)); }});
  return data;
}

void add_distances(const Context& context, Report& report) {
  std::vector<Setting> settings;
  for (const Setting& setting : kSettings) {
    if (context.data.has(setting.data)) settings.push_back(setting);
  }
  const std::vector<Optimum> optima = find_optima(context, settings);
  const std::vector<Trained> references = references_of(context, settings);
  Table table = distance_table(), spreads = distance_spread_table();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    Plan plan = plan_of(settings[i], optima[i]);
    for (Group& group : plan.groups) {
      const CellsOfRow cells = {{"problem", problem_of(settings[i])}, {"method", group.name}};
      group.grid = with_saved_step(context, cells, group.grid);
    }
    std::vector<Trained> best = best_of(settings[i], train_beyond(context, plan));
    report.options[settings[i].file] = to_json(plan);
    for (const Trained& reference : references) {
      if (reference.data == settings[i].data) best.push_back(reference);
    }
    add_setting(settings[i], optima[i], best, report, table);
    add_spread(context, settings[i], optima[i], best, spreads);
    if (settings[i].timed) add_seconds(context, settings[i], optima[i], best, report);
  }
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(spreads));
}

}  // namespace thresh::experiments
