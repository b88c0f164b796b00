// Whatever a solver puts off, nobody can tell: watched or not, from memory or from a file, or from
// a model to start with, every solver of the catalog keeps its promises.

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/thresh.hpp"
#include "tools/every_solver.hpp"
#include "tools/model_text.hpp"
#include "tools/scratch.hpp"

namespace thresh::deferred_edge {
namespace {

// Always wants to know, and is woken after every few examples.
class Watcher : public Observer {
 public:
  explicit Watcher(std::uint64_t every) : every_(every) {}
  bool wants_progress(const Progress&) const override { return true; }
  void on_progress(const Progress& progress) override {
    seen_ = progress.examples;
    ++calls;
  }
  std::uint64_t wake_at() const override { return seen_ + every_; }

  std::uint64_t calls = 0;

 private:
  std::uint64_t every_;
  std::uint64_t seen_ = 0;
};

// The slots and values of a dense row.
std::pair<std::vector<std::uint32_t>, std::vector<double>> nonzeros_of(
    const std::vector<double>& x) {
  std::pair<std::vector<std::uint32_t>, std::vector<double>> row;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (x[j] == 0) continue;
    row.first.push_back(static_cast<std::uint32_t>(j));
    row.second.push_back(x[j]);
  }
  return row;
}

TEST(Deferred, WatchingChangesNothing) {
  for_each_way([](const SolverInfo&, const Options& options) {
    const std::string alone = text_of(fit(to_problem(sparse_rows()), options).model);
    Watcher watcher(5);
    const FitResult watched = fit(to_problem(sparse_rows()), options, nullptr, &watcher);
    EXPECT_GT(watcher.calls, 2U);
    EXPECT_EQ(text_of(watched.model), alone);
    Options traced = options;
    for (const TraceAt at : {TraceAt{TraceAt::Kind::examples, 7}, TraceAt{TraceAt::Kind::passes, 0},
                             TraceAt{TraceAt::Kind::densities, 0}}) {
      traced.trace = at;
      EXPECT_EQ(text_of(fit(to_problem(sparse_rows()), traced, nullptr, &watcher).model), alone);
    }
  });
}

// Shows the rows to a solver, one at a time, and calls after(solver, number of rows seen).
template <class After>
std::unique_ptr<Solver> show_each(const CatalogEntry& entry, const Options& options,
                                  const DenseProblem& data, const After& after) {
  std::unique_ptr<Solver> solver = entry.make(SolverSetup{options, entry.info});
  solver->ensure_slots(data.features);
  solver->begin();
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const auto [slots, values] = nonzeros_of(data.x[i]);
    const Row row{slots.data(), values.data(), slots.size(), data.y[i], 1, i};
    solver->row_solver()->visit({&row, 1}, {});
    after(*solver, i + 1);
  }
  return solver;
}

std::vector<double> settled_weights(Solver& solver) {
  solver.settle();
  std::vector<double> weights;
  for (std::size_t slot = 0; slot < solver.state().weights.size(); ++slot) {
    weights.push_back(solver.state().weights[slot]);
  }
  return weights;
}

// A solver that counts without settling counts what settling leaves, after any row, and has the
// weights of one that was never asked.
TEST(Deferred, NonzerosAreCountedAsSettlingLeavesThem) {
  const DenseProblem data = sparse_rows();
  for (const char* name : {"fobos", "truncated-gradient", "rda"}) {
    SCOPED_TRACE(name);
    const CatalogEntry& entry = find_solver(name);
    Options options = options_for(entry.info);
    options.intercept = false;
    std::vector<std::vector<double>> expected;
    show_each(entry, options, data,
              [&](Solver& solver, std::size_t) { expected.push_back(settled_weights(solver)); });
    std::uint64_t losses = 0;
    show_each(entry, options, data, [&](Solver& solver, std::size_t seen) {
      if (seen % 7 == 3) return;
      const std::uint64_t unsettled = solver.state().nonzeros;
      const std::optional<std::uint64_t> counted = solver.settled_nonzeros();
      ASSERT_EQ(settled_weights(solver), expected[seen - 1]) << "after row " << seen;
      ASSERT_EQ(counted, solver.state().nonzeros);
      ASSERT_EQ(solver.settled_nonzeros(), counted) << "once settled";
      const std::optional<SavedWeights> kept = solver.finite_weights();
      ASSERT_TRUE(kept);
      ASSERT_EQ(kept->weights.size(), *counted);
      for (const auto& [slot, weight] : kept->weights) {
        ASSERT_EQ(weight, expected[seen - 1][slot]);
      }
      losses += *counted < unsettled;
    });
    EXPECT_GT(losses, 20U) << "nothing was put off";
  }
}

