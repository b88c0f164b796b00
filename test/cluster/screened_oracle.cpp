// Searches and fits of the solver budget with --slices: a screening on divided features, and then
// what one process does with the features that are left.

#include <gtest/gtest.h>

#include <set>

#include "cluster/sliced_runs.hpp"
#include "data/feed/window.hpp"
#include "data/read/narrowed_rows.hpp"
#include "solvers/budget/plan.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/train.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"
#include "train/screened.hpp"

namespace thresh::screened_oracle {
namespace {

constexpr std::uint64_t kMany = 60'000;  // features: more than a screening leaves

// Eight features decide about the label, among many rare ones.
std::string telling(std::size_t rows, int classes, std::uint64_t seed,
                    std::uint64_t features = kMany) {
  Random random(seed);
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    std::string row;
    double margin = 0.5 * (random.uniform() - 0.5);
    for (int j = 1; j <= 8; ++j) {
      if (random.uniform() < 0.5) continue;
      const double x = 0.3 + random.uniform();
      margin += (j % 2 == 0 ? x : -x) / j;
      row += fmt::format(" {}:{}", j, x);
    }
    std::set<std::uint64_t> rare;
    for (int k = 0; k < 10; ++k) rare.insert(9 + random.below(features - 9));
    for (const std::uint64_t j : rare) row += fmt::format(" {}:{}", j, random.uniform() / 3);
    if (classes == 2) text += margin > 0 ? "+1" : "-1";
    if (classes == 3) text += margin > 0.3 ? "2" : margin < -0.3 ? "0" : "1";
    if (classes == 0) text += fmt::format("{}", margin);
    text += row + '\n';
  }
  return text;
}

// Of few steps, each of which is an exchange.
TrainOptions usual() {
  TrainOptions options;
  options.seed = 3;
  options.passes = 2;
  options.holdout = 0.3;
  options.solver_options["slices"] = std::to_string(kSlices);
  return options;
}

std::string trained(const Problem& problem, TrainOptions options, Comm* comm = nullptr) {
  options.ranks = comm;
  return text_of(thresh::train(problem, options).model);
}

void expect_same(const std::string& path, const TrainOptions& options,
                 const std::string& valid = "", std::vector<std::size_t> sizes = {2, 3, 4}) {
  const std::string alone = trained(open_problem(path, valid), options);
  EXPECT_EQ(alone.find("\"nonzeros\":0,"), std::string::npos) << "a model without features";
  for (const std::size_t ranks : sizes) {
    ThreadRanks(ranks).run([&](Comm& comm) {
      const Problem problem = open_share(path, valid, {}, kSlices, comm);
      EXPECT_EQ(trained(problem, options, &comm), alone) << ranks << " ranks";
    });
  }
}

TEST(ScreeningPlan, NarrowsForThreeQuartersOfTheStages) {
  for (const std::uint64_t first : {10, 20'000, 16'000'000}) {
    const std::vector<Stage> plan = plan_selection(first, 20'000, 20);
    ASSERT_EQ(plan.size(), 20U);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      EXPECT_EQ(plan[i].features == 20'000, first <= 20'000 || i >= 14) << first << ' ' << i;
      EXPECT_LE(plan[i].features,
                i == 0 ? std::max<std::uint64_t>(first, 20'000) : plan[i - 1].features);
      EXPECT_FALSE(plan[i].curved || plan[i].records);
    }
  }
}

class Screening : public ::testing::Test {
 protected:
  ScratchDir dir;
  std::string path = dir.write("a.svm", telling(200, 2, 1));
};

TEST_F(Screening, AnyNumberOfRanksFindsTheSameModel) {
  expect_same(path, usual());
  TrainOptions options = usual();
  options.features = 20;
  expect_same(path, options);
  options.solver_options["ridge"] = "0.5";
  expect_same(path, options);
  options.keep = {5};
  expect_same(path, options);
}

// Each rank has the rows of one fold at a time.
TEST_F(Screening, InFolds) {
  TrainOptions options = usual();
  options.holdout = 0;
  options.features = 20;
  expect_same(path, options, "", {3});
}

TEST_F(Screening, OnOtherRows) {
  const std::string more = dir.write("b.svm", telling(100, 2, 2));
  TrainOptions options = usual();
  options.holdout = 0;
  expect_same(path, options, more, {2});
  options = usual();
  options.max_error = 0.6;
  expect_same(path, options, "", {2});
  const std::string classes = dir.write("c.svm", telling(150, 3, 3));
  options = usual();
  options.features = 20;
  options.shared_budget = true;
  expect_same(classes, options, "", {2});
  options.shared_budget = false;
  options.multiclass = Multiclass::softmax;
  expect_same(classes, options, "", {2});
  const std::string numbers = dir.write("n.svm", telling(150, 0, 5));
  options = usual();
  options.task = Task::regression;
  expect_same(numbers, options, "", {3});
}

TEST_F(Screening, WithScales) {
  TrainOptions options = usual();
  options.features = 20;
  ReadOptions read;
  read.scale = FeatureScale::max;
  const std::string alone = trained(open_problem(path, "", read), options);
  EXPECT_NE(alone, trained(open_problem(path), options));
  ThreadRanks(3).run([&](Comm& comm) {
    EXPECT_EQ(trained(open_share(path, "", read, kSlices, comm), options, &comm), alone);
  });
  // Weights are divided by the scales of their features.
  const std::string few = dir.write("few.svm", telling(200, 2, 1, 1000));
  Model sliced = thresh::train(open_problem(few, "", read), options).model;
  sliced.options.erase("slices");
  options.solver_options.clear();
  EXPECT_EQ(text_of(sliced), trained(open_problem(few, "", read), options));
}

// Then the model is that of one process without slices, which it records all the same.
TEST_F(Screening, DropsNothingOfFewFeatures) {
  const std::string few = dir.write("few.svm", telling(200, 2, 1, 1000));
  const std::string table = dir.write("t.svm", as_text(rounding_problem(150, 30, 18)));
  for (const std::string& each : {few, table}) {
    TrainOptions options = usual();
    options.features = 5;
    Model sliced = thresh::train(open_problem(each), options).model;
    EXPECT_EQ(sliced.options.at("slices").number(), kSlices);
    sliced.options.erase("slices");
    expect_same(each, options, "", {3});
    options.solver_options.clear();
    EXPECT_EQ(text_of(sliced), trained(open_problem(each), options));
  }
}

// Of more features than are left, those that tell the classes apart.
TEST_F(Screening, LeavesTheBestFeatures) {
  std::string text;
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    const bool positive = random.uniform() < 0.5;
    text += fmt::format("{} {}:1", positive ? "+1" : "-1", positive ? 17 : 18);
    std::set<std::uint64_t> others;
    while (others.size() < 15) others.insert(100 + random.below(2 * kMany));
    for (const std::uint64_t j : others) text += fmt::format(" {}:{}", j, random.uniform() + 0.1);
    text += '\n';
  }
  const std::string many = dir.write("many.svm", text);
  Options options = usual();
  options.holdout = 0;
  options.features = 2;
  options.solver_options["ridge"] = "1";
  const Problem problem = open_problem(many);
  const Screened left = screen(problem, options);
  const std::vector<std::uint64_t> ids = left.problem.features->hashed_ids();
  EXPECT_EQ(ids.size(), 20'000U);
  EXPECT_EQ(ids[0], 16U);
  EXPECT_EQ(ids[1], 17U);
  const Model model = fit(problem, options).model;
  ASSERT_EQ(model.coefficients.size(), 2U);
  EXPECT_EQ(model.coefficients[0].index, 17U);
  EXPECT_EQ(model.coefficients[1].index, 18U);
}

// Or their errors would be too low.
TEST_F(Screening, LooksAtNoHeldOutRow) {
  Options options = usual();
  options.features = 20;
  options.solver_options["ridge"] = "1";
  RowView view;
  view.keep = RowView::Keep::training;
  view.holdout = 0.3;
  view.seed = options.seed;
  std::istringstream lines(telling(200, 2, 1));
  std::string changed;
  std::uint64_t row = 0;
  for (std::string line; std::getline(lines, line); ++row) {
    changed += view.wants(row) ? line : line.substr(0, 2) + fmt::format(" {}:9", 50'000 + row);
    changed += '\n';
  }
  const auto left = [&](const std::string& file) {
    return screen(open_problem(file), options).problem.features->hashed_ids();
  };
  EXPECT_EQ(left(path), left(dir.write("changed.svm", changed)));
  options.holdout = 0;
  EXPECT_NE(left(path), left(dir.file("changed.svm")));
}

TEST_F(Screening, KeepsWhatMustBeKept) {
  Options options = usual();
  options.features = 20;
  options.keep = {59'999};  // in no row: the only one that is sure to be dropped
  const std::vector<std::uint64_t> ids =
      screen(open_problem(path), options).problem.features->hashed_ids();
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 59'998U), 1);
}

// The naive way: every entry of every row.
TEST_F(Screening, NarrowedRowsAreTheRowsWithTheseFeatures) {
  const std::string weighted = dir.write("w.svm", words(2500, 300, 2, 8));
  const std::vector<std::uint64_t> ids = {0, 3, 4, 50, 51, 52, 299};
  const Problem whole = open_problem(weighted);
  std::string expected;
  for (std::size_t k = 0; k < whole.train->survey()->blocks; ++k) {
    const BlockPtr block = whole.train->block(k);
    for (std::size_t i = 0; i < block->rows(); ++i) {
      const Row row = block->row(i);
      expected += fmt::format("{} {} {}", row.id, row.label, block->lines[i]);
      for (std::size_t e = 0; e < row.size; ++e) {
        const auto at = std::find(ids.begin(), ids.end(), row.slots[e]);
        if (at != ids.end()) expected += fmt::format(" {}:{}", at - ids.begin(), row.values[e]);
      }
      expected += '\n';
    }
  }
  for (const std::size_t to : {0, 2}) {
    ThreadRanks(3).run([&](Comm& comm) {
      const Problem problem = open_share(weighted, "", {}, kSlices, comm);
      const auto rows = narrowed_rows(problem.train, *problem.features, ids, to, nullptr);
      ASSERT_EQ(rows != nullptr, comm.rank() == to);
      if (!rows) return;
      EXPECT_EQ(rows->survey()->dimension, whole.train->survey()->dimension);
      std::string found;
      rows->for_each_block([&](const BlockPtr& block) {
        for (std::size_t i = 0; i < block->rows(); ++i) {
          const Row row = block->row(i);
          found += fmt::format("{} {} {}", row.id, row.label, block->lines[i]);
          for (std::size_t e = 0; e < row.size; ++e) {
            EXPECT_LT(row.slots[e], block->slot_end);
            found += fmt::format(" {}:{}", row.slots[e], row.values[e]);
          }
          found += '\n';
        }
      });
      EXPECT_EQ(found, expected);
    });
  }
}

TEST_F(Screening, RefusesWhatLooksAtDroppedFeatures) {
  const auto complaint = [&](const Options& options) {
    return refusal_of([&] { fit(open_problem(path), options); });
  };
  Options options = usual();
  options.features = 20;
  options.solver_options["ridge"] = "1";
  options.certify = true;
  EXPECT_EQ(complaint(options),
            "--slices: a search or a fit by budget does not support --certify: nothing is proved "
            "of the features that the screening drops");
  options.certify = false;
  options.signs = {"+3"};
  EXPECT_EQ(complaint(options),
            "--slices: --signs does not apply to more than 20000 features, of which a screening "
            "drops some");
  options.signs.clear();
  options.solver_options["groups"] = "g";
  EXPECT_EQ(complaint(options),
            "--slices: --groups does not apply to more than 20000 features, of which a screening "
            "drops some");
}

TEST_F(Screening, RefusesCentredFeaturesHoweverFewThereAre) {
  std::string rows;
  for (int i = 0; i < 60; ++i) rows += fmt::format("{} 1:{} 2:{}\n", i % 2, 5 + i % 3, 9 + i % 2);
  ReadOptions read;
  read.scale = FeatureScale::standard;
  Options options = usual();
  options.features = 1;
  options.solver_options["ridge"] = "1";
  const Problem centred = open_problem(dir.write("centred.svm", rows), "", read);
  EXPECT_EQ(refusal_of([&] { fit(centred, options); }),
            "--scale standard does not work with --slices where most rows have a feature");
}

}  // namespace
}  // namespace thresh::screened_oracle
