// The choice of a size on the curve of all sizes, compared with a twin that keeps a row of numbers
// for each size, and what it must and must not be moved by.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "select/paired.hpp"
#include "select/size_curve.hpp"
#include "sparse/random.hpp"

namespace thresh::size_curve_law {
namespace {

using Rows = std::vector<double>;

SizedResult sized(std::uint64_t budget, const Rows& losses, const std::string& name = "") {
  auto scores = std::make_shared<RowScores>();
  double sum = 0;
  for (const double loss : losses) {
    scores->losses.push_back(static_cast<float>(loss));
    scores->misses.push_back(loss > 0.5 ? 1 : 0);
    scores->weights.push_back(1);
    sum += static_cast<double>(static_cast<float>(loss));
  }
  SizedResult model;
  model.budget = budget;
  model.settings = {{"name", name}};
  model.last.valid_loss = sum / static_cast<double>(losses.size());
  model.last.row_scores = std::move(scores);
  return model;
}

constexpr std::size_t kRows = 200;

// Rows of this mean loss, which no chance moves.
Rows all(double loss) {
  return Rows(kRows, loss);
}

Frontier curve(const std::vector<double>& losses, double constant) {
  Frontier frontier;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    frontier.tried.push_back(sized(std::uint64_t{1} << i, all(losses[i])));
  }
  frontier.constant = sized(0, all(constant));
  return frontier;
}

std::uint64_t chosen(const Frontier& frontier) {
  return smallest_on_curve(frontier)->budget;
}

double mean_of(const Rows& rows) {
  double sum = 0;
  for (const double value : rows) sum += value;
  return sum / static_cast<double>(rows.size());
}

// Mean and standard error of the difference, of rows that occur `repeats` times, one after the
// other.
Difference plain_difference(const Rows& a, const Rows& b, std::size_t repeats) {
  const std::size_t n = a.size() / repeats;
  Rows off(n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    off[i % n] += (a[i] - b[i]) / static_cast<double>(repeats);
  }
  const double mean = mean_of(off);
  double squares = 0;
  for (const double each : off) squares += (each - mean) * (each - mean);
  return {mean, std::sqrt(squares) / static_cast<double>(n)};
}

// The same choice, written down again.
std::uint64_t plain_choice(const std::map<std::uint64_t, std::vector<Rows>>& tried,
                           const Rows& constant, std::size_t repeats) {
  std::vector<std::uint64_t> sizes;
  std::vector<Rows> best;
  for (const auto& [size, models] : tried) {
    sizes.push_back(size);
    best.push_back(
        *std::min_element(models.begin(), models.end(),
                          [](const Rows& a, const Rows& b) { return mean_of(a) < mean_of(b); }));
  }
  const std::size_t count = best.size();
  std::vector<Rows> smooth = best;
  for (std::size_t s = 0; s < count && count >= 7; ++s) {
    double weights = 3;
    Rows moves(constant.size());
    for (std::size_t other = 0; other < count; ++other) {
      const std::size_t steps = other > s ? other - s : s - other;
      if (steps == 0 || steps > 2) continue;
      const double weight = steps == 1 ? 2 : 1;
      weights += weight;
      const Difference apart = plain_difference(best[other], best[s], repeats);
      const bool clearly = std::fabs(apart.mean) > 4 * apart.se;
      const double share = clearly ? std::pow(4 * apart.se / std::fabs(apart.mean), 3) : 1;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        moves[i] += weight * share * (best[other][i] - best[s][i]);
      }
    }
    for (std::size_t i = 0; i < moves.size(); ++i) smooth[s][i] += moves[i] / weights;
  }
  std::size_t top = 0;
  for (std::size_t s = 1; s < count; ++s) top = mean_of(smooth[s]) < mean_of(smooth[top]) ? s : top;
  const Difference gain = plain_difference(constant, smooth[top], repeats);
  if (gain.mean <= 2 * gain.se) return 0;
  double slack = std::min(0.01 * gain.mean, 0.1 * mean_of(smooth[top]));
  slack = std::max(slack, 0.002 * gain.mean);
  for (std::size_t s = 0; s < count; ++s) {
    const Difference worse = plain_difference(smooth[s], smooth[top], repeats);
    if (worse.mean <= std::max(worse.se / 2, slack)) return sizes[s];
  }
  return 0;
}

// Curves that fall, with two models of each size, as noisy as differences between sizes are large.
TEST(SizeCurve, ChoosesAsItsTwin) {
  std::map<std::uint64_t, int> choices;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    const std::size_t repeats = 1 + seed % 3;
    const std::size_t n = 20 + random.below(60);
    const std::size_t count = 1 + random.below(12);
    const double noise = 2 * random.uniform();
    Rows hard(n);
    for (double& each : hard) each = random.uniform();
    const auto draw = [&](double level) {
      Rows rows(n * repeats);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = static_cast<float>(level * hard[i % n] + noise * random.uniform());
      }
      return rows;
    };
    std::map<std::uint64_t, std::vector<Rows>> tried;
    Frontier frontier;
    frontier.repeats = repeats;
    for (std::size_t s = 0; s < count; ++s) {
      for (int model = 0; model < 2; ++model) {
        const std::uint64_t size = std::uint64_t{1} << s;
        tried[size].push_back(draw(0.2 + std::pow(0.6, static_cast<double>(s))));
        frontier.tried.push_back(sized(size, tried[size].back()));
      }
    }
    const Rows constant = draw(1.5);
    frontier.constant = sized(0, constant);
    const auto number_rows = [&](SizedResult& model) {
      auto scores = std::make_shared<RowScores>(*model.last.row_scores);
      for (std::size_t i = 0; i < n * repeats; ++i) scores->ids.push_back(i % n);
      model.last.row_scores = std::move(scores);
    };
    for (SizedResult& model : frontier.tried) number_rows(model);
    number_rows(*frontier.constant);
    const std::uint64_t expected = plain_choice(tried, constant, repeats);
    EXPECT_EQ(chosen(frontier), expected) << "seed " << seed;
    ++choices[expected];
  }
  EXPECT_GE(choices.size(), 6u) << "these curves are too much alike";
}

