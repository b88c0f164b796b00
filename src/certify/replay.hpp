// An independent implementation of margin-perceptron. Repeats the training on all rows, or only on
// the claimed compression set.
#pragma once

#include <functional>
#include <vector>

#include "certify/training_rows.hpp"

namespace thresh {

// Options of the run, from the model.
struct PerceptronOptions {
  double eta = 1, lambda = 0, tau = 0;
  Schedule schedule = Schedule::constant;
  Order order = Order::shuffle;
  std::uint64_t seed = 1, passes = 1;
  std::uint64_t steps = 0;  // 0: passes count
  bool intercept = true;
  bool compensated = false;  // margins are summed by Dot2
  std::uint64_t slices = 0;  // margins are summed by so many slices of features; 0: in one sum

  explicit PerceptronOptions(const Model& model);
};

struct Replay {
  ZeroedArray<double> weights;  // by slot
  double intercept = 0;
  std::uint64_t updates = 0;
  std::uint64_t visited = 0;          // visits to rows
  std::vector<bool> compression_set;  // by row id: whether it caused an update

  // The quantities of the theorems, for a learning rate of 1: weights, lambda and tau over eta.
  struct Epsilon {
    std::uint64_t update;  // counted from 1
    double value;          // epsilon_lambda of Lemma 2: thresholds take at least this from |w|^2
  };
  std::vector<Epsilon> epsilons;  // of updates 1, 2, 4, 8, ... and of the last
  Epsilon least{0, 0};
  std::uint64_t short_of_tau = 0;  // updates with tau above epsilon / 2
  long double largest_growth = 0;  // of |w|^2 / t, at most R^2 by Lemma 2

  // Whether the weights equal those of the model, to the bit.
  bool gives(const Model& model, const FeatureMap& features) const;
};

// Learns from the rows whose ids `may_learn` accepts; other rows only count as visited. Ends like
// the training, or after the given number of updates.
Replay replay(const TrainingRows& rows, const PerceptronOptions& options,
              const std::function<bool(std::uint64_t id)>& may_learn, std::uint64_t updates);

}  // namespace thresh
