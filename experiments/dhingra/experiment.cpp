// Dhingra, Shen & Kleene, "Learning large scale sparse models": the Lasso by batch, mini-batch and
// online methods; Table 2 and Figures 1-7.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/experiment.hpp"
#include "common/mnist.hpp"
#include "dhingra/gisette.hpp"

namespace thresh::experiments {
namespace {

// What is run: squared loss without intercept, on rows of unit length, for which the paper's steps
// 1/sqrt(t) and 1/t need no other factor. Rows are drawn with replacement, as in its Algorithms 3
// to 5. What is random has five seeds.
const std::vector<std::string> kData = {"gisette"};
const std::string kLambdas = "lambda=1e-5,1e-4,1e-3,1e-2,1e-1,100";
const std::string kMoreLambdas = "lambda=1e-5,1e-4,3e-4,1e-3,3e-3,1e-2,3e-2,1e-1,1,100";
const std::string kShared = " loss=squared passes=10 intercept=false";
const std::vector<std::uint64_t> kSeeds = {1, 2, 3, 4, 5};
const Plan kPlan = {
    {
        {"fobos", kData, "fobos", kLambdas + " eta=1" + kShared, drawn_rows(), kSeeds},
        {"fobos rounds", kData, "fobos", kLambdas + " eta=1 rounds=true" + kShared, drawn_rows(),
         kSeeds},
        {"fobos mini-batch", kData, "fobos", kLambdas + " eta=1 batch=20" + kShared, drawn_rows(),
         kSeeds},
        {"coordinate descent", kData, "cd", kMoreLambdas + kShared},
        {"full subgradient", kData, "subgradient",
         kLambdas + " eta=1 batch=0 loss=squared passes=100 intercept=false"},
        {"stochastic subgradient", kData, "subgradient", kLambdas + " eta=1 batch=1" + kShared,
         drawn_rows(), kSeeds},
        {"mini-batch subgradient", kData, "subgradient", kLambdas + " eta=1 batch=20" + kShared,
         drawn_rows(), kSeeds},
        {"rda", kData, "rda", kLambdas + " gamma=1" + kShared, drawn_rows(), kSeeds},
        {"l0-sgd", kData, "l0-sgd", "features=20,50,100,200,400,500 eta=1" + kShared, drawn_rows(),
         kSeeds},
    },
    {1},  // seeds of what is not random
    40,   // points of a curve
};

// The first 2,000 rows, looked at every ten, or after every batch.
const std::string kFirst = "lambda=1e-5,1e-2 eta=1 loss=squared intercept=false";
const std::string kRows = " steps=2000", kBatches = " batch=20 steps=100";
const Plan kFirstRows = {
    {
        {"fobos", kData, "fobos", kFirst + kRows, drawn_rows()},
        {"fobos rounds", kData, "fobos", kFirst + " rounds=true" + kRows, drawn_rows()},
        {"fobos mini-batch", kData, "fobos", kFirst + kBatches, drawn_rows()},
        {"stochastic subgradient", kData, "subgradient", kFirst + " batch=1" + kRows, drawn_rows()},
        {"mini-batch subgradient", kData, "subgradient", kFirst + kBatches, drawn_rows()},
        {"l0-sgd", kData, "l0-sgd", "features=400 eta=1 loss=squared intercept=false" + kRows,
         drawn_rows()},
    },
    kSeeds,
    200,
};

// Table 2 of the paper, and the figure that shows how an algorithm converges. The paper has no
// results of full subgradients, and of RDA only a claim.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
struct Algorithm {
  const char* name;
  int figure;  // 0: none
  double accuracy, density;
  const char* parameter;
};
const std::vector<Algorithm> kAlgorithms = {
    {"fobos", 3, 0.9690, 0.9910, "1e-5"},
    {"fobos rounds", 2, 0.9700, 0.9910, "1e-5"},
    {"fobos mini-batch", 6, 0.9680, 0.9906, "1e-5"},
    {"coordinate descent", 0, 0.9350, 0.0738, "1e-2"},
    {"full subgradient", 0, kNone, kNone, ""},
    {"stochastic subgradient", 4, 0.8810, 0.9910, "1e-5"},
    {"mini-batch subgradient", 7, 0.8860, 0.9910, "1e-5"},
    {"rda", 0, kNone, kNone, ""},
    {"l0-sgd", 5, 0.9470, 0.0800, "K = 400"},
};

void to_unit_length(Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double square = 0;
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      square += rows.values[k] * rows.values[k];
    }
    for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
      rows.values[k] /= std::sqrt(square);
    }
  }
}

