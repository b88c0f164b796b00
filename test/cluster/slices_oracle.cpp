// Margins by slices against naive sums, to the bit: in one process, and on ranks that each hold a
// share of the features.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "cluster/shares.hpp"
#include "cluster/slice_sums.hpp"
#include "cluster/sliced_runs.hpp"
#include "solvers/batch/spectrum.hpp"
#include "sparse/largest.hpp"
#include "thresh/checkpoint.hpp"
#include "tools/error_of.hpp"
#include "tools/model_text.hpp"
#include "tools/problems.hpp"
#include "tools/scratch.hpp"

namespace thresh::slices_oracle {
namespace {

// The sum over a balanced binary tree, as its definition reads.
double add_up(const std::vector<double>& sums) {
  if (sums.size() == 1) return sums[0];
  const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() / 2);
  return add_up({sums.begin(), middle}) + add_up({middle, sums.end()});
}

double sliced_sum(const std::vector<double>& w, const std::vector<double>& x,
                  std::uint64_t slices) {
  std::vector<double> sums;
  for (std::uint64_t slice = 0; slice < slices; ++slice) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] != 0 && slice_of(j, slices) == slice) sum += w[j] * x[j];
    }
    sums.push_back(sum);
  }
  return add_up(sums);
}

double soft(double v, double t) {
  return std::copysign(std::max(std::fabs(v) - t, 0.0), v);
}

struct Learned {
  std::vector<double> w;
  double b = 0;
};

// Algorithm 1 of Xie et al. with sliced margins.
Learned twin(const DenseProblem& data, const Options& options, double tau, std::uint64_t slices) {
  Learned now{std::vector<double>(data.features), 0};
  for (std::uint64_t pass = 1; pass <= options.passes; ++pass) {
    bool updated = false;
    for (const std::size_t i : visiting_order(options.order, options.seed, pass, data.x.size())) {
      const double a = sliced_sum(now.w, data.x[i], slices) + now.b;
      if (data.y[i] * a > tau) continue;
      Learned next = now;
      for (std::size_t j = 0; j < data.features; ++j) {
        if (data.x[i][j] == 0) continue;
        next.w[j] = soft(now.w[j] + *options.eta * data.y[i] * data.x[i][j], options.lambda);
      }
      next.b += *options.eta * data.y[i];
      const auto support =
          std::count_if(next.w.begin(), next.w.end(), [](double w) { return w != 0; });
      if (options.features && static_cast<std::uint64_t>(support) > *options.features) return now;
      now = next;
      updated = true;
    }
    if (!updated) break;
  }
  return now;
}

Options perceptron(std::uint64_t slices, std::uint64_t seed) {
  Options options;
  options.eta = 0.1;
  options.lambda = 1e-3;
  options.passes = 4;
  options.seed = seed;
  options.solver_options = {{"tau", "0.5"}, {"slices", std::to_string(slices)}};
  return options;
}

void expect_same(const Model& model, const Learned& expected) {
  std::vector<double> got(expected.w.size());
  for (const Coefficient& each : model.coefficients) got.at(each.index - 1) = each.weight;
  EXPECT_EQ(got, expected.w);
  EXPECT_EQ(model.intercept, expected.b);
}

RC_GTEST_PROP(Slices, EveryFeatureHasOneSlotOnOneRank, ()) {
  const auto slices = *rc::gen::inRange<std::uint64_t>(1, 100);
  const auto cut = *rc::gen::inRange<std::uint64_t>(0, slices);
  const Share low{slices, 0, cut, nullptr};
  const Share high{slices, cut, slices, nullptr};
  const auto first = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
  for (std::uint64_t id = first; id < first + 3 * slices; ++id) {
    const Share& owner = low.has(id) ? low : high;
    RC_ASSERT(low.has(id) != high.has(id));
    RC_ASSERT(owner.id(owner.slot(id)) == id);
  }
}

TEST(Slices, AreOfTheSameSize) {
  for (const std::uint64_t slices : {1, 2, 7, 64}) {
    std::vector<std::uint64_t> sizes(slices);
    for (std::uint64_t id = 0; id < 1000 * slices; ++id) ++sizes[slice_of(id, slices)];
    for (const std::uint64_t size : sizes) EXPECT_EQ(size, 1000U);
  }
}

