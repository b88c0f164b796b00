// Dhingra, Shen & Kleene, "Learning large scale sparse models": the Lasso by batch, mini-batch and
// online methods; Table 2 and Figures 1-7.

#include <fmt/format.h>

#include <cmath>

#include "common/experiment.hpp"
#include "common/mnist.hpp"
#include "dhingra/gisette.hpp"

namespace thresh::experiments {
namespace {

// What is run: squared loss without intercept, on rows of unit length, for which the paper's steps
// 1/sqrt(t) and 1/t need no other factor.
const std::vector<std::string> kData = {"gisette"};
const std::string kLambdas = "lambda=1e-5,1e-4,3e-4,1e-3,3e-3,1e-2,3e-2,1e-1,1,100";
const std::string kShared = " loss=squared passes=10 intercept=false";
const Plan kPlan = {
    {
        {"fobos", kData, "fobos", kLambdas + " eta=1" + kShared},
        {"fobos rounds", kData, "fobos", kLambdas + " eta=1 rounds=true" + kShared},
        {"fobos mini-batch", kData, "fobos", kLambdas + " eta=1 batch=20" + kShared},
        {"coordinate descent", kData, "cd", kLambdas + kShared},
        {"stochastic subgradient", kData, "subgradient", kLambdas + " eta=1 batch=1" + kShared},
        {"mini-batch subgradient", kData, "subgradient", kLambdas + " eta=1 batch=20" + kShared},
        {"l0-sgd", kData, "l0-sgd", "features=20,50,100,200,300,400,500 eta=1" + kShared},
    },
    {1},  // seeds
    40,   // points of a curve
};

// Table 2 of the paper, and the figure that shows how an algorithm converges.
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
    {"stochastic subgradient", 4, 0.8810, 0.9910, "1e-5"},
    {"mini-batch subgradient", 7, 0.8860, 0.9910, "1e-5"},
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

class Summary {
 public:
  Summary(const Context& context, const std::vector<Trained>& runs)
      : runs_(runs), features_(static_cast<double>(context.data.get("gisette").features)) {}

  double density(const Trained& run) const { return run.last("nonzeros") / features_; }
  static double accuracy(const Trained& run) { return 1 - run.last("valid_error"); }
  std::vector<Trained> of(const std::string& name) const {
    return select(runs_, "gisette", {}, name);
  }

  // Of a value over lambda, one line an algorithm.
  template <class Value>
  Figure over_lambda(const std::string& file, const std::string& title, const std::string& y,
                     const Value& value) const {
    Figure figure{file, title, "lambda", y, true, false, {}};
    for (const Algorithm& algorithm : kAlgorithms) {
      if (std::string(algorithm.name) == "l0-sgd") continue;
      Series series{algorithm.name, {}, {}};
      for (const Trained& run : of(algorithm.name)) {
        series.x.push_back(run.number("lambda"));
        series.y.push_back(value(run));
      }
      figure.series.push_back(std::move(series));
    }
    return figure;
  }

  // Larger penalties than these keep all weights at zero, or, by subgradients, far from it.
  Figure convergence(const Algorithm& algorithm) const {
    Figure figure;
    figure.file = fmt::format("{}", algorithm.figure);
    figure.title = fmt::format("Figure {}: {}", algorithm.figure, algorithm.name);
    figure.x = "rows visited";
    figure.y = "objective";
    figure.log_y = false;
    for (const Trained& run : of(algorithm.name)) {
      const bool k = run.solver == "l0-sgd";
      if (!k && run.number("lambda") > 0.1) continue;
      figure.series.push_back(run.series("examples", "objective"));
      figure.series.back().name = k ? parameter(run) : "lambda " + parameter(run);
    }
    return figure;
  }

  // The most accurate run of each, and the most accurate of those with at most a tenth of the
  // features.
  Table table() const {
    Table table{
        "table2",
        "Table 2: the most accurate model of each algorithm, and the most accurate with at "
        "most 10% of the features",
        {"algorithm", "accuracy", "density", "lambda or K", "paper: accuracy", "paper: density",
         "paper: lambda or K", "sparse: accuracy", "sparse: density", "sparse: lambda or K"},
        {}};
    for (const Algorithm& algorithm : kAlgorithms) {
      const auto all = of(algorithm.name);
      std::vector<Trained> sparse;
      for (const Trained& run : all) {
        if (density(run) <= 0.1) sparse.push_back(run);
      }
      std::vector<Json> row = {algorithm.name};
      add_best(all, row);
      row.insert(row.end(), {algorithm.accuracy, algorithm.density, algorithm.parameter});
      add_best(sparse, row);
      table.rows.push_back(std::move(row));
    }
    return table;
  }

 private:
  void add_best(const std::vector<Trained>& runs, std::vector<Json>& row) const {
    const Trained* best = smallest(runs, "valid_error");
    if (best == nullptr) {
      row.insert(row.end(), {nullptr, nullptr, nullptr});
    } else {
      row.insert(row.end(), {accuracy(*best), density(*best), parameter(*best)});
    }
  }

  const std::vector<Trained>& runs_;
  double features_;
};

Report run(const Context& context) {
  const std::vector<Trained> runs = train(context, kPlan);
  const Summary summary(context, runs);
  Report report{to_json(kPlan), {}, {summary.table()}};
  report.figures.push_back(
      summary.over_lambda("1", "Figure 1: density over lambda", "share of features with a weight",
                          [&](const Trained& run) { return summary.density(run); }));
  report.figures.push_back(
      summary.over_lambda("1-accuracy", "Beside Figure 1: accuracy over lambda", "test accuracy",
                          [&](const Trained& run) { return Summary::accuracy(run); }));
  for (int number = 2; number <= 7; ++number) {
    for (const Algorithm& algorithm : kAlgorithms) {
      if (algorithm.figure == number) report.figures.push_back(summary.convergence(algorithm));
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
