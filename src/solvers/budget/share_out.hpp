// Divides a number of features among several learners, by score.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace thresh {

// A cut that at most n scores exceed; 0 if there are at most n scores. Reorders them.
inline double cut_for(std::uint64_t n, std::vector<double>& scores) {
  if (scores.size() <= n) return 0;
  const auto cut = scores.begin() + static_cast<std::ptrdiff_t>(n);
  std::nth_element(scores.begin(), cut, scores.end(), std::greater<>());
  return *cut;
}

// The cut for each learner, so that at most `total` features exceed it, and at most `most` of any
// learner. All cuts are equal, except those of learners that reach `most`; the features these may
// not have go to the others. Scores are positive.
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