// Models depend on these.
TEST(Slices, StayWhereTheyAre) {
  std::vector<std::uint64_t> found;
  for (const std::uint64_t id : {0, 63, 64, 100, 1'000'000}) found.push_back(slice_of(id, 64));
  EXPECT_EQ(found, (std::vector<std::uint64_t>{0, 63, 37, 9, 55}));
}

RC_GTEST_PROP(Slices, PerceptronEqualsItsTwinToTheBit, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto slices = *rc::gen::inRange<std::uint64_t>(1, 20);
  const DenseProblem data = rounding_problem(*rc::gen::inRange<std::size_t>(2, 60),
                                             *rc::gen::inRange<std::size_t>(1, 40), seed);
  Options options = perceptron(slices, seed);
  if (*rc::gen::arbitrary<bool>()) options.features = *rc::gen::inRange<std::uint64_t>(1, 40);
  expect_same(fit(to_problem(data), options).model, twin(data, options, 0.5, slices));
}

RC_GTEST_PROP(Slices, SumsEqualNaiveOnesToTheBit, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto slices = *rc::gen::inRange<std::uint64_t>(1, 70);
  const auto features = *rc::gen::inRange<std::size_t>(1, 200);
  const DenseProblem data = rounding_problem(5, features, seed);
  const std::vector<double> w = rounding_problem(1, features, seed + 2).x[0];
  const Problem problem = to_problem(data);
  const BlockPtr block = problem.train->block(0);
  WeightArray weights;
  weights.ensure(features);
  for (std::size_t j = 0; j < features; ++j) weights[j] = w[j];
  SliceSums sums(slices, *problem.features);
  sums.ensure_slots(features);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < block->rows(); ++i) rows.push_back(block->row(i));
  std::vector<double> dots;
  sums.dots(weights, rows, dots);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(dots[i] == sliced_sum(w, data.x[i], slices));
  }
}

// The slope of the squared loss carries every bit of a margin into the weights.
Options least_squares(std::uint64_t slices) {
  Options options;
  options.solver = "fobos";
  options.loss = Loss::squared;
  options.schedule = Schedule::constant;
  options.eta = 0.01;
  options.lambda = 0;
  options.passes = 3;
  options.solver_options["slices"] = std::to_string(slices);
  return options;
}

RC_GTEST_PROP(Slices, GradientStepsEqualTheirTwinToTheBit, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto slices = *rc::gen::inRange<std::uint64_t>(1, 20);
  const DenseProblem data = rounding_problem(*rc::gen::inRange<std::size_t>(2, 40), 40, seed);
  Learned now{std::vector<double>(data.features), 0};
  const Options options = least_squares(slices);
  for (std::uint64_t pass = 1; pass <= options.passes; ++pass) {
    for (const std::size_t i : visiting_order(options.order, options.seed, pass, data.x.size())) {
      const double slope = sliced_sum(now.w, data.x[i], slices) + now.b - data.y[i];
      for (std::size_t j = 0; j < data.features; ++j) {
        if (data.x[i][j] != 0) now.w[j] -= *options.eta * (slope * data.x[i][j]);
      }
      now.b -= *options.eta * slope;
    }
  }
  expect_same(fit(to_problem(data), options).model, now);
}

TEST(Slices, ShowInTheWeights) {
  const DenseProblem data = rounding_problem(400, 50, 3);
  std::map<std::string, int> models;
  for (const int slices : {1, 2, 16}) {
    Model model = fit(to_problem(data), least_squares(slices)).model;
    model.options.erase("slices");
    ++models[text_of(model)];
  }
  EXPECT_EQ(models.size(), 3U);
}

TEST(Slices, OneSliceIsOneSum) {
  const Problem problem = to_problem(rounding_problem(300, 40, 5));
  for (Options options : all_that_slice()) {
    Model plain = fit(problem, options).model;
    options.solver_options["slices"] = "1";
    Model sliced = fit(problem, options).model;
    sliced.options.erase("slices");
    EXPECT_EQ(text_of(sliced), text_of(plain)) << options.solver;
  }
}

TEST(Slices, AnyNumberOfRanksLearnsTheSameModel) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(120, 90, 6)));
  for (Options options : all_on_ranks()) {
    options.solver_options["slices"] = std::to_string(kSlices);
    const std::string alone = text_of(fit(open_problem(path), options).model);
    for (const std::size_t ranks : {2, 3, 8}) {
      EXPECT_EQ(learned_by(ranks, path, options, kSlices), alone)
          << options.solver << ", " << ranks << " ranks";
    }
  }
}