DataSet unit_rows(std::pair<Rows, Rows> parts) {
  to_unit_length(parts.first);
  to_unit_length(parts.second);
  return make_data(parts.first, parts.second);
}

std::string parameter(const Trained& run) {
  return run.solver == "l0-sgd" ? "K = " + run.setting("features") : run.setting("lambda");
}

// The runs of one algorithm with one lambda or K.
using Setting = std::vector<Trained>;

std::vector<Setting> by_setting(const std::vector<Trained>& runs) {
  std::vector<Setting> settings;
  for (const Trained& run : runs) {
    if (settings.empty() || settings.back().front().settings != run.settings) {
      settings.emplace_back();
    }
    settings.back().push_back(run);
  }
  return settings;
}

// At how many of the points of a curve its objective is higher than at the one before.
double share_of_rises(const Trained& run) {
  const auto& objective = run.curve("objective");
  double rises = 0;
  for (std::size_t i = 1; i < objective.size(); ++i) rises += objective[i] > objective[i - 1];
  return rises / std::max(1.0, static_cast<double>(objective.size()) - 1);
}

Json or_null(double value) {
  return std::isnan(value) ? Json(nullptr) : Json(value);
}

class Summary {
 public:
  Summary(const Context& context, const std::vector<Trained>& runs)
      : runs_(runs), features_(static_cast<double>(context.data.get("gisette").features)) {}

  double density(const Setting& runs) const { return spread_of(runs, "nonzeros").mean / features_; }
  static Spread accuracy(const Setting& runs) {
    Spread error = spread_of(runs, "valid_error");
    error.mean = 1 - error.mean;
    return error;
  }
  std::vector<Setting> of(const std::string& name) const {
    return by_setting(select(runs_, "gisette", {}, name));
  }

  // Of a value over lambda, one line an algorithm.
  template <class Value>
  Figure over_lambda(const std::string& file, const std::string& title, const std::string& y,
                     const Value& value) const {
    Figure figure{file, title, "lambda", y, true, false, {}};
    for (const Algorithm& algorithm : kAlgorithms) {
      if (std::string(algorithm.name) == "l0-sgd") continue;
      Series series{algorithm.name, {}, {}};
      for (const Setting& runs : of(algorithm.name)) {
        series.x.push_back(runs.front().number("lambda"));
        series.y.push_back(value(runs));
      }
      figure.series.push_back(std::move(series));
    }
    return figure;
  }

  // One seed, because a mean would hide how much a run varies. Larger penalties than these keep all
  // weights at zero, or, by subgradients, far from it.
  Figure convergence(const Algorithm& algorithm, const std::string& which = "") const {
    Figure figure;
    figure.file = fmt::format("{}{}", algorithm.figure, which.empty() ? "" : "-first");
    figure.title = fmt::format("Figure {}: {}{}", algorithm.figure, algorithm.name, which);
    figure.x = "rows visited";
    figure.y = "objective";
    figure.log_y = !which.empty();
    for (const Setting& runs : of(algorithm.name)) {
      const Trained& run = runs.front();
      const bool k = run.solver == "l0-sgd";
      if (!k && run.number("lambda") > 0.1) continue;
      figure.series.push_back(run.series("examples", "objective"));
      figure.series.back().name = k ? parameter(run) : "lambda " + parameter(run);
    }
    return figure;
  }

