#include "train/saved_call.hpp"

namespace thresh {
namespace {

constexpr const char* kFeatures = "features";

std::string result_part(const std::string& part) {
  return part + " result";
}

}  // namespace

void save_features(Checkpoint& checkpoint, const FeatureMap& features) {
  std::vector<std::uint64_t> ids = features.hashed_ids();
  if (ids.empty()) return;
  Archive a;
  a(ids);
  checkpoint.update({{kFeatures, a.take()}}, false);
}

void preload_features(const Checkpoint& checkpoint, FeatureMap& features) {
  read_part(checkpoint, kFeatures, [&](Archive& a) {
    std::vector<std::uint64_t> ids;
    a(ids);
    features.preload(ids);
  });
}

SavedCall::SavedCall(Checkpoint* checkpoint) : checkpoint_(checkpoint) {
  if (checkpoint != nullptr) part_ = fmt::format("call {}", checkpoint->next_call());
}

std::optional<FitResult> SavedCall::result(Observer& observer) const {
  if (checkpoint_ == nullptr) return std::nullopt;
  FitResult result;
  if (!read_part(*checkpoint_, result_part(part_), [&](Archive& a) { a(result); })) {
    return std::nullopt;
  }
  for (const std::string& warning : result.warnings) observer.on_warning(warning);
  for (const Divergence& divergence : result.divergences) observer.on_divergence(divergence);
  for (const TracePoint& point : result.trace) observer.on_trace(point);
  return result;
}

// A run that was stopped can still continue from its state.
void SavedCall::finish(FitResult& result) const {
  if (checkpoint_ == nullptr || result.status.outcome == Outcome::stopped) return;
  const bool due = checkpoint_->due(part_);
  Archive a;
  a(result);
  checkpoint_->update({{part_, std::nullopt}, {result_part(part_), a.take()}}, due);
}

}  // namespace thresh
