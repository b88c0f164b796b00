// Shalev-Shwartz & Tewari, "Stochastic methods for l1-regularized loss minimization", JMLR 12
// (2011), section 4: objective and density against data accesses, Figures 1-8, and Table 1.

#include <fmt/format.h>

#include <algorithm>

#include "common/experiment.hpp"
#include "thresh/generate.hpp"

namespace thresh::experiments {
namespace {

// What is run. A pass of scd, smidas or truncated-gradient reads every stored value at most twice;
// a step of gcd on dense data reads every value once, so it gets two steps for each pass of the
// others. The paper has no intercept, and steps of coordinates by the bound 1/4 of all columns; the
// bound of each column, which is the default here, is run beside it.
const std::vector<std::string> kFewRows = {"duke", "arcene"};
const std::vector<std::string> kManyRows = {"magic04s", "magic04d"};
const Plan kPlan = {{
    {"scd", kFewRows, "scd", "lambda=1e-6,1e-2 passes=100 curvature=global intercept=false"},
    {"scd, column bounds", kFewRows, "scd", "lambda=1e-6,1e-2 passes=100 intercept=false"},
    {"gcd", kFewRows, "gcd", "lambda=1e-6,1e-2 steps=200 curvature=global intercept=false"},
    {"smidas", kFewRows, "smidas",
     "lambda=1e-6,1e-2 eta=1e-3,1e-2,1e-1,1,10,50 passes=100 intercept=false"},
    {"truncated-gradient", kFewRows, "truncated-gradient",
     "lambda=1e-6,1e-2 eta=5e-5,1e-4,5e-4,1e-3,5e-3,1e-2,5e-2,1e-1 passes=100 intercept=false"},
    {"optimum", kFewRows, "l1", "lambda=1e-6,1e-2 passes=0 intercept=false"},
    {"scd", kManyRows, "scd", "lambda=1e-6,1e-2 passes=5 curvature=global intercept=false"},
    {"scd, column bounds", kManyRows, "scd", "lambda=1e-6,1e-2 passes=5 intercept=false"},
    {"gcd", kManyRows, "gcd", "lambda=1e-6,1e-2 steps=10 curvature=global intercept=false"},
    {"smidas", kManyRows, "smidas",
     "lambda=1e-6,1e-2 eta=1e-4,1e-3,1e-2,1e-1 passes=5 intercept=false"},
    {"truncated-gradient", kManyRows, "truncated-gradient",
     "lambda=1e-6,1e-2 eta=1e-5,1e-4,5e-4,1e-3,1e-2 passes=5 intercept=false"},
    {"optimum", kManyRows, "l1", "lambda=1e-6,1e-2 passes=0 intercept=false"},
}};

const std::vector<std::string> kSolvers = {"scd", "scd, column bounds", "gcd", "smidas",
                                           "truncated-gradient"};

// The figures of the paper and the step sizes of its Table 1.
struct Setting {
  int figure;
  const char* data;
  const char* lambda;
  double smidas, truncated_gradient;
};
const std::vector<Setting> kSettings = {
    {1, "duke", "1e-6", 50, 1e-1},       {2, "arcene", "1e-6", 50, 1e-1},
    {3, "magic04s", "1e-6", 1e-2, 5e-4}, {4, "magic04d", "1e-6", 5e-3, 1e-4},
    {5, "duke", "1e-2", 1e-1, 1e-2},     {6, "arcene", "1e-2", 1e-2, 5e-5},
    {7, "magic04s", "1e-2", 1e-4, 5e-5}, {8, "magic04d", "1e-2", 1e-3, 1e-5},
};

constexpr std::uint64_t kRandomFeatures = 1000;

DataSet scaled(Rows rows) {
  scale_features(rows);
  return make_data(rows);
}

// The paper's 1,000 features without information: 0 or 1, one in twenty, or -1 or +1.
DataSet with_noise(Rows rows, std::uint64_t features, bool dense) {
  stretch_features(rows, features);
  NoiseFeatures noise({kRandomFeatures, dense, 1});
  Rows noisy;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      noisy.add(rows.indices[k], rows.values[k]);
    }
    noise.draw([&](std::uint64_t j, double value) { noisy.add(features + j, value); });
    noisy.end_row(rows.labels[i]);
  }
  return make_data(noisy);
}

DataSpec few_rows(const std::string& name, const std::string& file, std::uint64_t features) {
  return {name,
          {file},
          [file](const std::string& folder) { return scaled(read_rows(folder + "/" + file)); },
          [features] { return scaled(gaussian_rows(40, features, 1)); }};
}

