// The search against a loop over fit() that shares nothing, keeps nothing and hurries nowhere.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "select/tuning.hpp"
#include "thresh/error.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::tune_oracle {
namespace {

const char* const kGrid = "lambda=0,0.003,0.01,0.03,0.1 eta=0.1,1";

struct Naive {
  double error = 0, loss = 0, nonzeros = 0, error_se = 0;
};

// By folds, or by the held-out rows of the options themselves.
Naive naive(const DenseProblem& rows, Options options, std::uint64_t folds) {
  std::vector<Naive> parts;
  for (std::uint64_t fold = 0; fold < std::max<std::uint64_t>(1, folds); ++fold) {
    options.folds = folds;
    options.fold = fold;
    if (folds > 0) options.holdout = 0;
    const TracePoint last = fit(to_problem(rows), options).last;
    const double p = *last.valid_error;
    parts.push_back({p, *last.valid_loss, static_cast<double>(last.at.nonzeros),
                     std::sqrt(p * (1 - p) / static_cast<double>(last.valid_rows))});
  }
  Naive mean;
  const auto n = static_cast<double>(parts.size());
  for (const Naive& part : parts) {
    mean.error += part.error / n;
    mean.loss += part.loss / n;
    mean.nonzeros += part.nonzeros / n;
  }
  if (parts.size() == 1) mean.error_se = parts[0].error_se;
  double squares = 0;
  for (const Naive& part : parts) squares += (part.error - mean.error) * (part.error - mean.error);
  if (parts.size() > 1) mean.error_se = std::sqrt(squares / (n - 1) / n);
  return mean;
}

void expect_like_naive(const Judged& judged, const Naive& expected) {
  EXPECT_EQ(judged.failure, "");
  EXPECT_DOUBLE_EQ(judged.error.mean, expected.error);
  EXPECT_DOUBLE_EQ(judged.loss.mean, expected.loss);
  EXPECT_DOUBLE_EQ(judged.nonzeros.mean, expected.nonzeros);
  EXPECT_NEAR(*judged.error.se, expected.error_se, 1e-12);
}

const Judged& find(const TuneResult& tuned, const Settings& settings) {
  for (const Judged& judged : tuned.candidates) {
    if (judged.candidate.settings == settings) return judged;
  }
  throw std::logic_error("a candidate is missing");
}

TEST(Tune, SameNumbersAndSameChoiceAsALoopOverFit) {
  const DenseProblem rows = learnable();
  for (const std::uint64_t folds : {0, 4}) {
    for (const By by : {By::error, By::loss}) {
      const std::vector<Candidate> candidates = candidates_of(kGrid, fobos());
      TuneOptions options;
      options.folds = folds;
      options.by = by;
      const TuneResult tuned = tune(to_problem(rows), candidates, options);
      ASSERT_EQ(tuned.candidates.size(), candidates.size());
      std::tuple<double, double, double> best{1e9, 1e9, 1e9};
      Settings chosen;
      for (const Candidate& candidate : candidates) {
        const Naive expected = naive(rows, candidate.options, folds);
        expect_like_naive(find(tuned, candidate.settings), expected);
        const std::tuple<double, double, double> key{
            by == By::error ? expected.error : expected.loss,
            by == By::error ? expected.loss : expected.error, expected.nonzeros};
        if (key < best) {
          best = key;
          chosen = candidate.settings;
        }
      }
      EXPECT_EQ(tuned.chosen, 0U);
      EXPECT_EQ(tuned.candidates[0].candidate.settings, chosen);
    }
  }
}

TEST(Tune, WithinOneStandardErrorTheSmallestIsChosen) {
  const DenseProblem rows = learnable();
  TuneOptions options;
  options.one_se = true;
  for (const std::uint64_t folds : {0, 5}) {
    options.folds = folds;
    const TuneResult tuned =
        tune(to_problem(rows), candidates_of("lambda=0.001:0.04:0.003", fobos()), options);
    const Judged& best = tuned.candidates.front();
    double fewest = 1e9;
    for (const Judged& judged : tuned.candidates) {
      if (judged.error.mean <= best.error.mean + *best.error.se) {
        fewest = std::min(fewest, judged.nonzeros.mean);
      }
    }
    EXPECT_LT(fewest, best.nonzeros.mean);  // or this would test nothing
    EXPECT_EQ(tuned.candidates[*tuned.chosen].nonzeros.mean, fewest);
  }
}

// Of ten with nine passes: ten for one pass, four anew for three, two for all nine.
TEST(Tune, HalvingGivesTheBestThirdThreeTimesThePasses) {
  const DenseProblem rows = learnable();
  TuneOptions options;
  options.search = Search::halving;
  std::vector<Candidate> left = candidates_of(kGrid, fobos(9));
  const TuneResult tuned = tune(to_problem(rows), left, options);
  std::size_t rung = 0;
  for (const std::uint64_t passes : {1, 3, 9}) {
    std::vector<std::pair<std::pair<double, double>, std::size_t>> order;
    for (std::size_t i = 0; i < left.size(); ++i) {
      Options short_run = left[i].options;
      short_run.passes = passes;
      const Naive expected = naive(rows, short_run, 0);
      order.push_back({{expected.error, expected.loss}, i});
      const Judged& judged = find(tuned, left[i].settings);
      EXPECT_GE(judged.rung, rung);
      EXPECT_EQ(judged.candidate.options.passes, 9U);
      if (judged.rung == rung) expect_like_naive(judged, expected);
    }
    std::sort(order.begin(), order.end());
    std::vector<Candidate> next;
    for (std::size_t k = 0; k < (left.size() + 2) / 3; ++k) next.push_back(left[order[k].second]);
    if (passes == 9) {
      EXPECT_EQ(left.size(), 2U);
      EXPECT_EQ(tuned.candidates[0].candidate.settings, next[0].settings);
    }
    left = next;
    ++rung;
  }
}

// Few rows are shown more often than --passes would say, unless it is the user who does.
Options budget_of(std::uint64_t passes) {
  Options options;
  options.solver = "budget";
  options.passes = passes;
  options.holdout = 0.3;
  return options;
}

TEST(Tune, ARunIsJudgedWithThePassesItsSolverWants) {
  const DenseProblem rows = learnable(200);
  const std::vector<Candidate> candidates = candidates_of("features=2,5,9", budget_of(0));
  for (const std::uint64_t folds : {0, 3}) {
    TuneOptions options;
    options.folds = folds;
    const TuneResult tuned = tune(to_problem(rows), candidates, options);
    for (const Judged& alone : cross_validate(to_problem(rows), candidates, folds)) {
      const Judged& judged = find(tuned, alone.candidate.settings);
      EXPECT_EQ(judged.error.mean, alone.error.mean);
      EXPECT_EQ(judged.loss.mean, alone.loss.mean);
      EXPECT_EQ(judged.candidate.options.passes, 0U);
      expect_like_naive(judged, naive(rows, alone.candidate.options, folds));
    }
  }
}

// 200 rows five times, 20 times over: 100 passes, of which the first of three rungs has a ninth.
TEST(Tune, HalvingDividesThePassesThatTheSolverWants) {
  const DenseProblem rows = learnable(200);
  TuneOptions options;
  options.search = Search::halving;
  const TuneResult tuned =
      tune(to_problem(rows), candidates_of("features=1:9:1", budget_of(0)), options);
  for (const Judged& judged : tuned.candidates) {
    const std::uint64_t passes[] = {12, 34, 0};
    Options run = judged.candidate.options;
    run.passes = passes[judged.rung];
    expect_like_naive(judged, naive(rows, run, 0));
  }
  EXPECT_EQ(tuned.candidates.front().rung, 2U);
}

TEST(Tune, SeveralClassesAndRegression) {
  DenseProblem rows = learnable();
  for (std::size_t i = 0; i < rows.y.size(); ++i) rows.y[i] = rows.y[i] + (i % 3 == 0 ? 3 : 0);
  const std::vector<Candidate> classes = candidates_of("lambda=0.001,0.1", fobos());
  const TuneResult several = tune(to_problem(rows), classes, {});
  for (const Candidate& candidate : classes) {
    expect_like_naive(find(several, candidate.settings), naive(rows, candidate.options, 0));
  }
  Options regression = fobos();
  regression.task = Task::regression;
  const std::vector<Candidate> values = candidates_of("eta=0.001,0.01", regression);
  TuneOptions options;
  options.folds = 3;
  const TuneResult fitted = tune(to_problem(rows), values, options);
  for (const Candidate& candidate : values) {
    expect_like_naive(find(fitted, candidate.settings), naive(rows, candidate.options, 3));
  }
}

// The delta method against the variance of squared residuals, row by row.
TEST(Tune, StandardErrorOfAnRmse) {
  const DenseProblem rows = learnable(400);
  Options options = fobos();
  options.task = Task::regression;
  options.eta = 0.01;
  const FitResult result = fit(to_problem(rows), options);
  std::vector<double> squares;
  for (std::size_t i = 0; i < rows.x.size(); ++i) {
    if (Random(options.seed, i).uniform() >= options.holdout) continue;
    double margin = result.model.intercept;
    for (const Coefficient& each : result.model.coefficients) {
      margin += each.weight * rows.x[i][each.index - 1];
    }
    squares.push_back((margin - rows.y[i]) * (margin - rows.y[i]));
  }
  const auto n = static_cast<double>(squares.size());
  double mean = 0, variance = 0;
  for (const double square : squares) mean += square / n;
  for (const double square : squares) variance += (square - mean) * (square - mean) / n;
  EXPECT_EQ(result.last.valid_rows, squares.size());
  EXPECT_NEAR(*result.last.valid_error, std::sqrt(mean), 1e-12);
  EXPECT_NEAR(*result.last.valid_error_se, std::sqrt(variance / n) / (2 * std::sqrt(mean)), 1e-12);
}

TEST(Tune, OneThatDivergesOrIsRefusedIsALineOfTheTable) {
  Options base = fobos();
  base.loss = Loss::squared;
  base.schedule = Schedule::constant;
  const TuneResult tuned =
      tune(to_problem(learnable()), candidates_of("eta=1e9,-1,0.01", base), {});
  ASSERT_EQ(tuned.candidates.size(), 3U);
  EXPECT_EQ(tuned.chosen, 0U);
  EXPECT_EQ(tuned.candidates[0].candidate.settings[0].second, "0.01");
  EXPECT_TRUE(find(tuned, {{"eta", "1e9"}}).failure.starts_with("diverged: "));
  EXPECT_EQ(find(tuned, {{"eta", "-1"}}).failure, "--eta must be a finite number above 0");
  EXPECT_EQ(
      refusal_of([&] { tune(to_problem(learnable()), candidates_of("eta=-1,-2", base), {}); }),
      "--eta must be a finite number above 0");
  const TuneResult hopeless = tune(to_problem(learnable()), candidates_of("eta=1e9,2e9", base), {});
  EXPECT_FALSE(hopeless.chosen);
  base.holdout = 0;
  EXPECT_NE(refusal_of([&] { tune(to_problem(learnable()), candidates_of("eta=1", base), {}); }),
            "");
}

// No error on no rows is no merit.
TEST(Tune, HeldOutRowsThatDoNotCountSayNothing) {
  const ScratchDir dir;
  Options base = fobos();
  std::string weights;
  for (std::uint64_t i = 0; i < 200; ++i) {
    weights += Random(base.seed, i).uniform() < base.holdout ? "0\n" : "1\n";
  }
  base.weights_file = dir.write("weights", weights);
  const TuneResult tuned = tune(to_problem(learnable(200)), candidates_of("eta=1", base), {});
  EXPECT_FALSE(tuned.chosen);
  EXPECT_EQ(tuned.candidates[0].failure, "all held-out rows have weight zero");
}

}  // namespace
}  // namespace thresh::tune_oracle
