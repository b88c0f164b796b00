// The parts of a checkpoint that belong to a lane: the states of its runs while they are under way,
// their results once all are finished. Without a checkpoint it does nothing.
#pragma once

#include <string>
#include <vector>

#include "select/side_by_side.hpp"
#include "thresh/checkpoint.hpp"
#include "train/run.hpp"

namespace thresh {

// The result or the error of an attempt.
void archive(Archive& a, Attempt& attempt);
// Whether the attempt would end in the same way again.
bool is_final(const Attempt& attempt);

class SavedLane {
 public:
  SavedLane(Checkpoint* checkpoint, std::string part, const FeatureMap& features)
      : checkpoint_(checkpoint), part_(std::move(part)), features_(features) {}

  // If the lane was finished before. One attempt for each member.
  bool read_results(const std::vector<Attempt*>& attempts) const;
  void save_results(const std::vector<Attempt*>& attempts) const;

  // The runs of members that take rows, all at the same place; null for others. A member without a
  // run may have failed.
  RowPlace restore_rows(const std::vector<Run*>& runs, const std::vector<Attempt*>& attempts) const;
  void save_rows(const RowPlace& next, const std::vector<Run*>& runs,
                 const std::vector<Attempt*>& attempts) const;

  // For the candidate with this number, which takes a matrix.
  Pauses pauses_of(std::size_t number, Run& run) const;

 private:
  std::string result_part() const { return part_ + " results"; }
  void write(std::vector<Checkpoint::Change> changes) const;

  Checkpoint* checkpoint_;
  std::string part_;
  const FeatureMap& features_;
};

}  // namespace thresh