// Each class has a solver with sums of its own.
TEST(Slices, RanksLearnSeveralClasses) {
  const ScratchDir dir;
  const DenseProblem data = rounding_problem(90, 60, 16);
  std::string text;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    text += std::to_string(i % 3);
    for (std::size_t j = 0; j < data.features; ++j) {
      if (data.x[i][j] != 0) text += fmt::format(" {}:{}", j + 1, data.x[i][j]);
    }
    text += '\n';
  }
  const std::string path = dir.write("a.svm", text);
  std::vector<Options> all = all_on_ranks();
  Options softmax = all[1];
  softmax.multiclass = Multiclass::softmax;
  all.push_back(softmax);
  for (Options options : all) {
    options.passes = 2;
    options.solver_options["slices"] = std::to_string(kSlices);
    const std::string alone = text_of(fit(open_problem(path), options).model);
    EXPECT_EQ(learned_by(3, path, options, kSlices), alone) << options.solver;
  }
}

// A threshold by slices is the same number in another order of sums.
TEST(Slices, ProjectAsWithout) {
  const Problem problem = to_problem(rounding_problem(100, 50, 17));
  for (Options options : all_with_own_sums()) {
    const Model plain = fit(problem, options).model;
    options.solver_options["slices"] = "7";
    const Model sliced = fit(problem, options).model;
    ASSERT_EQ(sliced.coefficients.size(), plain.coefficients.size()) << options.solver;
    for (std::size_t k = 0; k < plain.coefficients.size(); ++k) {
      EXPECT_EQ(sliced.coefficients[k].index, plain.coefficients[k].index);
      EXPECT_NEAR(sliced.coefficients[k].weight, plain.coefficients[k].weight, 1e-6);
    }
  }
}

// After few rounds: many would hide where they began.
double eigenvalue(const Problem& problem) {
  RowView view;
  view.labels = LabelMap::regression();
  const Matrix matrix(problem.train, view, *problem.features);
  SliceSums sums(kSlices, *problem.features);
  return largest_eigenvalue(matrix, true, 4, nullptr, SlicedMatrix(sums, matrix));
}

TEST(Slices, EigenvaluesDoNotDependOnRanks) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(50, 40, 22)));
  const double alone = eigenvalue(open_problem(path));
  ThreadRanks(3).run(
      [&](Comm& comm) { EXPECT_EQ(eigenvalue(open_share(path, "", {}, kSlices, comm)), alone); });
}

RC_GTEST_PROP(Slices, TheLargestOfAllRanksStay, ()) {
  const auto features = *rc::gen::inRange<std::size_t>(1, 60);
  const auto k = *rc::gen::inRange<std::uint64_t>(0, 60);
  std::vector<double> all;
  for (std::size_t j = 0; j < features; ++j) all.push_back(*rc::gen::inRange(-4, 5));
  std::vector<double> expected = all;
  keep_largest(expected, k);
  std::vector<double> found(features);
  ThreadRanks(3).run([&](Comm& comm) {
    FeatureMap map(share_of(comm.rank(), comm, 8));
    std::vector<std::uint32_t> slots;
    std::vector<double> weights;
    for (std::size_t j = 0; j < features; ++j) {
      if (!map.share()->has(j)) continue;
      slots.push_back(map.slot(j));
      weights.push_back(all[j]);
    }
    keep_largest_anywhere(map, k, slots, weights);
    for (std::size_t i = 0; i < slots.size(); ++i) found[map.id(slots[i])] = weights[i];
  });
  RC_ASSERT(found == expected);
}

// Indices for which no rank has a slot of its own.
TEST(Slices, RanksShareHugeIndices) {
  const ScratchDir dir;
  const DenseProblem data = rounding_problem(60, 30, 8);
  std::string text;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    text += data.y[i] > 0 ? "+1" : "-1";
    for (std::uint64_t j = 0; j < data.features; ++j) {
      if (data.x[i][j] == 0) continue;
      text += fmt::format(" {}:{}", 1 + j * j * j * 30'000'000, data.x[i][j]);
    }
    text += '\n';
  }
  const std::string path = dir.write("a.svm", text);
  const Options options = least_squares(8);
  const std::string alone = text_of(fit(open_problem(path), options).model);
  EXPECT_EQ(learned_by(3, path, options, 8), alone);
}

