// LearnerState: what a learner knows at the end of a run, so that another run can go on with new
// rows: weights, sums, step sizes and counters, not only the model.
//
//     options.save_state = true;                     // fit() returns it in FitResult::state
//     thresh::Checkpoint file("day1.state", 0, {});
//     result.state->save(file);
//
//     const auto state = thresh::LearnerState::load("day1.state");
//     read.from_state = options.from_state = state.get();
//     fit(open_problem("day2.svm", "", read), state->options_with(options, {}));
//
// One pass in file order over the first file and then, from its state, one over the second give the
// same model, byte for byte, as one pass over both files in one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "thresh/checkpoint.hpp"
#include "thresh/model.hpp"
#include "thresh/options.hpp"

namespace thresh {

class Archive;

struct LearnerState {
  Options options;  // of the run, as far as they concern the learner
  Model model;      // at the end of the run

  // For the library: how the rows of the run were numbered and measured, and the learner itself.
  std::uint64_t identity_end = 0;          // features below are their own slots
  std::vector<std::uint64_t> feature_ids;  // of the slots above
  std::string names;                       // of features, as in a cache
  double row_length = 0, long_rows = 0, target_size = 0;
  std::string learner;

  // Writes it as the only part of a finished checkpoint.
  void save(Checkpoint& file) const;
  // Throws Error if the file has no state, or is damaged. Safe for any file.
  static std::shared_ptr<const LearnerState> load(const std::string& path);
  // The options of the run to go on with: those of the state, except `given`, which are the names
  // of options that are set in `options`. Throws UsageError if one of them would change the
  // learner.
  Options options_with(const Options& options, const std::vector<std::string>& given) const;
  // How names of features are numbered; null for data without names.
  std::shared_ptr<Vocabulary> vocabulary() const;

  void archive(Archive& a);
};

}  // namespace thresh
