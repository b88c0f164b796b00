// Time per non-zero of every online solver as the dimension grows, against a plain loop.
//
// The same rows, made before any clock starts, go to every solver through the catalog. A first pass
// makes the weights and their memory pages; passes after it are timed, the fastest counts, and all
// solvers take turns three times, so that a busy moment of the machine does not hit one alone. The
// plain loop (a dot product, then an addition to the same entries of an array) does the least that
// learning from a row can mean, so what it pays for a larger array is the price of cache misses; a
// second one adds to three arrays, which is what the solvers with the most state have.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "common/plot.hpp"
#include "solvers/catalog.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "sparse/row_loops.hpp"
#include "thresh/files.hpp"

namespace {

using namespace thresh;

constexpr std::size_t kRows = 30000;
constexpr std::size_t kRowsOfDense = 500;  // for solvers whose step looks at all features seen
constexpr std::size_t kNonzeros = 100;     // a row
constexpr int kPasses = 2;                 // timed, in each round
constexpr int kRounds = 3;                 // through all solvers: the fastest pass of all counts
constexpr std::size_t kRun = 1024;         // rows a call, as in training

double seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

struct Rows {
  RowBlock block;
  std::vector<Row> views;
};

// Features uniform at random, values in (0.5, 1.5), labels a coin.
Rows make_rows(std::uint64_t d) {
  Rows rows;
  Random random(d);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::set<std::uint32_t> slots;
    while (slots.size() < kNonzeros) {
      slots.insert(static_cast<std::uint32_t>(random.below(d)));
    }
    for (const std::uint32_t slot : slots) {
      rows.block.slots.push_back(slot);
      rows.block.values.push_back(0.5 + random.uniform());
    }
    rows.block.starts.push_back(rows.block.slots.size());
    rows.block.labels.push_back(random.uniform() < 0.5 ? -1 : 1);
    rows.block.ids.push_back(i);
  }
  for (std::size_t i = 0; i < kRows; ++i) rows.views.push_back(rows.block.row(i));
  return rows;
}

struct Times {
  double step = std::numeric_limits<double>::infinity();    // seconds per non-zero
  double settle = std::numeric_limits<double>::infinity();  // seconds
  std::uint64_t nonzeros = 0;                               // of the model, afterwards
};

// The fastest of the timed passes, in seconds per non-zero.
template <class Pass>
double time_passes(std::size_t rows, const Pass& pass) {
  pass();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kPasses; ++i) {
    const double start = seconds();
    pass();
    best = std::min(best, seconds() - start);
  }
  return best / static_cast<double>(rows * kNonzeros);
}

// Arrays of the same kind as the solvers have, so that their pages are of the same size.
Times time_plain(const Rows& rows, std::uint64_t d, int arrays) {
  WeightArray weights;
  ZeroedArray<double> second, third;
  weights.ensure(d);
  for (ZeroedArray<double>* array : {&second, &third}) array->ensure(d);
  const auto learn = [&](const Row& row) {
    const double step = 1e-6 * (row.label - dot(weights, row));
    for (std::size_t i = 0; i < row.size; ++i) {
      const std::uint32_t slot = row.slots[i];
      weights[slot] += step * row.values[i];
      if (arrays == 1) continue;
      second[slot] += row.values[i];
      third[slot] += row.values[i];
    }
  };
  Times times;
  times.settle = 0;
  times.step = time_passes(kRows, [&] {
    for (std::size_t i = 0; i < kRows; ++i) {
      if (i + 2 < kRows) prefetch(rows.views[i + 2]);
      learn(rows.views[i]);
    }
  });
  return times;
}

struct Candidate {
  const char* name;
  std::map<std::string, std::string> own;
  std::uint64_t features = 0;
  bool dense = false;
};

// Options under which every row leads to an update and what is deferred has work to do.
const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all = {
      {"margin-perceptron", {{"tau", "1e9"}}},
      {"truncated-gradient", {}},
      {"smidas", {}, 0, true},
      {"subgradient", {{"batch", "1"}}, 0, true},
      {"fobos", {}},
      {"l0-sgd", {}, 1000},
      {"projected-sgd", {{"radius", "10"}}},
      {"eg", {{"radius", "10"}}},
      {"rda", {}},
      {"ftrl", {}},
  };
  return all;
}

