#include "duchi/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
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
struct Ball {
  std::string radius;
  std::string projected, eg;  // grids
};
// EG may have the best schedule. With few rows a step, eta/t was the best nowhere in smaller runs.
struct Part {
  std::string name, file, title, grid, schedules;
  std::vector<Ball> balls;
  std::uint64_t points;
};
const std::vector<Part> kParts = {
    {"all rows",
     "7-batch",
     "left",
     " batch=0 passes=20",
     " schedule=constant,sqrt,inverse",
     {{"10", " eta=10,100,1000", " eta=100,1000,10000"},
      {"100", " eta=1,10,100", " eta=100,1000,10000"},
      {"1000", " eta=1,10,100", " eta=10,100,1000"}},
     5},
    {"1%",
     "7-stochastic",
     "right",
     " batch=600 passes=6",
     " schedule=constant,sqrt",
     {{"10", " eta=10,100,1000", " eta=100,1000,10000"},
      {"100", " eta=10,100,1000", " eta=10,100,1000"},
      {"1000", " eta=10,100,1000", " eta=1,10,100"}},
     10},
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

// All runs are one plan, so that none waits for another.
Plan plan_of(const Context& context) {
  Plan plan;
  const Options base = base_of(write_feature_labels(context, kDigits));
  for (const Part& part : kParts) {
    for (const Ball& ball : part.balls) {
      const auto add = [&](const char* method, const char* solver, const std::string& grid) {
        const CellsOfRow cells = {
            {"rows a step", part.name}, {"radius", ball.radius}, {"method", method}};
        Group group{name_of(method, part, ball.radius), {kDigits}, solver, "", base};
        group.grid = "radius=" + ball.radius + with_saved_step(context, cells, grid + part.grid);
        group.points = part.points;
        plan.groups.push_back(group);
      };
      add("EG", "eg", ball.eg + part.schedules);
      add("projected", "projected-sgd", ball.projected);
    }
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

std::vector<BestRun> best_of(const std::vector<Trained>& runs) {
  std::vector<BestRun> best;
  for (const Part& part : kParts) {
    for (const Ball& ball : part.balls) {
      for (const char* method : {"projected", "EG"}) {
        const auto of_method = select(runs, kDigits, {}, name_of(method, part, ball.radius));
        best.push_back({&part, ball.radius, method, *smallest(of_method, "objective")});
      }
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
  const auto& examples = run.curve("examples");
  const auto past = std::ranges::lower_bound(examples, examples.back() / 4) - examples.begin();
  return {loss[static_cast<std::size_t>(past)], loss.back(), run.last("valid_error"),
          1 - run.last("nonzeros") / static_cast<double>(10 * features)};
}

Table digits_table() {
  return {"digits",
          "Figure 7: the best of the step sizes of each method",
          {"rows a step", "radius", "method", "step size", "gradient steps",
           "loss at the first point past a quarter", "loss at the end", "test error",
           "share of weights that are zero"},
          {}};
}

Table digits_spread_table() {
  return {"digits-spreads",
          "Figure 7: repetitions with the step sizes of the table before",
          {"rows a step", "radius", "method", "step size", "runs",
           "loss at the first point past a quarter, mean", "deviation", "loss at the end, mean",
           "deviation", "test error, mean", "deviation", "share of weights that are zero, mean",
           "deviation"},
          {}};
}

Table all_runs_table(const DataSet& data, const std::vector<Trained>& runs) {
  Table table{"digits-all",
              "Figure 7: every radius and step size",
              {"method", "settings", "loss at the first point past a quarter", "loss at the end",
               "test error", "share of weights that are zero"},
              {},
              {"method", "settings"}};
  for (const Trained& run : runs) {
    const Results results = results_of(run, data.features);
    table.rows.push_back({run.name, as_words(run.settings), results.quarter, results.end,
                          results.error, results.zeros});
  }
  return table;
}

void add_best(const DataSet& data, const std::vector<BestRun>& best, Report& report, Table& table) {
  for (std::size_t i = 0; i < best.size(); ++i) {
    const auto& [part, radius, method, run] = best[i];
    if (i == 0 || part != best[i - 1].part || radius != best[i - 1].radius) {
      report.figures.push_back({part->file + (radius == "100" ? "" : "-" + radius),
                                fmt::format("Figure 7, {}: MNIST, {} a step, radius {}",
                                            part->title, part->name, radius),
                                "gradient steps",
                                "multiclass logistic loss",
                                true,
                                true,
                                {}});
    }
    Series series = run.series("examples", "objective");
    for (double& x : series.x) x /= best[i].batch(data);
    series.name = fmt::format("{}, eta {}", method, best[i].step());
    report.figures.back().series.push_back(std::move(series));
    const Results results = results_of(run, data.features);
    table.rows.push_back({part->name, radius, method, best[i].step(),
                          run.last("examples") / best[i].batch(data), results.quarter, results.end,
                          results.error, results.zeros});
  }
}

// The best runs once more, with other similarities and in other orders.
void add_spread(const Context& context, const std::vector<BestRun>& best, Table& table) {
  Plan plan;
  std::vector<std::vector<Results>> found(best.size());
  for (std::uint64_t k = 2; k <= kRepetitionsOfBest; ++k) {
    const std::string data = repeated_data(kDigits, k);
    if (!context.data.has(data)) continue;
    const Options base = base_of(write_feature_labels(context, data));
    for (const BestRun& one : best) {
      plan.groups.push_back({one.run.name,
                             {data},
                             one.run.solver,
                             as_grid(one.run.settings),
                             base,
                             {k},
                             one.part->points});
    }
  }
  const std::vector<Trained> again = train(context, plan);
  for (std::size_t i = 0; i < best.size(); ++i) {
    found[i].push_back(results_of(best[i].run, context.data.get(kDigits).features));
    for (std::size_t k = i; k < again.size(); k += best.size()) {
      found[i].push_back(results_of(again[k], context.data.get(again[k].data).features));
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    std::vector<Json> row = {best[i].part->name, best[i].radius, best[i].method, best[i].step(),
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
  Plan plan = plan_of(context);
  const DataSet& data = context.data.get(kDigits);
  const std::vector<Trained> runs = train_beyond(context, plan);
  const std::vector<BestRun> best = best_of(runs);
  report.options["7"] = to_json(plan);
  Table table = digits_table(), spreads = digits_spread_table();
  add_best(data, best, report, table);
  add_spread(context, best, spreads);
  report.tables.push_back(std::move(table));
  report.tables.push_back(std::move(spreads));
  report.tables.push_back(all_runs_table(data, runs));
}

}  // namespace thresh::experiments
