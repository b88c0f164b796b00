// Features shared out by score, against taking them one by one from the best down.

#include "solvers/budget/share_out.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sparse/random.hpp"

namespace thresh::share_out_law {
namespace {

using Scores = std::vector<std::vector<double>>;

Scores any_scores(std::uint64_t distinct) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Scores scores(*rc::gen::inRange<std::size_t>(1, 5));
  for (auto& own : scores) {
    own.resize(random.below(30));
    for (double& score : own) score = static_cast<double>(1 + random.below(distinct));
  }
  return scores;
}

std::vector<std::uint64_t> left_of(const Scores& scores, const std::vector<double>& cuts) {
  std::vector<std::uint64_t> left;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    left.push_back(static_cast<std::uint64_t>(std::count_if(
        scores[i].begin(), scores[i].end(), [&](double score) { return score > cuts[i]; })));
  }
  return left;
}

// How many each has once the best of those that may have more has been taken again and again.
std::vector<std::uint64_t> one_by_one(Scores scores, std::uint64_t total, std::uint64_t most) {
  std::vector<std::uint64_t> taken(scores.size());
  for (auto& own : scores) std::sort(own.begin(), own.end());
  for (; total > 0; --total) {
    std::size_t best = scores.size();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i].empty() || taken[i] == most) continue;
      if (best == scores.size() || scores[i].back() > scores[best].back()) best = i;
    }
    if (best == scores.size()) break;
    scores[best].pop_back();
    ++taken[best];
  }
  return taken;
}

RC_GTEST_PROP(ShareOut, TakesTheBestOnes, ()) {
  const Scores scores = any_scores(1'000'000'000'000);  // no two alike
  const auto total = *rc::gen::inRange<std::uint64_t>(0, 80);
  const auto most = *rc::gen::inRange<std::uint64_t>(0, 40);
  RC_ASSERT(left_of(scores, share_out(total, most, scores)) == one_by_one(scores, total, most));
}

RC_GTEST_PROP(ShareOut, NeverLeavesMoreThanItMay, ()) {
  const Scores scores = any_scores(4);
  const auto total = *rc::gen::inRange<std::uint64_t>(0, 80);
  const auto most = *rc::gen::inRange<std::uint64_t>(0, 40);
  std::uint64_t sum = 0;
  for (const std::uint64_t left : left_of(scores, share_out(total, most, scores))) {
    RC_ASSERT(left <= most);
    sum += left;
  }
  RC_ASSERT(sum <= total);
}

}  // namespace
}  // namespace thresh::share_out_law
