// --order replacement: drawn rows against the same rows written out one after another.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "data/cached.hpp"
#include "data/feed/feeder.hpp"
#include "tools/error_of.hpp"
#include "tools/every_solver.hpp"
#include "tools/scratch.hpp"

namespace thresh::replacement_oracle {
namespace {

constexpr std::uint64_t kPasses = 3;

// What `passes` passes draw, made the slow way.
std::vector<std::size_t> drawn(std::uint64_t seed, std::size_t rows, std::uint64_t passes) {
  std::vector<std::size_t> all;
  for (std::uint64_t pass = 1; pass <= passes; ++pass) {
    Random random(mix(seed) + pass);
    for (std::size_t i = 0; i < rows; ++i) all.push_back(random.below(rows));
  }
  return all;
}

DenseProblem written_out(const DenseProblem& data, const std::vector<std::size_t>& rows) {
  DenseProblem all = data;
  all.x.clear();
  all.y.clear();
  all.s.clear();
  for (const std::size_t i : rows) {
    all.x.push_back(data.x[i]);
    all.y.push_back(data.y[i]);
    all.s.push_back(data.s[i]);
  }
  return all;
}

// 280 rows: batches of 7 end with the pass.
TEST(Replacement, EverySolverOfRowsLearnsFromTheRowsDrawn) {
  const DenseProblem data = sparse_rows(280);
  std::size_t compared = 0;
  for_each_way([&](const SolverInfo& info, Options options) {
    options.passes = kPasses;
    options.order = Order::replacement;
    FitResult result;
    const std::string refused = refusal_of([&] { result = fit(plain_problem(data), options); });
    if (!refused.empty()) {
      EXPECT_TRUE(refused.starts_with(info.name + " learns from all rows together")) << refused;
      return;
    }
    const DenseProblem all = written_out(data, drawn(options.seed, 280, kPasses));
    options.order = Order::sequential;
    options.passes = 1;
    const FitResult expected = fit(plain_problem(all), options);
    EXPECT_EQ(weights_of(result.model, 40), weights_of(expected.model, 40));
    EXPECT_EQ(result.model.intercept, expected.model.intercept);
    ++compared;
  });
  EXPECT_GE(compared, 12U);
}

std::vector<std::uint64_t> visits(const std::shared_ptr<RowSource>& source) {
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  Feeder feeder(source, view, {.order = Order::replacement, .seed = 9, .passes = 2});
  std::vector<std::uint64_t> ids;
  for (Window window; feeder.next(window);) {
    for (const Row& row : window.rows) ids.push_back(row.id);
  }
  return ids;
}

// Several windows of draws.
std::string many_rows() {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += i % 3 == 0 ? "1 1:1 7:2\n" : "-1 2:1\n";
  return text;
}

TEST(Replacement, IsTheSameInMemoryAndFromACache) {
  ScratchDir scratch;
  const std::string path = scratch.write("rows", many_rows());
  const auto features = std::make_shared<FeatureMap>();
  const std::vector<std::uint64_t> ids = visits(open_rows(path, {}, features));
  const std::vector<std::size_t> expected = drawn(9, 10'000, 2);
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), expected.begin(), expected.end()));
  cache_text(path, scratch.file("cache"));
  EXPECT_EQ(visits(open_rows(scratch.file("cache"), {}, std::make_shared<FeatureMap>())), ids);
}

// Nobody but the feeder holds the rows of a file that is read once, and draws fill several windows.
TEST(Replacement, OnePassOverAFileLearnsWhatMemoryDoes) {
  const ScratchDir scratch;
  const std::string path = scratch.write("rows", many_rows());
  Options options;
  options.solver = "fobos";
  options.passes = 1;
  options.order = Order::replacement;
  Problem once;
  once.features = std::make_shared<FeatureMap>();
  once.train = open_rows(path, {}, once.features);
  Problem held = once;
  held.train = retained(once.train, 1 << 30);
  for (std::size_t k = 0; k < held.train->survey()->blocks; ++k) held.train->block(k);
  const Model expected = fit(held, options).model;
  const Model model = fit(once, options).model;
  EXPECT_EQ(weights_of(model, 7), weights_of(expected, 7));
  EXPECT_EQ(model.intercept, expected.intercept);
}

// A pass of draws misses many rows, so one without an update proves nothing.
TEST(Replacement, APassWithoutAnUpdateIsNotTheEnd) {
  DenseProblem data = random_problem(40, 5, 0.8, 2);
  for (std::size_t i = 0; i < 40; ++i) data.y[i] = data.x[i][0] > 0 ? 1 : -1;
  Options options;
  options.passes = 400;
  EXPECT_EQ(fit(plain_problem(data), options).status.outcome, Outcome::converged);
  options.order = Order::replacement;
  EXPECT_EQ(fit(plain_problem(data), options).status.outcome, Outcome::passes_spent);
}

