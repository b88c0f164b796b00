// Features that several learners want, shared out by score.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace thresh {

// The score that at most n of these exceed; 0 if there are no more than n. Reorders them.
inline double cut_for(std::uint64_t n, std::vector<double>& scores) {
  if (scores.size() <= n) return 0;
  const auto cut = scores.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(scores.begin(), cut, scores.end(), std::greater<>());
  return *cut;
}

// What a feature's score must exceed, for each learner, so that at most `total` features are left
// and at most `most` of any one learner. It is the same for all, but for those learners that have
// `most` features above it; what they must leave goes to the others. Scores are above zero.
inline std::vector<double> share_out(std::uint64_t total, std::uint64_t most,
                                     std::vector<std::vector<double>> scores) {
  std::vector<double> cuts;
  std::vector<double> left;
  for (std::vector<double>& own : scores) {
    cuts.push_back(cut_for(most, own));
    std::erase_if(own, [&](double score) { return score <= cuts.back(); });
    left.insert(left.end(), own.begin(), own.end());
    own = std::vector<double>();
  }
  const double common = cut_for(total, left);
  for (double& cut : cuts) cut = std::max(cut, common);
  return cuts;
}

}  // namespace thresh