DataSpec magic(const std::string& name, bool dense) {
  return {name,
          {"magic04.csv.xz"},
          [dense](const std::string& folder) {
            ReadOptions options;
            options.table.header = false;
            return with_noise(read_rows(folder + "/magic04.csv.xz", options), 10, dense);
          },
          [dense] { return with_noise(gaussian_rows(300, 10, 1), 10, dense); }};
}

// The run that is shown: of all step sizes the one with the smallest objective at the end.
const Trained* shown(const std::vector<Trained>& of_solver) {
  return smallest(of_solver, "objective");
}

// Objectives that fall by less than a power of ten are shown on a linear axis.
Figure curves(const Setting& setting, const std::vector<Trained>& runs, const std::string& what) {
  const bool objective = what == "objective";
  Figure figure;
  figure.file = fmt::format("{}-{}", setting.figure, what);
  figure.title = fmt::format("Figure {}: {}, lambda = {}, {}", setting.figure, setting.data,
                             setting.lambda, objective ? "objective" : "density");
  figure.x = "data accesses";
  figure.y = objective ? "objective" : "non-zero weights";
  figure.log_y = !objective || setting.figure <= 2;
  double longest = 0;
  for (const std::string& solver : kSolvers) {
    const auto of_solver = select(runs, setting.data, {{"lambda", setting.lambda}}, solver);
    const Trained* best = shown(of_solver);
    figure.series.push_back(best->series("accesses", what));
    longest = std::max(longest, best->last("accesses"));
    if (!best->setting("eta").empty()) {
      figure.series.back().name += ", eta " + best->setting("eta");
    }
  }
  const auto exact = select(runs, setting.data, {{"lambda", setting.lambda}}, "optimum");
  const double first = figure.series.front().x.front();
  figure.series.push_back({"optimum", {first, longest}, {}, true});
  figure.series.back().y.assign(2, exact.front().last(what));
  return figure;
}

// Accesses until the objective is for the first time within this share of the optimum.
Json accesses_to(const Trained& run, double optimum, double share) {
  const auto& objective = run.curve("objective");
  for (std::size_t i = 0; i < objective.size(); ++i) {
    if (objective[i] <= (1 + share) * optimum) return run.curve("accesses")[i];
  }
  return nullptr;
}

Table step_sizes() {
  return {"step-sizes",
          "Table 1: step sizes with the smallest objective",
          {"data", "lambda", "smidas", "paper", "truncated-gradient", "paper "},
          {}};
}

Table ends() {
  return {"ends",
          "At the end of the runs, and on the way",
          {"data", "lambda", "solver", "objective", "over the optimum", "non-zeros",
           "above a millionth of the largest", "accesses", "accesses to 10% over the optimum",
           "accesses to 1%"},
          {}};
}

void add_rows(const Setting& setting, const std::vector<Trained>& runs, Table& steps, Table& end) {
  const Settings lambda = {{"lambda", setting.lambda}};
  const Trained exact = select(runs, setting.data, lambda, "optimum").front();
  const double optimum = exact.last("objective");
  std::vector<Json> step = {setting.data, setting.lambda};
  for (const std::string& solver : kSolvers) {
    const auto of_solver = select(runs, setting.data, lambda, solver);
    const Trained& best = *shown(of_solver);
    const double objective = best.last("objective");
    end.rows.push_back({setting.data, setting.lambda, solver, objective,
                        fmt::format("{:.1f}%", 100 * (objective / optimum - 1)),
                        best.last("nonzeros"), best.weighty, best.last("accesses"),
                        accesses_to(best, optimum, 0.1), accesses_to(best, optimum, 0.01)});
    if (best.setting("eta").empty()) continue;
    step.emplace_back(best.number("eta"));
    step.emplace_back(solver == "smidas" ? setting.smidas : setting.truncated_gradient);
  }
  steps.rows.push_back(std::move(step));
  end.rows.push_back({setting.data, setting.lambda, "optimum", optimum, "", exact.last("nonzeros"),
                      exact.weighty, nullptr, nullptr, nullptr});
}

Report run(const Context& context) {
  const std::vector<Trained> runs = train(context, kPlan);
  Report report{to_json(kPlan), {}, {step_sizes(), ends()}};
  for (const Setting& setting : kSettings) {
    if (!context.data.has(setting.data)) continue;
    for (const char* what : {"objective", "nonzeros"}) {
      report.figures.push_back(curves(setting, runs, what));
    }
    add_rows(setting, runs, report.tables[0], report.tables[1]);
  }
  return report;
}

}  // namespace

Experiment shalev_shwartz() {
  return {"shalev-shwartz",
          "Stochastic methods for l1-regularized loss minimization",
          {few_rows("duke", "duke.svm.xz", 200), few_rows("arcene", "arcene_train.svm.xz", 300),
           magic("magic04s", false), magic("magic04d", true)},
          run};
}

}  // namespace thresh::experiments
