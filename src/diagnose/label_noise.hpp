// How many labels are wrong, by confident learning (Northcutt, Jiang & Chuang, "Confident Learning:
// Estimating Uncertainty in Dataset Labels", 2021).
//
// A model that has not seen a row says how probable each class is for it. A class is confident of a
// row if that probability is at least the mean one of the rows that bear its label. C[j][k] counts
// the rows with label j of which k is confident, the most probable k of several; scaled so that
// each label has its number of rows, it estimates how often labels and true classes meet, and what
// is off its diagonal are wrong labels.
//
// The models are quick: ftrl on a sample, features divided by their largest size, in folds. Their
// own weakness is confidence in few classes, not in wrong ones; but where classes overlap, rows on
// the wrong side count as wrongly labelled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/overview.hpp"
#include "thresh/select.hpp"

namespace thresh {

struct LabelNoise {
  static constexpr std::uint64_t kFolds = 4;
  static constexpr std::uint64_t kPasses = 5;

  std::string obstacle;              // why nothing was estimated; "" if it was
  std::uint64_t rows = 0;            // of the sample
  std::uint64_t suspects = 0;        // of them: another class is confident of them
  double share = 0;                  // of wrong labels, estimated
  double error = 0;                  // of the quick models on rows that they had not seen
  std::vector<std::uint64_t> first;  // numbers, from 0, of the rows that are wrong most certainly,
                                     // at most 1,000, the most certain first
};

// What a confident joint says; `probabilities` has those of all classes for each row, one row after
// the other, `labels` the class that each bears. `first` are positions.
LabelNoise confident_learning(const std::vector<double>& probabilities,
                              const std::vector<std::size_t>& labels, std::size_t classes);

// Of rows with labels of a few classes. `watch` is told of the pass that draws the sample,
// `observer` of the learning.
LabelNoise estimate_label_noise(RowSource& source, const FeatureMap& features,
                                const Overview& overview, SelectObserver& observer,
                                const Watch& watch = {});

}  // namespace thresh
