#include "duchi/digits.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "common/beyond.hpp"
#include "common/mnist.hpp"
#include "common/tuned.hpp"
#include "duchi/repeats.hpp"
#include "duchi/similarities.hpp"
#include "thresh/files.hpp"

namespace thresh::experiments {
namespace {

// What is run: softmax over the classes, weights that are not negative, in a ball each. Step sizes
// beyond these are tried while the best is at an end.
const std::string kDigits = "digits";
const std::vector<std::string> kRadii = {"10", "100", "1000"};
struct Part {
  std::string name, file, title;
  std::string projected, eg;  // grids
  std::uint64_t points;
};
const std::vector<Part> kParts = {
    {"all rows", "7-batch", "left", " eta=10,100,1000 batch=0 passes=20",
     " eta=100,1000,10000 batch=0 passes=20 schedule=constant,sqrt,inverse", 5},
    {"1%", "7-stochastic", "right", " eta=10,100,1000 batch=100 passes=6",
     " eta=100,1000,10000 batch=100 passes=6 schedule=constant,sqrt,inverse", 10},
};

// The class that each feature speaks for: features are similarities to the first rows.
std::string write_feature_labels(const Context& context, const std::string& name) {
  const DataSet& data = context.data.get(name);
  std::string text;
  std::uint64_t written = 0;
  for (std::size_t k = 0; written < data.features; ++k) {
    for (const double label : data.problem.train->block(k)->labels) {
      if (written++ < data.features) text += fmt::format("{}\n", label);
    }
  }
  std::filesystem::create_directories(context.work);
  const std::string path = fmt::format("{}/feature-labels-{}.txt", context.work, name);
  AtomicFile file(path);
  file.write(text);
  file.commit();
  return path;
}

std::string name_of(const char* method, const Part& part, const std::string& radius) {
  return fmt::format("{}, {}, radius {}", method, part.name, radius);
}

Options base_of(const std::string& feature_labels) {
  Options base;
  base.intercept = false;
  base.multiclass = Multiclass::softmax;
  base.solver_options["non-negative"] = "true";
  base.feature_labels_file = feature_labels;
  return base;
}

Plan plan_of(const Context& context, const Part& part, const std::string& feature_labels) {
  Plan plan;
  plan.points = part.points;
  const Options base = base_of(feature_labels);
  for (const std::string& radius : kRadii) {
    const auto add = [&](const char* method, const char* solver, const std::string& grid) {
      const CellsOfRow cells = {{"rows a step", part.name}, {"radius", radius}, {"method", method}};
      plan.groups.push_back({name_of(method, part, radius),
                             {kDigits},
                             solver,
                             "radius=" + radius + with_saved_step(context, cells, grid),
                             base});
    };
    add("projected", "projected-sgd", part.projected);
    add("EG", "eg", part.eg);
  }
  return plan;
}

// The best run of a method in a ball.
struct BestRun {
  const Part* part;
  std::string radius, method;
  Trained run;

