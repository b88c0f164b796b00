// Estimates how many labels are wrong, by confident learning (Northcutt, Jiang & Chuang, "Confident
// Learning: Estimating Uncertainty in Dataset Labels", 2021).
//
// A model that has not seen a row predicts the probability of each class. A class is confident of a
// row if its probability is at least its mean over the rows with that label. C[j][k] counts the
// rows with label j of which k is confident, with the most probable k if there are several. Scaled
// to the number of rows per label, C estimates the joint distribution of labels and true classes.
// Its off-diagonal entries are wrong labels.
//
// The models are quick: ftrl on a sample, in folds, with features divided by their largest
// magnitude. A weak model is confident of few classes rather than of wrong ones. But if classes
// overlap, rows on the wrong side count as wrongly labelled.
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

  std::string obstacle;              // why there is no estimate; "" if there is one
  std::uint64_t rows = 0;            // in the sample
  std::uint64_t suspects = 0;        // rows of which another class is confident
  double share = 0;                  // estimated share of wrong labels
  double error = 0;                  // of the quick models on unseen rows
  std::vector<std::uint64_t> first;  // numbers, from 0, of the most certainly wrong rows, at most
                                     // 1,000, most certain first
};

// Confident learning from given probabilities: those of all classes for each row, row by row.
// `labels` are the classes of the rows. `first` in the result has positions.
LabelNoise confident_learning(const std::vector<double>& probabilities,
                              const std::vector<std::size_t>& labels, std::size_t classes);

// For rows with labels of a few classes. `watch` reports the pass that draws the sample, `observer`
// the learning.
LabelNoise estimate_label_noise(RowSource& source, const FeatureMap& features,
                                const Overview& overview, SelectObserver& observer,
                                const Watch& watch = {});

}  // namespace thresh