  // The most accurate setting of each, and the most accurate of those with at most a tenth of the
  // features.
  Table table() const {
    Table table{"table2",
                "Table 2: the most accurate models of each algorithm, and the most accurate with "
                "at most 10% of the features; means over the seeds",
                {"algorithm", "seeds", "accuracy", "its deviation", "density", "lambda or K",
                 "paper: accuracy", "paper: density", "paper: lambda or K", "sparse: accuracy",
                 "sparse: its deviation", "sparse: density", "sparse: lambda or K"},
                {}};
    for (const Algorithm& algorithm : kAlgorithms) {
      const auto all = of(algorithm.name);
      std::vector<Setting> sparse;
      for (const Setting& runs : all) {
        if (density(runs) <= 0.1) sparse.push_back(runs);
      }
      std::vector<Json> row = {algorithm.name, all.front().size()};
      add_best(all, row);
      row.insert(row.end(),
                 {or_null(algorithm.accuracy), or_null(algorithm.density), algorithm.parameter});
      add_best(sparse, row);
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  // Where the curves end, and how often they rise.
  Table curves(const std::string& file, const std::string& title) const {
    Table table{file,
                title,
                {"algorithm", "lambda or K", "seeds", "objective", "its deviation", "accuracy",
                 "its deviation ", "density", "share of points where it rises",
                 "least over the seeds", "most over the seeds"},
                {}};
    for (const Algorithm& algorithm : kAlgorithms) {
      for (const Setting& runs : of(algorithm.name)) {
        const Spread objective = spread_of(runs, "objective"), right = accuracy(runs);
        std::vector<double> rises;
        for (const Trained& run : runs) rises.push_back(share_of_rises(run));
        const Spread rising = spread_of(rises);
        table.rows.push_back({algorithm.name, parameter(runs.front()), runs.size(),
                              or_null(objective.mean), or_null(objective.deviation),
                              or_null(right.mean), or_null(right.deviation), density(runs),
                              rising.mean, rising.least, rising.most});
      }
    }
    return table;
  }

 private:
  void add_best(const std::vector<Setting>& settings, std::vector<Json>& row) const {
    std::vector<double> errors;
    for (const Setting& runs : settings) errors.push_back(spread_of(runs, "valid_error").mean);
    if (errors.empty()) {
      row.insert(row.end(), {nullptr, nullptr, nullptr, nullptr});
    } else {
      const Setting& best = settings[smallest_of(errors)];
      row.insert(row.end(), {accuracy(best).mean, accuracy(best).deviation, density(best),
                             parameter(best.front())});
    }
  }

  const std::vector<Trained>& runs_;
  double features_;
};

Report run(const Context& context) {
  const std::vector<Trained> runs = train(context, kPlan), first = train(context, kFirstRows);
  const Summary summary(context, runs), beginning(context, first);
  Report report{{{"whole", to_json(kPlan)}, {"first rows", to_json(kFirstRows)}},
                {},
                {summary.table(), summary.curves("curves", "Figures 1-7: ends of the runs"),
                 beginning.curves("first-rows", "The first 2,000 rows")}};
  report.figures.push_back(
      summary.over_lambda("1", "Figure 1: density over lambda", "share of features with a weight",
                          [&](const Setting& of_one) { return summary.density(of_one); }));
  report.figures.push_back(
      summary.over_lambda("1-accuracy", "Beside Figure 1: accuracy over lambda", "test accuracy",
                          [&](const Setting& of_one) { return Summary::accuracy(of_one).mean; }));
  for (int number = 2; number <= 7; ++number) {
    for (const Algorithm& algorithm : kAlgorithms) {
      if (algorithm.figure != number) continue;
      report.figures.push_back(summary.convergence(algorithm));
      report.figures.push_back(beginning.convergence(algorithm, ", the first 2,000 rows"));
    }
  }
  return report;
}

}  // namespace

Experiment dhingra() {
  return {"dhingra",
          "Learning large scale sparse models",
          {{"gisette", kMnistFiles,
            [](const std::string& folder) { return unit_rows(gisette_recipe(folder)); },
            [] { return unit_rows(split(gaussian_rows(400, 600, 1), 300)); }}},
          run};
}

}  // namespace thresh::experiments