// A curve whose sizes differ on single rows by up to `noise` more than on average.
Frontier noisy_curve(double noise, const std::vector<double>& losses) {
  Frontier frontier;
  Random random(5);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    Rows rows;
    for (std::size_t k = 0; k < kRows; ++k) rows.push_back(noise * random.uniform());
    const double shift = losses[i] - mean_of(rows);
    for (double& row : rows) row += shift;
    frontier.tried.push_back(sized(std::uint64_t{1} << i, rows));
  }
  frontier.constant = sized(0, all(2));
  return frontier;
}

// The third size has the lowest loss of all by chance: those beside it say so.
TEST(SizeCurve, ALuckySizeIsNotChosen) {
  const std::vector<double> losses = {0.95, 0.85, 0.6, 0.75, 0.7, 0.65, 0.62, 0.61, 0.61};
  EXPECT_GT(chosen(noisy_curve(1, losses)), 16u);
  EXPECT_EQ(chosen(noisy_curve(0.01, losses)), 4u) << "here it is no chance";
}

// Where the size that is needed is known beyond doubt, no larger one is taken.
TEST(SizeCurve, AStepIsNotSmoothed) {
  const std::vector<double> losses = {0.9, 0.9, 0.5, 0.5, 0.5, 0.5, 0.5};
  EXPECT_EQ(chosen(noisy_curve(0.01, losses)), 4u);
  EXPECT_EQ(chosen(noisy_curve(0.3, losses)), 4u);
  EXPECT_EQ(chosen(curve(losses, 1)), 4u);
  EXPECT_EQ(chosen(curve({0.51, 0.5}, 1)), 2u);
}

TEST(SizeCurve, FewSizesAreNotAveraged) {
  std::vector<double> losses = {0.85, 0.6, 0.8, 0.75, 0.7, 0.65};
  EXPECT_EQ(chosen(noisy_curve(2, losses)), 2u);
  losses.push_back(0.61);
  EXPECT_GT(chosen(noisy_curve(2, losses)), 2u);
}

TEST(SizeCurve, ATenthOfTheLossCountsIfTheBestModelIsNearlyPerfect) {
  EXPECT_EQ(chosen(curve({0.509, 0.5}, 1.5)), 1u);  // 0.9% of the gain
  EXPECT_EQ(chosen(curve({0.511, 0.5}, 1.5)), 2u);
  EXPECT_EQ(chosen(curve({0.0438, 0.04}, 1)), 1u);  // 9.5% of the loss, 0.4% of the gain
  EXPECT_EQ(chosen(curve({0.0442, 0.04}, 1)), 2u);
  EXPECT_EQ(chosen(curve({0.0016, 0.0001}, 1)), 1u);  // 0.15% of the gain
}

TEST(SizeCurve, TheBestModelMustBeBetterThanNoneByTwoStandardErrors) {
  Rows rows = all(1);
  for (std::size_t i = 0; i < kRows; ++i) rows[i] = i % 2 == 0 ? 0 : 1;
  const double se = 0.5 / std::sqrt(static_cast<double>(kRows));
  for (const double gain : {1.9, 2.1}) {
    Frontier frontier;
    frontier.tried.push_back(sized(7, rows));
    frontier.constant = sized(0, all(0.5 + gain * se));
    EXPECT_EQ(chosen(frontier), gain < 2 ? 0u : 7u);
  }
}

TEST(SizeCurve, IsUnknownWithoutAConstantModelOrScores) {
  Frontier frontier = curve({0.6, 0.5}, 1);
  const auto constant = frontier.constant;
  frontier.constant.reset();
  EXPECT_FALSE(smallest_on_curve(frontier));
  frontier.constant = constant;
  frontier.tried[1].last.row_scores = nullptr;
  EXPECT_FALSE(smallest_on_curve(frontier));
}

// Scores of one row in two repeats, which differ by chance: their mean is what is compared.
TEST(SizeCurve, ScoresOfARowInSeveralRepeatsAreAddedUp) {
  RowScores a, b;
  Random random(3);
  constexpr std::uint64_t kDistinct = 50;
  Rows means(kDistinct);
  for (std::uint64_t i = 0; i < 2 * kDistinct; ++i) {
    a.losses.push_back(static_cast<float>(random.uniform()));
    b.losses.push_back(static_cast<float>(random.uniform()));
    for (RowScores* rows : {&a, &b}) {
      rows->weights.push_back(1);
      rows->ids.push_back(i < kDistinct ? i : 2 * kDistinct - 1 - i);
    }
    means[a.ids.back()] +=
        (static_cast<double>(a.losses.back()) - static_cast<double>(b.losses.back())) / 2;
  }
  const Difference expected = plain_difference(means, Rows(kDistinct), 1);
  const Difference found = difference_of(a, b, Measure::loss, 2);
  EXPECT_NEAR(found.mean, expected.mean, 1e-12);
  EXPECT_NEAR(found.se, expected.se, 1e-12);
  EXPECT_LT(found.se, difference_of(a, b, Measure::loss, 1).se * 1.2);
}

}  // namespace
}  // namespace thresh::size_curve_law
