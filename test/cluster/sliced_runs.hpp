// Data whose sums show their order, and the runs that can be sliced.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cluster/thread_ranks.hpp"
#include "thresh/cluster.hpp"
#include "tools/model_text.hpp"
#include "tools/problems.hpp"

namespace thresh {

inline constexpr std::uint64_t kSlices = 13;

// Sums of thirds and tenths round, so that their order shows.
inline DenseProblem rounding_problem(std::size_t rows, std::size_t features, std::uint64_t seed) {
  DenseProblem data = random_problem(rows, features, 0.4, seed);
  Random random(seed + 1);
  for (auto& row : data.x) {
    for (double& x : row) x *= random.uniform();
  }
  return data;
}

inline std::string as_text(const DenseProblem& data) {
  std::string text;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    text += data.y[i] > 0 ? "+1" : "-1";
    for (std::size_t j = 0; j < data.features; ++j) {
      if (data.x[i][j] != 0) text += fmt::format(" {}:{}", j + 1, data.x[i][j]);
    }
    text += '\n';
  }
  return text;
}

// Rare features, as words are, whose weights differ.
inline std::string words(std::size_t rows, std::uint64_t features, int classes,
                         std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint64_t> has;
    for (int k = 0; k < 12; ++k) {
      const double u = random.uniform();
      has.push_back(static_cast<std::uint64_t>(u * u * static_cast<double>(features)));
    }
    std::sort(has.begin(), has.end());
    has.erase(std::unique(has.begin(), has.end()), has.end());
    double margin = random.uniform() - 0.5;
    for (const std::uint64_t j : has) margin += std::sin(static_cast<double>(j));
    if (classes == 2) text += margin > 0 ? "+1" : "-1";
    if (classes == 3) text += margin > 1 ? "2" : margin < -1 ? "0" : "1";
    if (classes == 0) text += fmt::format("{}", margin);
    for (const std::uint64_t j : has) text += fmt::format(" {}:{}", j + 1, 0.3 + random.uniform());
    text += '\n';
  }
  return text;
}

// The model that so many ranks learn.
inline std::string learned_by(std::size_t ranks, const std::string& path, const Options& options,
                              std::uint64_t slices, const std::string& valid = "") {
  std::string model;
  ThreadRanks(ranks).run([&](Comm& comm) {
    const Problem problem = open_share(path, valid, {}, slices, comm);
    const FitResult result = fit(problem, options);
    if (comm.rank() == 0) model = text_of(result.model);
  });
  return model;
}

inline std::vector<Options> all_that_slice() {
  std::vector<Options> all;
  for (const char* solver : {"margin-perceptron", "fobos", "truncated-gradient", "rda", "ftrl"}) {
    Options options;
    options.solver = solver;
    options.lambda = solver == std::string("ftrl") ? 0.1 : 1e-3;
    options.passes = 2;
    all.push_back(options);
  }
  all[1].solver_options["batch"] = "7";
  all.push_back(all[1]);
  all.back().solver_options["batch"] = "0";
  all.push_back(all[2]);
  all.back().loss = Loss::squared;
  all.push_back(all[2]);
  all.back().holdout = 0.2;
  all.push_back(all[0]);
  all.back().features = 15;
  for (const std::size_t i : {0, 1, 2}) {  // rows without entries on some ranks
    all.push_back(all[i]);
    all.back().intercept = false;
  }
  for (const char* batch : {"1", "7"}) {
    Options options;
    options.solver = "l0-sgd";
    options.features = 12;
    options.eta = 0.5;
    options.passes = 2;
    options.solver_options["batch"] = batch;
    all.push_back(options);
  }
  Options smidas;
  smidas.solver = "smidas";
  smidas.lambda = 1e-3;
  smidas.passes = 2;
  all.push_back(smidas);
  Options grades;
  grades.solver = "grades";
  grades.features = 12;
  grades.passes = 20;
  grades.solver_options["gamma"] = "4000";
  all.push_back(grades);
  return all;
}

// Those that with one slice have other sums than without slices.
inline std::vector<Options> all_with_own_sums() {
  Options grades;
  grades.solver = "grades";
  grades.features = 12;
  grades.passes = 20;
  Options projected;
  projected.solver = "projected-gradient";
  projected.passes = 20;
  projected.solver_options["radius"] = "2";
  Options searching = projected;
  searching.solver_options["line-search"] = "true";
  Options automatic = projected;
  automatic.auto_eta = true;
  return {grades, projected, searching, automatic};
}

inline std::vector<Options> all_on_ranks() {
  std::vector<Options> all = all_that_slice();
  for (const Options& options : all_with_own_sums()) all.push_back(options);
  return all;
}

}  // namespace thresh
