#include "train/required_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/names/vocabulary.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "train/recovery.hpp"

namespace thresh {

std::vector<RequiredFeature> required_features(const RunContext& run) {
  const Problem& problem = run.problem;
  std::vector<RequiredFeature> required;
  for (const std::uint64_t index : run.options.keep) {
    if (index == 0 && !problem.zero_based) throw UsageError("--keep 0: features count from 1");
    const std::uint64_t id = index - (problem.zero_based ? 0 : 1);
    if (id >= run.setup.dimension) {
      throw Error(fmt::format("{}: no feature {} to keep", problem.train->name(), index));
    }
    required.push_back({fmt::format("{}", index), problem.features->slot(id)});
  }
  for (const std::string& name : run.options.keep_names) {
    const std::uint64_t id =
        problem.vocabulary ? problem.vocabulary->find(name) : Vocabulary::kUnknown;
    if (id == Vocabulary::kUnknown) {
      throw Error(fmt::format("{}: no feature {} to keep", problem.train->name(), name));
    }
    required.push_back({name, problem.features->slot(id)});
  }
  std::ranges::sort(required, {}, &RequiredFeature::slot);
  const auto same = [](const auto& a, const auto& b) { return a.slot == b.slot; };
  required.erase(std::unique(required.begin(), required.end(), same), required.end());
  return required;
}

void warn_of_missing_required(RunContext& run, const Solver& solver) {
  for (const RequiredFeature& required : required_features(run)) {
    const auto has_weight = [&](const Solver* leaf) {
      const auto& weights = leaf->state().weights;
      return required.slot < weights.size() && weights[required.slot] != 0;
    };
    if (std::ranges::any_of(leaves(solver), has_weight)) continue;
    run.warn(fmt::format("--keep {}: no row taught anything about it, so it has no weight",
                         required.name));
  }
}

}  // namespace thresh