// Looks that cannot matter are left out: what comes out is what all of them would have given.
TEST(Deferred, LooksLeftOutDoNotMatter) {
  const DenseProblem data = random_problem(600, 200, 0.03, 5);
  for (const char* name : {"fobos", "truncated-gradient", "rda"}) {
    const CatalogEntry& entry = find_solver(name);
    Options options = options_for(entry.info);
    options.passes = 1;
    options.order = Order::sequential;
    for (const double lambda : {0.0003, 0.003, 0.03}) {
      for (const std::uint64_t budget : {7, 20, 60, 150}) {
        SCOPED_TRACE(fmt::format("{} lambda {} budget {}", name, lambda, budget));
        options.lambda = lambda;
        std::size_t next_look = 1;
        const auto look = [&](Solver& solver, std::size_t seen) {
          if (seen < next_look) return;
          next_look = seen + std::max<std::size_t>(1, seen / 100);
          solver.settle();
          solver.save_within(budget);
        };
        const std::unique_ptr<Solver> twin = show_each(entry, options, data, look);
        twin->settle();
        twin->go_back_within(budget);

        Options limited = options;
        limited.features = budget;
        const Model model = fit(to_problem(data), limited).model;
        ASSERT_EQ(model.coefficients.size(), twin->state().nonzeros);
        for (const Coefficient& coefficient : model.coefficients) {
          ASSERT_EQ(coefficient.weight, twin->state().weights[coefficient.index - 1]);
        }
      }
    }
  }
}

// A line of the trace after n examples shows the support of a run that ends there.
TEST(Deferred, ATraceLineHasTheSupportOfTheModelAtThatMoment) {
  const std::size_t rows = 60;
  for (const SolverInfo& info : solvers()) {
    if (info.name == "budget") continue;  // its stages depend on how many steps there will be
    SCOPED_TRACE(info.name);
    Options options = options_for(info);
    options.passes = 2;
    options.trace = TraceAt{TraceAt::Kind::examples, 12};
    const FitResult whole = fit(to_problem(sparse_rows(rows)), options);
    ASSERT_GE(whole.trace.size(), 2U);
    const bool all_rows_a_step = whole.last.at.updates <= options.passes;
    options.trace.reset();
    for (const TracePoint& point : whole.trace) {
      options.steps = all_rows_a_step ? point.at.examples / rows : point.at.examples;
      const FitResult part = fit(to_problem(sparse_rows(rows)), options);
      EXPECT_EQ(part.last.at.examples, point.at.examples);
      EXPECT_EQ(nonzeros_of(part.model), point.at.nonzeros);
    }
  }
}

TEST(Deferred, MemoryAndFileGiveTheSameBytes) {
  const DenseProblem rows = sparse_rows();
  std::string text;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    text += fmt::format("{}", rows.y[i]);
    for (std::size_t j = 0; j < rows.features; ++j) {
      if (rows.x[i][j] != 0) text += fmt::format(" {}:{}", j + 1, rows.x[i][j]);
    }
    text += "\n";
  }
  const ScratchDir dir;
  const std::string file = dir.write("rows.svm", text);
  for_each_way([&](const SolverInfo&, const Options& options) {
    const std::string in_memory = text_of(fit(to_problem(rows), options).model);
    EXPECT_EQ(text_of(fit(open_problem(file), options).model), in_memory);
    Options tight = options;
    tight.memory = 0;  // every pass reads the file anew
    EXPECT_EQ(text_of(fit(open_problem(file), tight).model), in_memory);
  });
}

