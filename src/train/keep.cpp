// Options::keep: features that must stay.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/names/vocabulary.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/run.hpp"

namespace thresh {

std::vector<Run::Kept> Run::kept_features() const {
  std::vector<Kept> kept;
  for (const std::uint64_t index : options_.keep) {
    if (index == 0 && !problem_.zero_based) throw UsageError("--keep 0: features count from 1");
    const std::uint64_t id = index - (problem_.zero_based ? 0 : 1);
    if (id >= setup_.dimension) {
      throw Error(fmt::format("{}: no feature {} to keep", problem_.train->name(), index));
    }
    kept.push_back({fmt::format("{}", index), problem_.features->slot(id)});
  }
  for (const std::string& name : options_.keep_names) {
    const std::uint64_t id =
        problem_.vocabulary ? problem_.vocabulary->find(name) : Vocabulary::kUnknown;
    if (id == Vocabulary::kUnknown) {
      throw Error(fmt::format("{}: no feature {} to keep", problem_.train->name(), name));
    }
    kept.push_back({name, problem_.features->slot(id)});
  }
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.slot < b.slot; });
  const auto same = [](const Kept& a, const Kept& b) { return a.slot == b.slot; };
  kept.erase(std::unique(kept.begin(), kept.end(), same), kept.end());
  return kept;
}

std::vector<std::uint32_t> Run::kept_slots() const {
  std::vector<std::uint32_t> slots;
  for (const Kept& kept : kept_features()) slots.push_back(kept.slot);
  return slots;
}

// What could not be kept, once all rows have been shown.
void Run::tell_what_is_idle() {
  if (end_->outcome == Outcome::stopped || end_->outcome == Outcome::diverged) return;
  const auto has_weight = [](const Solver& solver, std::uint32_t slot) {
    return slot < solver.state().weights.size() && std::as_const(solver.state().weights)[slot] != 0;
  };
  for (const Kept& kept : kept_features()) {
    bool idle = !has_weight(*solver_, kept.slot);
    for (const auto& part : solver_->parts()) idle = idle && !has_weight(*part, kept.slot);
    if (!idle) continue;
    warn(fmt::format("--keep {}: no row taught anything about it, so it has no weight", kept.name));
  }
}

}  // namespace thresh