  double batch(const DataSet& data) const {
    const double given = run.number("batch");
    return given == 0 ? static_cast<double>(data.rows) : given;
  }
  std::string step() const {
    const std::string schedule = run.setting("schedule");
    return run.setting("eta") + (schedule.empty() ? "" : ", " + schedule);
  }
};

std::vector<BestRun> best_of(const Part& part, const std::vector<Trained>& runs) {
  std::vector<BestRun> best;
  for (const std::string& radius : kRadii) {
    for (const char* method : {"projected", "EG"}) {
      const auto of_method = select(runs, kDigits, {}, name_of(method, part, radius));
      best.push_back({&part, radius, method, *smallest(of_method, "objective")});
    }
  }
  return best;
}

// What the tables show of a run.
struct Results {
  double quarter, end, error, zeros;
};
Results results_of(const Trained& run, std::uint64_t features) {
  const auto& loss = run.curve("objective");
  return {loss[loss.size() / 4], loss.back(), run.last("valid_error"),
          1 - run.last("nonzeros") / static_cast<double>(10 * features)};
}

Table digits_table() {
  return {"digits",
          "Figure 7: the best of the step sizes of each method",
          {"rows a step", "radius", "method", "step size", "gradient steps",
           "loss after a quarter of them", "loss at the end", "test error",
           "share of weights that are zero"},
          {}};
}

Table digits_spread_table() {
  return {
      "digits-spreads",
      "Figure 7: repetitions with the step sizes of the table before",
      {"rows a step", "radius", "method", "step size", "runs",
       "loss after a quarter of the steps, mean", "deviation", "loss at the end, mean", "deviation",
       "test error, mean", "deviation", "share of weights that are zero, mean", "deviation"},
      {}};
}

void add_part(const DataSet& data, const Part& part, const std::vector<BestRun>& best,
              Report& report, Table& table) {
  for (const std::string& radius : kRadii) {
    Figure figure{
        part.file + (radius == "100" ? "" : "-" + radius),
        fmt::format("Figure 7, {}: MNIST, {} a step, radius {}", part.title, part.name, radius),
        "gradient steps",
        "multiclass logistic loss",
        true,
        true,
        {}};
    for (const BestRun& one : best) {
      if (one.radius != radius) continue;
      Series series = one.run.series("examples", "objective");
      for (double& x : series.x) x /= one.batch(data);
      const Results results = results_of(one.run, data.features);
      table.rows.push_back({part.name, radius, one.method, one.step(),
                            one.run.last("examples") / one.batch(data), results.quarter,
                            results.end, results.error, results.zeros});
      series.name = fmt::format("{}, eta {}", one.method, one.step());
      figure.series.push_back(std::move(series));
    }
    report.figures.push_back(std::move(figure));
  }
}

// The best runs once more, on other digits and in other orders.
void add_spread(const Context& context, const Part& part, const std::vector<BestRun>& best,
                Table& table) {
  std::vector<std::vector<Results>> found;
  for (const BestRun& one : best) {
    found.push_back({results_of(one.run, context.data.get(kDigits).features)});
  }
  for (std::uint64_t k = 2; k <= kRepetitionsOfBest; ++k) {
    const std::string data = repeated_data(kDigits, k);
    if (!context.data.has(data)) continue;
    Plan plan;
    plan.points = part.points;
    plan.seeds = {k};
    const Options base = base_of(write_feature_labels(context, data));
    for (const BestRun& one : best) {
      plan.groups.push_back(
          {one.run.name, {data}, one.run.solver, as_grid(one.run.settings), base});
    }
    const std::vector<Trained> again = train(context, plan);
    for (std::size_t i = 0; i < again.size(); ++i) {
      found[i].push_back(results_of(again[i], context.data.get(data).features));
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    std::vector<Json> row = {part.name, best[i].radius, best[i].method, best[i].step(),
                             found[i].size()};
    for (double Results::*what :
         {&Results::quarter, &Results::end, &Results::error, &Results::zeros}) {
      std::vector<double> values;
      for (const Results& one : found[i]) values.push_back(one.*what);
      const Spread spread = spread_of(values);
      row.insert(row.end(), {Json(spread.mean), Json(spread.deviation)});
    }
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<DataSpec> digits_data() {
  std::vector<DataSpec> data;
  for (std::uint64_t k = 1; k <= kRepetitionsOfBest; ++k) {
    data.push_back({repeated_data(kDigits, k), kMnistFiles,
                    [k](const std::string& folder) { return load_similarities(folder, k); },
                    [k] { return similarities_stand_in(k); }});
  }
  return data;
}

void add_digits(const Context& context, Report& report) {
  if (!context.data.has(kDigits)) return;
  const std::string feature_labels = write_feature_labels(context, kDigits);
  Table table = digits_table(), spreads = digits_spread_table();
  for (const Part& part : kParts) {
    Plan plan = plan_of(context, part, feature_labels);
    const std::vector<BestRun> best = best_of(part, train_beyond(context, plan));
    report.options[part.file] = to_json(plan);
    add_part(context.data.get(kDigits), part, best, report, table);
    add_spread(context, part, best, spreads);
  }
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(spreads));
}

}  // namespace thresh::experiments
