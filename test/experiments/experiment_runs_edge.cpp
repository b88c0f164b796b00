// Runs of the experiments that go wrong, and what is kept of them.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "common/training.hpp"
#include "tools/scratch.hpp"

namespace {

using namespace thresh;
using namespace thresh::experiments;
using thresh::experiments::Trained;  // not that of train()

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct ExperimentRuns : testing::Test {
  ScratchDir dir;
  DataSets data{
      {{"targets", {}, {}, [] { return make_data(gaussian_rows(60, 60, 1, true)); }}}, "", true};
  Context context{data, false, dir.file("work")};

  // Least squares with these steps: of 1 at most they are fine on these rows, of 1e6 they are not.
  std::vector<Trained> trained(const std::string& etas) {
    Group group{"projected", {"targets"}, "projected-sgd", "radius=1e9 passes=5 eta=" + etas};
    group.base.task = Task::regression;
    return train(context, {{group}});
  }
};

TEST_F(ExperimentRuns, ARunThatDivergesHasFailed) {
  const std::vector<Trained> runs = trained("1e6,1e-3");
  EXPECT_EQ(runs[0].status, "diverged");
  EXPECT_EQ(runs[1].status, "passes spent");
  EXPECT_EQ(smallest(runs, "objective"), &runs[1]);
}

TEST_F(ExperimentRuns, WhatOneThatDivergedHadReachedDoesNotCount) {
  std::vector<Trained> runs(2);
  runs[0].status = "diverged";
  runs[0].curves["objective"] = {1};
  runs[1].status = "passes spent";
  runs[1].curves["objective"] = {2};
  EXPECT_EQ(smallest(runs, "objective"), &runs[1]);
  EXPECT_EQ(smallest({}, "objective"), nullptr);
}

TEST(SmallestOf, NaNIsTheLargest) {
  EXPECT_EQ(smallest_of({kNaN, 2, 1, kNaN}), 2U);
  EXPECT_EQ(smallest_of({kNaN, std::numeric_limits<double>::infinity()}), 1U);
  EXPECT_EQ(smallest_of({kNaN, kNaN}), 0U);
}

TEST_F(ExperimentRuns, ResultsAreTheSameWhenTheyAreReadAgain) {
  const std::vector<Job> jobs = {{"one", [] { return Json{{"loss", {0.1, kNaN, HUGE_VAL}}}; }}};
  const std::vector<Json> first = run_jobs(jobs, context.work),
                          again = run_jobs(jobs, context.work);
  EXPECT_EQ(first, again);
  EXPECT_EQ(number(again[0].at("loss")[0]), 0.1);
  EXPECT_TRUE(std::isnan(number(again[0].at("loss")[1])));
  EXPECT_TRUE(std::isnan(number(again[0].at("loss")[2])));
}

TEST_F(ExperimentRuns, JobsOfOneNameAreDoneOnce) {
  std::atomic<int> done = 0;
  const Job job{"twice", [&] { return Json(++done); }};
  EXPECT_EQ(run_jobs({job, {"other", [] { return Json(7); }}, job}, context.work),
            (std::vector<Json>{1, 7, 1}));
  EXPECT_EQ(done, 1);
}

TEST_F(ExperimentRuns, NamesTellQuickRunsFromOthers) {
  Context quick = context;
  quick.quick = true;
  EXPECT_NE(job_name(context, "rcv1 eg"), job_name(quick, "rcv1 eg"));
}

// The first draw differs from the first row of a pass for some seed, and rows come again.
TEST_F(ExperimentRuns, DrawnRowsAreOtherRunsThanShuffledOnes) {
  Group shuffled{"shuffled", {"targets"}, "fobos", "passes=1 eta=0.01"};
  shuffled.base.task = Task::regression;
  Group drawn = shuffled;
  drawn.name = "drawn";
  drawn.base.order = drawn_rows().order;
  const auto last = [&](const Group& group, std::uint64_t seed) {
    return train(context, {{group}, {seed}}).front().last("objective");
  };
  EXPECT_NE(last(shuffled, 1), last(drawn, 1));
  EXPECT_EQ(last(drawn, 2), last(drawn, 2));
}

TEST_F(ExperimentRuns, AGroupMayHaveSeedsOfItsOwn) {
  Group group{"drawn", {"targets"}, "fobos", "passes=1 eta=0.01", drawn_rows(), {1, 2, 3}};
  group.base.task = Task::regression;
  const std::vector<Trained> runs = train(context, {{group}, {7}});
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[2].seed, 3U);
  const Trained mean = mean_of(runs);
  const Spread spread = spread_of(runs, "objective");
  EXPECT_NEAR(mean.last("objective"), spread.mean, 1e-12);
  EXPECT_LT(spread.least, spread.mean);
  EXPECT_LT(spread.mean, spread.most);
  EXPECT_GT(spread.deviation, 0);
}

TEST(SpreadOf, IsThatOfASample) {
  const Spread spread = spread_of(std::vector<double>{1, 2, 6});
  EXPECT_EQ(spread.mean, 3);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.most, 6);
  EXPECT_NEAR(spread.deviation, std::sqrt(7.0), 1e-12);
  EXPECT_TRUE(std::isnan(spread_of(std::vector<double>{1, kNaN}).mean));
  EXPECT_EQ(spread_of(std::vector<double>{4}).deviation, 0);
}

// Points between the updates of a batch would show the same model again.
TEST_F(ExperimentRuns, CurvesOfBatchesHaveAPointABatch) {
  Group group{"batches", {"targets"}, "fobos", "steps=12 batch=5 eta=0.01", drawn_rows()};
  group.base.task = Task::regression;
  const std::vector<double> rows = train(context, {{group}}).front().curve("examples");
  EXPECT_EQ(rows, (std::vector<double>{5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60}));
}

TEST(SettingsInWords, ForNamesAndForReaders) {
  const Settings settings = {{"eta", "1"}, {"passes", "10"}, {"radius", "3"}};
  EXPECT_EQ(as_grid(settings), " eta=1 passes=10 radius=3");
  EXPECT_EQ(as_words(settings), "eta 1, radius 3");
}

}  // namespace
