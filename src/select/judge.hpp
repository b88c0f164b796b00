// Judges candidates on held-out rows, a group of trials at a time.
#pragma once

#include <optional>
#include <vector>

#include "select/state_file.hpp"
#include "thresh/select.hpp"

namespace thresh {

class Judge {
 public:
  // `state` and `observer` may be null. `trials` is the expected number, for the observer.
  Judge(const Problem& problem, std::uint64_t folds, std::size_t trials, StateFile* state,
        SelectObserver* observer);

  std::vector<Judged> judge(const std::vector<Candidate>& candidates);

 private:
  struct Pending {  // a trial without a known result
    std::size_t candidate, fold;
    Candidate run;
  };

  std::size_t group_size(const Options& options) const;
  void run_group(const std::vector<Pending>& group, std::vector<Judged>& judged);
  void tell(double under_way);
  const Problem& problem_for(const Candidate& run);

  Problem problem_;
  std::optional<Problem> kept_;  // with features on this scale; its rows are held between groups
  FeatureScale kept_scale_ = FeatureScale::none;
  std::uint64_t folds_;
  std::size_t trials_;
  StateFile* state_;
  SelectObserver* observer_;
  std::size_t done_ = 0;
};

// Computes means and standard errors over the trials.
void summarise(Judged& judged);

// Whether `a` is better than `b`; false on ties.
bool better(const Judged& a, const Judged& b, By by);

}  // namespace thresh
