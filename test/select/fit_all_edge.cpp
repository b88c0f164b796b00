// Side by side or one by one: nobody can tell from the models.

#include <gtest/gtest.h>

#include <atomic>

#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"
#include "tools/error_of.hpp"
#include "tools/every_solver.hpp"
#include "tools/model_text.hpp"
#include "tools/scratch.hpp"

namespace thresh::fit_all_edge {
namespace {

void expect_same(const FitResult& got, const FitResult& expected) {
  ASSERT_EQ(got.status.outcome, expected.status.outcome);
  EXPECT_EQ(got.status.reason, expected.status.reason);
  EXPECT_EQ(got.last.at.examples, expected.last.at.examples);
  if (got.status.outcome == Outcome::diverged) return;  // that model has no text
  EXPECT_EQ(text_of(got.model), text_of(expected.model));
  EXPECT_EQ(got.last.objective, expected.last.objective);
  EXPECT_EQ(got.last.train_error, expected.last.train_error);
  EXPECT_EQ(got.last.valid_error, expected.last.valid_error);
  EXPECT_EQ(got.last.valid_loss, expected.last.valid_loss);
  EXPECT_EQ(got.trace.size(), expected.trace.size());
}

// The slow, obvious twin.
void expect_one_by_one(const DenseProblem& rows, const std::vector<Options>& candidates) {
  const std::vector<FitResult> all = fit_all(to_problem(rows), candidates);
  ASSERT_EQ(all.size(), candidates.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(candidates[i].solver + ", candidate " + std::to_string(i));
    expect_same(all[i], fit(to_problem(rows), candidates[i]));
  }
}

// Every solver in every batch size, with passes from 1 to 5 or steps that end within a pass.
std::vector<Options> mixed_company() {
  std::vector<Options> all;
  for_each_way([&](const SolverInfo&, Options options) {
    options.passes = 1 + all.size() % 5;
    if (all.size() % 7 == 3) options.steps = 100 + 31 * all.size();
    all.push_back(options);
  });
  return all;
}

TEST(FitAll, EverySolverInMixedCompany) {
  expect_one_by_one(sparse_rows(3000), mixed_company());
}

TEST(FitAll, HeldOutTracedAndInOtherOrders) {
  std::vector<Options> candidates = mixed_company();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].holdout = i % 2 == 0 ? 0.25 : 0;
    candidates[i].order = i % 3 == 0 ? Order::sequential : Order::shuffle;
    candidates[i].seed = 1 + i % 2;
    if (i % 4 == 0) candidates[i].trace = TraceAt{TraceAt::Kind::passes, 0};
  }
  expect_one_by_one(sparse_rows(3000), candidates);
}

TEST(FitAll, SeveralClassesAndRegression) {
  DenseProblem rows = sparse_rows(400);
  for (std::size_t i = 0; i < rows.y.size(); ++i) rows.y[i] = static_cast<double>(i % 3);
  std::vector<Options> candidates;
  for (Options options : mixed_company()) {
    options.holdout = 0.2;
    candidates.push_back(options);
    if (!find_solver(options.solver).info.softmax) continue;
    options.multiclass = Multiclass::softmax;
    candidates.push_back(options);
  }
  expect_one_by_one(rows, candidates);
  candidates.clear();
  for (Options options : mixed_company()) {
    options.task = Task::regression;
    options.eta = 0.01;
    options.holdout = 0.2;
    if (refusal_of([&] { check_options(options); }).empty()) candidates.push_back(options);
  }
  ASSERT_GT(candidates.size(), 5U);
  expect_one_by_one(rows, candidates);
}

TEST(FitAll, OneThatDivergesDisturbsNobody) {
  std::vector<Options> candidates = mixed_company();
  Options wild;
  wild.solver = "fobos";
  wild.loss = Loss::squared;
  wild.schedule = Schedule::constant;
  wild.eta = 1e3;
  wild.on_divergence = OnDivergence::stop;
  wild.passes = 5;
  candidates.insert(candidates.begin() + 3, wild);
  EXPECT_EQ(fit_all(to_problem(sparse_rows()), candidates)[3].status.outcome, Outcome::diverged);
  expect_one_by_one(sparse_rows(), candidates);
}

TEST(FitAll, FilesAreReadAnewOnlyForWhatDoesNotFit) {
  const ScratchDir dir;
  const DenseProblem rows = sparse_rows();
  std::string text, weights;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    text += fmt::format("{}", rows.y[i]);
    for (std::size_t j = 0; j < rows.features; ++j) {
      if (rows.x[i][j] != 0) text += fmt::format(" {}:{}", j + 1, rows.x[i][j]);
    }
    text += "\n";
    weights += fmt::format("{}\n", i % 4);
  }
  const std::string file = dir.write("rows.svm", text);
  std::vector<Options> candidates = mixed_company();
  for (Options& options : candidates) {
    options.memory = 0;
    options.weights_file = dir.write("weights", weights);
  }
  const std::vector<FitResult> all = fit_all(open_problem(file, file), candidates);
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_same(all[i], fit(open_problem(file, file), candidates[i]));
  }
}

TEST(FitAll, ThrowsWhatTheFirstOfThemWouldThrow) {
  std::vector<Options> candidates(3);
  candidates[1].eta = -1;
  candidates[2].passes = 0;
  EXPECT_EQ(refusal_of([&] { fit_all(to_problem(sparse_rows()), candidates); }),
            "--eta must be a finite number above 0");
  std::vector<Options> none;
  EXPECT_TRUE(fit_all(to_problem(sparse_rows()), none).empty());
}

TEST(FitAll, AStopKeepsWhatIsLearned) {
  std::atomic<bool> stop = false;
  struct StopAt : Observer {
    explicit StopAt(std::atomic<bool>& flag) : stop_(flag) {}
    void on_progress(const Progress& progress) override { stop_ = progress.examples >= 500; }
    std::atomic<bool>& stop_;
  } observer(stop);
  std::vector<Options> candidates(2);
  for (Options& options : candidates) {
    options.stop = &stop;
    options.passes = 1'000'000'000;
  }
  candidates[1].solver = "fobos";
  const auto all = fit_all(to_problem(sparse_rows()), candidates, {&observer, nullptr});
  for (const FitResult& each : all) {
    EXPECT_EQ(each.status.outcome, Outcome::stopped);
    EXPECT_GT(each.last.at.examples, 0U);
  }
}

TEST(FitAll, RowsThatComeOnceServeAll) {
  const ScratchDir dir;
  const std::string file = dir.write("a.svm", "1 1:1 2:0.5\n-1 2:1\n1 1:2\n-1 2:2 3:1\n");
  ReadOptions once;
  once.once = true;
  std::vector<Options> candidates(2);
  for (Options& options : candidates) {
    options.order = Order::sequential;
    options.passes = 1;
    options.positive = 1;
  }
  candidates[1].solver = "fobos";
  const auto all = fit_all(open_problem(file, "", once), candidates);
  for (std::size_t i = 0; i < 2; ++i) {
    expect_same(all[i], fit(open_problem(file, "", once), candidates[i]));
  }
  candidates[1].positive = -1;
  EXPECT_THROW(fit_all(open_problem(file, "", once), candidates), UsageError);
}

}  // namespace
}  // namespace thresh::fit_all_edge
