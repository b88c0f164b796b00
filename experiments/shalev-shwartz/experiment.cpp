// Shalev-Shwartz & Tewari, "Stochastic methods for l1-regularized loss minimization", JMLR 12
// (2011), section 4: objective and density against data accesses, Figures 1-8, and Table 1.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/experiment.hpp"
#include "thresh/generate.hpp"

namespace thresh::experiments {
namespace {

// What is run. A pass of scd, smidas or truncated-gradient reads every stored value at most twice;
// a step of gcd on dense data reads every value once, so it gets two steps for each pass of the
// others. As in the paper there is no intercept, rows are drawn with replacement, and steps of
// coordinates are by the bound 1/4 of all columns; the bound of each column, which is the default
// here, is run beside it. Step sizes are chosen with one seed, and what they give is run with five.
const std::vector<std::string> kFewRows = {"duke", "arcene"};
const std::vector<std::string> kManyRows = {"magic04s", "magic04d"};
const std::string kLambdas = "lambda=1e-6,1e-2 intercept=false ";
const std::string kFewPasses = " passes=5", kManyPasses = " passes=100";
const Plan kPlan = {{
    {"scd", kFewRows, "scd", kLambdas + "curvature=global" + kManyPasses},
    {"cyclic", kFewRows, "cd", kLambdas + "curvature=global" + kManyPasses},
    {"scd, column bounds", kFewRows, "scd", kLambdas + kManyPasses},
    {"gcd", kFewRows, "gcd", kLambdas + "curvature=global steps=200"},
    {"smidas", kFewRows, "smidas",
     kLambdas + "eta=1e-3,1e-2,5e-2,1e-1,5e-1,1,5,10,50,100" + kManyPasses, drawn_rows()},
    {"truncated-gradient", kFewRows, "truncated-gradient",
     kLambdas + "eta=5e-5,1e-4,5e-4,1e-3,5e-3,1e-2,5e-2,1e-1,5e-1" + kManyPasses, drawn_rows()},
    {"optimum", kFewRows, "l1", kLambdas + "passes=0"},
    {"scd", kManyRows, "scd", kLambdas + "curvature=global" + kFewPasses},
    {"cyclic", kManyRows, "cd", kLambdas + "curvature=global" + kFewPasses},
    {"scd, column bounds", kManyRows, "scd", kLambdas + kFewPasses},
    {"gcd", kManyRows, "gcd", kLambdas + "curvature=global steps=10"},
    {"smidas", kManyRows, "smidas",
     kLambdas + "eta=1e-4,1e-3,5e-3,1e-2,5e-2,1e-1,5e-1" + kFewPasses, drawn_rows()},
    {"truncated-gradient", kManyRows, "truncated-gradient",
     kLambdas + "eta=1e-5,5e-5,1e-4,5e-4,1e-3,1e-2,5e-2" + kFewPasses, drawn_rows()},
    {"optimum", kManyRows, "l1", kLambdas + "passes=0"},
}};
const std::vector<std::uint64_t> kSeeds = {1, 2, 3, 4, 5};

const std::vector<std::string> kSolvers = {"scd", "cyclic", "scd, column bounds",
                                           "gcd", "smidas", "truncated-gradient"};

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

bool is_random(const std::string& solver) {
  return solver != "cd" && solver != "gcd" && solver != "l1";
}

// Of all step sizes the one with the smallest objective at the end, with all seeds.
Plan chosen(const std::vector<Trained>& tried) {
  Plan plan;
  for (const Group& group : kPlan.groups) {
    for (const std::string& data : group.data) {
      for (const char* lambda : {"1e-6", "1e-2"}) {
        const auto of_group = select(tried, data, {{"lambda", lambda}}, group.name);
        const Trained* best = smallest(of_group, "objective");
        if (best == nullptr) continue;
        Group one{group.name, {data}, group.solver, as_grid(best->settings), group.base};
        if (is_random(group.solver)) one.seeds = kSeeds;
        plan.groups.push_back(std::move(one));
      }
    }
  }
  return plan;
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
    const Trained mean = mean_of(select(runs, setting.data, {{"lambda", setting.lambda}}, solver));
    figure.series.push_back(mean.series("accesses", what));
    longest = std::max(longest, mean.last("accesses"));
    if (!mean.setting("eta").empty()) figure.series.back().name += ", eta " + mean.setting("eta");
  }
  const auto exact = select(runs, setting.data, {{"lambda", setting.lambda}}, "optimum");
  const double first = figure.series.front().x.front();
  figure.series.push_back({"optimum", {first, longest}, {}, true});
  figure.series.back().y.assign(2, exact.front().last(what));
  return figure;
}

// Accesses until the objective is for the first time within this share of the optimum. NaN: never.
double accesses_to(const Trained& run, double optimum, double share) {
  const auto& objective = run.curve("objective");
  for (std::size_t i = 0; i < objective.size(); ++i) {
    if (objective[i] <= (1 + share) * optimum) return run.curve("accesses")[i];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Table step_sizes() {
  return {"step-sizes",
          "Table 1: step sizes with the smallest objective",
          {"data", "lambda", "smidas", "paper", "truncated-gradient", "paper "},
          {}};
}

Table ends() {
  return {"ends",
          "At the end of the runs, and on the way: means over the seeds, and their spread",
          {"data", "lambda", "solver", "seeds", "objective", "its deviation", "least", "most",
           "over the optimum", "non-zeros", "above a millionth of the largest", "accesses",
           "accesses to 10% over the optimum", "its least", "its most", "accesses to 1%",
           "least of them", "most of them"},
          {}};
}

// Mean, least and most; nothing if not all of the runs got there.
void add_accesses(const std::vector<Trained>& runs, double optimum, double share,
                  std::vector<Json>& row) {
  std::vector<double> accesses;
  for (const Trained& run : runs) accesses.push_back(accesses_to(run, optimum, share));
  const Spread spread = spread_of(accesses);
  for (const double value : {spread.mean, spread.least, spread.most}) {
    row.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
  }
}

std::vector<Json> end_row(const Setting& setting, const std::string& solver,
                          const std::vector<Trained>& runs, double optimum) {
  const Spread objective = spread_of(runs, "objective");
  std::vector<double> weighty;
  for (const Trained& run : runs) weighty.push_back(static_cast<double>(run.weighty));
  std::vector<Json> row = {setting.data,
                           setting.lambda,
                           solver,
                           runs.size(),
                           objective.mean,
                           objective.deviation,
                           objective.least,
                           objective.most,
                           fmt::format("{:.1f}%", 100 * (objective.mean / optimum - 1)),
                           spread_of(runs, "nonzeros").mean,
                           spread_of(weighty).mean,
                           spread_of(runs, "accesses").mean};
  add_accesses(runs, optimum, 0.1, row);
  add_accesses(runs, optimum, 0.01, row);
  return row;
}

void add_rows(const Setting& setting, const std::vector<Trained>& runs, Table& steps, Table& end) {
  const Settings lambda = {{"lambda", setting.lambda}};
  const auto exact = select(runs, setting.data, lambda, "optimum");
  const double optimum = exact.front().last("objective");
  std::vector<Json> step = {setting.data, setting.lambda};
  for (const std::string& solver : kSolvers) {
    const auto of_solver = select(runs, setting.data, lambda, solver);
    end.rows.push_back(end_row(setting, solver, of_solver, optimum));
    if (of_solver.front().setting("eta").empty()) continue;
    step.emplace_back(of_solver.front().number("eta"));
    step.emplace_back(solver == "smidas" ? setting.smidas : setting.truncated_gradient);
  }
  steps.rows.push_back(std::move(step));
  end.rows.push_back(end_row(setting, "optimum", exact, optimum));
}

Report run(const Context& context) {
  const Plan shown = chosen(train(context, kPlan));
  const std::vector<Trained> runs = train(context, shown);
  Report report{{{"tried", to_json(kPlan)}, {"shown", to_json(shown)}}, {}, {step_sizes(), ends()}};
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