Times time_solver(const Candidate& candidate, const Rows& rows, std::uint64_t d) {
  Options options;
  options.solver = candidate.name;
  options.solver_options = candidate.solver_options;
  if (candidate.features > 0) options.features = candidate.features;
  check_options(options);
  const CatalogEntry& entry = find_solver(candidate.name);
  const FeatureMap features(d);
  SolverSetup setup{options, entry.info};
  setup.max_nonzeros = options.features.value_or(kUnlimited);
  setup.dimension = d;
  setup.rows = candidate.dense ? kRowsOfDense : kRows;
  setup.features = &features;
  const std::unique_ptr<Solver> made = entry.make(setup);
  auto& solver = dynamic_cast<RowSolver&>(*made);
  solver.ensure_slots(d);
  solver.begin();
  Times times;
  times.step = time_passes(setup.rows, [&] {
    for (std::size_t i = 0; i < setup.rows; i += kRun) {
      const std::size_t n = std::min(kRun, setup.rows - i);
      if (solver.visit({&rows.views[i], n}, {}) != n) std::exit(1);
    }
    solver.end_pass();
  });
  const double start = seconds();
  solver.settle();
  times.settle = seconds() - start;
  times.nonzeros = solver.state().nonzeros;
  return times;
}

struct Result {
  std::string name;
  std::vector<Times> times;  // by dimension

  void improve(const Times& measured) {
    Times& best = times.back();
    best.step = std::min(best.step, measured.step);
    best.settle = std::min(best.settle, measured.settle);
    best.nonzeros = measured.nonzeros;
  }
};

void print_table(const std::vector<std::uint64_t>& dimensions, const std::vector<Result>& results,
                 std::size_t first, const char* title,
                 const std::function<std::string(const Times&)>& cell) {
  fmt::print("\n{}\n\n| |", title);
  for (const std::uint64_t d : dimensions) fmt::print(" {:.0e} |", static_cast<double>(d));
  fmt::print("\n|---|{}\n", fmt::join(std::vector<std::string>(dimensions.size(), "---|"), ""));
  for (std::size_t k = first; k < results.size(); ++k) {
    fmt::print("| {} |", results[k].name);
    for (const Times& times : results[k].times) fmt::print(" {} |", cell(times));
    fmt::print("\n");
  }
}

void plot(const std::vector<std::uint64_t>& dimensions, const std::vector<Result>& results,
          const std::string& path) {
  experiments::Figure figure;
  figure.title = "One step of an online solver: time per non-zero of the row";
  figure.x = "dimension d";
  figure.y = "nanoseconds per non-zero";
  for (std::size_t k = 0; k < results.size(); ++k) {
    experiments::Series series{results[k].name, {}, {}, k < 2};
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      series.x.push_back(static_cast<double>(dimensions[i]));
      series.y.push_back(1e9 * results[k].times[i].step);
    }
    figure.series.push_back(series);
  }
  AtomicFile file(path);
  file.write(experiments::draw(figure));
  file.commit();
}

}  // namespace

// Arguments: the largest dimension (default 1e8), where the plot goes, solvers to leave the others
// out.
int main(int argc, char** argv) {
  const double largest = argc > 1 ? std::atof(argv[1]) : 1e8;
  const std::set<std::string> only(argv + std::min(argc, 3), argv + argc);
  std::vector<std::uint64_t> dimensions;
  std::vector<Result> results = {{"plain loop, 1 array", {}}, {"plain loop, 3 arrays", {}}};
  std::vector<Candidate> chosen;
  for (const Candidate& candidate : candidates()) {
    if (!only.empty() && !only.contains(candidate.name)) continue;
    chosen.push_back(candidate);
    results.push_back({candidate.name, {}});
  }
  for (double d = 1e4; d <= largest; d *= 10) {
    dimensions.push_back(static_cast<std::uint64_t>(d));
    const Rows rows = make_rows(dimensions.back());
    for (Result& result : results) result.times.emplace_back();
    for (int round = 0; round < kRounds; ++round) {
      results[0].improve(time_plain(rows, dimensions.back(), 1));
      results[1].improve(time_plain(rows, dimensions.back(), 3));
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        results[k + 2].improve(time_solver(chosen[k], rows, dimensions.back()));
      }
    }
    std::fprintf(stderr, "d = %.0e done\n", d);
  }
  print_table(dimensions, results, 0, "Nanoseconds per non-zero",
              [](const Times& times) { return fmt::format("{:.1f}", 1e9 * times.step); });
  print_table(dimensions, results, 2, "Settling all weights once, milliseconds",
              [](const Times& t) { return fmt::format("{:.2f}", 1e3 * t.settle); });
  print_table(dimensions, results, 2, "Non-zeros of the model",
              [](const Times& t) { return fmt::format("{}", t.nonzeros); });
  if (argc > 2) plot(dimensions, results, argv[2]);
  return 0;
}