TEST(Slices, ARankHoldsItsOwnFeaturesOnly) {
  const ScratchDir dir;
  const DenseProblem data = rounding_problem(100, 64, 9);
  const std::string path = dir.write("a.svm", as_text(data));
  std::size_t entries = 0;
  std::mutex mutex;
  ThreadRanks(4).run([&](Comm& comm) {
    const Problem problem = open_share(path, "", {}, 64, comm);
    const BlockPtr block = problem.train->block(0);
    const std::lock_guard lock(mutex);
    EXPECT_LE(block->slot_end, 16U);
    entries += block->slots.size();
    EXPECT_LE(block->slots.capacity(), block->slots.size());
  });
  EXPECT_EQ(entries, open_problem(path).train->block(0)->slots.size());
}

TEST(Slices, ValidationFilesAreSharedToo) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(100, 40, 10)));
  const std::string valid = dir.write("b.svm", as_text(rounding_problem(200, 60, 11)));
  const Options options = perceptron(8, 1);
  const std::string alone = text_of(fit(open_problem(path, valid), options).model);
  EXPECT_EQ(learned_by(3, path, options, 8, valid), alone);
}

TEST(Slices, BlocksOfMarginsSaveExchanges) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(500, 40, 12)));
  Options options = perceptron(8, 1);
  options.passes = 1;
  const FitResult alone = fit(open_problem(path), options);
  ThreadRanks(2).run([&](Comm& comm) {
    fit(open_share(path, "", {}, 8, comm), options);
    // An exchange for each update, and one for each doubling after it.
    EXPECT_LT(comm.traffic().exchanges, 500U);
    EXPECT_GT(comm.traffic().exchanges, alone.last.at.updates);
  });
}

TEST(Slices, WhatRanksCannotDoIsRefused) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(100, 20, 13)));
  const auto complaint = [&](const Options& options) {
    return refusal_of([&] { learned_by(2, path, options, 8); });
  };
  Options options = perceptron(8, 1);
  Checkpoint checkpoint(dir.file("c"), 0, {});
  options.iterate = Iterate::average;
  options.checkpoint = &checkpoint;
  EXPECT_EQ(complaint(options),
            "--checkpoint with --iterate average does not support several ranks yet");
  options = perceptron(8, 1);
  options.solver_options.erase("slices");
  EXPECT_EQ(complaint(options),
            "margin-perceptron without --slices does not support several ranks yet");
  options = perceptron(16, 1);
  EXPECT_EQ(complaint(options), "the rows were read for 8 slices");
}

// Rank 0 collects them in pieces of 65,536 weights.
TEST(Slices, LargeModelsAreCollected) {
  const ScratchDir dir;
  std::string row = "+1";
  for (int j = 1; j <= 3 * 65536 + 5; ++j) row += fmt::format(" {}:1", j);
  const std::string path = dir.write("a.svm", row + "\n-1 7:1\n");
  const std::string alone = text_of(fit(open_problem(path), perceptron(2, 1)).model);
  EXPECT_GT(alone.size(), std::size_t{1} << 20);
  EXPECT_TRUE(learned_by(2, path, perceptron(2, 1), 2) == alone);
}

TEST(Slices, OtherDataAreNoticed) {
  const ScratchDir dir;
  dir.write("0.svm", "+1 1:1\n-1 1:2\n");
  dir.write("1.svm", "+1 1:1\n-1 1:3\n");
  const std::string said = error_of([&] {
    ThreadRanks(2).run([&](Comm& comm) {
      open_share(dir.file(std::to_string(comm.rank()) + ".svm"), "", {}, 8, comm);
    });
  });
  EXPECT_NE(said.find("rank 1 reads other data than rank 0"), std::string::npos) << said;
}

TEST(Slices, SolversThatCannotSayWhy) {
  Options options;
  options.solver = "cd";
  options.solver_options["slices"] = "8";
  EXPECT_EQ(
      refusal_of([&] { check_options(options); }),
      "--slices does not apply to cd: it steps along one feature at a time, so there is no "
      "margin to share (use margin-perceptron, truncated-gradient, smidas, fobos, l0-sgd, grades, "
      "projected-gradient, rda, ftrl, budget)");
}

}  // namespace
}  // namespace thresh::slices_oracle