TEST(Deferred, AModelToStartFromIsContinuedOrRefused) {
  for_each_way([](const SolverInfo& info, const Options& options) {
    Options traced = options;
    traced.trace = TraceAt{TraceAt::Kind::passes, 0};
    const FitResult first = fit(to_problem(sparse_rows()), traced);
    FitResult second;
    try {
      second = fit(to_problem(sparse_rows()), traced, &first.model);
    } catch (const UsageError&) {
      EXPECT_TRUE(info.name == "eg" || info.name == "rda");
      return;
    }
    EXPECT_FALSE(info.name == "eg" || info.name == "rda");
    EXPECT_EQ(nonzeros_of(second.model), second.last.at.nonzeros);
    // It goes on from there instead of beginning anew, so it cannot be far worse.
    EXPECT_LT(*second.last.objective, *first.last.objective + 0.05);
  });
}

// Nothing to learn and nothing to shrink: what went in comes out, through whatever a solver keeps
// instead of weights (for smidas the p-norm link and its inverse).
TEST(Deferred, AStartThatNeedsNoChangeComesOutAsItWentIn) {
  const DenseProblem rows = random_problem(30, 6, 1, 8);
  DenseProblem easy = rows;
  Model start;
  start.dimension = 6;
  const double w[] = {2, -1, 0.5, 0.001, -3, 4};
  for (std::uint64_t j = 0; j < 6; ++j) start.coefficients.push_back({j + 1, w[j], ""});
  easy.x.clear();
  easy.y.clear();
  for (const auto& x : rows.x) {
    double a = 0;
    for (std::size_t j = 0; j < 6; ++j) a += w[j] * x[j];
    if (std::fabs(a) <= 1) continue;
    easy.x.push_back(x);
    easy.y.push_back(a > 0 ? 1 : -1);
  }
  for_each_way([&](const SolverInfo& info, Options options) {
    if (info.name == "eg" || info.name == "rda" || info.name == "grades") return;
    if (info.name == "l1") return;      // no optimum is certain without lambda
    if (info.name == "budget") return;  // its Newton steps have a ridge
    options.lambda = 0;
    options.dim = 6;
    options.intercept = false;
    if (!info.losses.empty()) options.loss = Loss::squared_hinge;
    if (options.solver_options.contains("radius")) options.solver_options["radius"] = "100";
    for (const char* p : {"2", "3.7", "9"}) {
      if (info.name == "smidas") options.solver_options["p"] = p;
      const Model end = fit(to_problem(easy), options, &start).model;
      ASSERT_EQ(end.coefficients.size(), 6U);
      for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(end.coefficients[j].weight, w[j], 1e-12);
    }
  });
}

// What a row of weight zero says does not matter, also to a batch of nothing else.
TEST(Deferred, RowsOfWeightZeroDoNotExist) {
  const ScratchDir dir;
  DenseProblem some = sparse_rows();
  DenseProblem rest;
  rest.features = some.features;
  std::string weights;
  for (std::size_t i = 0; i < some.x.size(); ++i) {
    const bool counts = i % 50 >= 40;
    weights += counts ? "3\n" : "0\n";
    if (!counts) continue;
    rest.x.push_back(some.x[i]);
    rest.y.push_back(some.y[i]);
  }
  const std::string file = dir.write("weights", weights);
  for_each_way([&](const SolverInfo&, Options options) {
    options.order = Order::sequential;
    const Model without = fit(to_problem(rest), options).model;
    options.weights_file = file;
    const Model with = fit(to_problem(some), options).model;
    ASSERT_EQ(with.coefficients.size(), without.coefficients.size());
    for (std::size_t k = 0; k < with.coefficients.size(); ++k) {
      EXPECT_EQ(with.coefficients[k].index, without.coefficients[k].index);
      EXPECT_EQ(with.coefficients[k].weight, without.coefficients[k].weight);
    }
  });
}

}  // namespace
}  // namespace thresh::deferred_edge