// Everything that a learner sees of the rows drawn.
std::vector<double> shown(const std::shared_ptr<RowSource>& source, std::uint64_t memory) {
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  view.holdout = 0.2;
  view.keep = RowView::Keep::training;
  Feeder feeder(source, view,
                {.order = Order::replacement, .seed = 9, .passes = 2, .memory = memory});
  std::vector<double> all;
  for (Window window; feeder.next(window);) {
    for (const Row& row : window.rows) {
      all.insert(all.end(), {static_cast<double>(row.id), row.label, row.weight});
      all.insert(all.end(), row.slots, row.slots + row.size);
      all.insert(all.end(), row.values, row.values + row.size);
    }
    if (window.ends_pass) all.push_back(static_cast<double>(window.slot_end));
  }
  return all;
}

// Rows that do not fit into memory are drawn from a temporary file: all of them, or those after a
// few blocks.
TEST(Replacement, IsTheSameFromATemporaryFile) {
  const ScratchDir scratch;
  std::string text = many_rows();
  for (int i = 0; i < 3000; ++i) text += fmt::format("1 3:0.5 {}:{}\n", 8 + i % 50, i + 1);
  text += "-1\n";
  const auto rows = open_rows(scratch.write("rows", text), {}, std::make_shared<FeatureMap>());
  const std::vector<double> expected = shown(rows, 1 << 30);
  EXPECT_GT(expected.size(), 60'000U);
  for (const std::uint64_t memory : {0, 1, 100'000, 300'000}) {
    EXPECT_EQ(shown(rows, memory), expected) << memory;
  }
  cache_text(scratch.file("rows"), scratch.file("cache"));
  const auto cache = open_rows(scratch.file("cache"), {}, std::make_shared<FeatureMap>());
  ASSERT_NE(cache->packed_rows(), nullptr);
  EXPECT_EQ(shown(cache, 0), expected);
}

// A checkpoint names the place after the rows that were handed over.
TEST(Replacement, ContinuesAfterAnyPieceOfATemporaryFile) {
  const ScratchDir scratch;
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += i % 2 == 0 ? "1" : "-1";
    for (int j = 1; j <= 200; ++j) text += fmt::format(" {}:{}", j, i + 1);
    text += "\n";
  }
  const auto rows = open_rows(scratch.write("rows", text), {}, std::make_shared<FeatureMap>());
  PassPlan plan{.order = Order::replacement, .seed = 9, .passes = 2, .memory = 0};
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  std::vector<std::uint64_t> ids;
  std::vector<std::pair<std::size_t, RowPlace>> places;
  Feeder feeder(rows, view, plan);
  for (Window window; feeder.next(window);) {
    for (const Row& row : window.rows) ids.push_back(row.id);
    places.emplace_back(ids.size(), window.next);
  }
  ASSERT_GT(places.size(), 4U);  // several pieces a pass
  for (const auto& [before, place] : places) {
    plan.from = place;
    Feeder later(rows, view, plan);
    std::vector<std::uint64_t> rest;
    for (Window window; later.next(window);) {
      for (const Row& row : window.rows) rest.push_back(row.id);
    }
    EXPECT_TRUE(std::equal(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end(),
                           rest.begin(), rest.end()))
        << before;
  }
}

// A row of more entries than are read back together.
TEST(Replacement, ALongRowComesFromATemporaryFileToo) {
  const ScratchDir scratch;
  std::string text = "1 1:1\n-1 2:1\n1";
  for (int i = 1; i <= 40'000; ++i) text += fmt::format(" {}:{}", i, i);
  const auto rows =
      open_rows(scratch.write("rows", text + "\n"), {}, std::make_shared<FeatureMap>());
  EXPECT_EQ(shown(rows, 0), shown(rows, 1 << 30));
}

TEST(Replacement, LearnsTheSameFromATemporaryFile) {
  const ScratchDir scratch;
  Problem problem;
  problem.features = std::make_shared<FeatureMap>();
  problem.train = open_rows(scratch.write("rows", many_rows()), {}, problem.features);
  Options options;
  options.solver = "fobos";
  options.order = Order::replacement;
  const Model expected = fit(problem, options).model;
  options.memory = 1000;
  const Model model = fit(problem, options).model;
  EXPECT_EQ(weights_of(model, 7), weights_of(expected, 7));
  EXPECT_EQ(model.intercept, expected.intercept);
}

}  // namespace
}  // namespace thresh::replacement_oracle
