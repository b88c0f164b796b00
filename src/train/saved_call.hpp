// The parts of a checkpoint that belong to one call of fit(): the state of its run while it is
// under way, its result once it is finished.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "sparse/feature_map.hpp"
#include "thresh/checkpoint.hpp"
#include "thresh/error.hpp"
#include "train/result_archive.hpp"

namespace thresh {

// Reads a part of a checkpoint, if it has it. Throws Error if its content makes no sense.
template <class Read>
bool read_part(const Checkpoint& checkpoint, const std::string& part, const Read& read) {
  const std::optional<std::string> bytes = checkpoint.find(part);
  if (!bytes) return false;
  Archive a(*bytes);
  try {
    read(a);
    a.end();
  } catch (const Error&) {
    throw Error(fmt::format("{}: the state of the run does not fit the data", checkpoint.path()));
  }
  return true;
}

// Features that have slots by order of occurrence must get the same ones again.
void save_features(Checkpoint& checkpoint, const FeatureMap& features);
void preload_features(const Checkpoint& checkpoint, FeatureMap& features);

class SavedCall {
 public:
  // Without a checkpoint it does nothing.
  explicit SavedCall(Checkpoint* checkpoint);

  const std::string& part() const { return part_; }
  // If the call was finished before; the observer is told all but progress.
  std::optional<FitResult> result(Observer& observer) const;
  void finish(FitResult& result) const;

 private:
  Checkpoint* checkpoint_;
  std::string part_;
};

}  // namespace thresh
