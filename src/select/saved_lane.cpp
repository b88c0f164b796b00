#include "select/saved_lane.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "thresh/error.hpp"
#include "train/saved_call.hpp"

namespace thresh {
namespace {

enum class FailureKind { none, usage, data, other };

// The exception of an attempt, by the two kinds that callers tell apart.
FailureKind failure_of(const std::exception_ptr& error, std::string& what) {
  if (!error) return FailureKind::none;
  try {
    std::rethrow_exception(error);
  } catch (const UsageError& usage) {
    what = usage.what();
    return FailureKind::usage;
  } catch (const Interrupted&) {
    return FailureKind::other;
  } catch (const Error& data) {
    what = data.what();
    return FailureKind::data;
  } catch (...) {
    return FailureKind::other;
  }
}

void archive_failure(Archive& a, std::exception_ptr& error) {
  std::string what;
  FailureKind failure = failure_of(error, what);
  a.choice(failure, FailureKind::data);
  a(what);
  if (!a.reads()) return;
  error = nullptr;
  if (failure == FailureKind::usage) error = std::make_exception_ptr(UsageError(what));
  if (failure == FailureKind::data) error = std::make_exception_ptr(Error(what));
}

bool all_final(const std::vector<Attempt*>& attempts) {
  return std::all_of(attempts.begin(), attempts.end(),
                     [](const Attempt* attempt) { return is_final(*attempt); });
}

void archive_rows(Archive& a, RowPlace& place, const std::vector<Run*>& runs,
                  const std::vector<Attempt*>& attempts) {
  a(place);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    archive_failure(a, attempts[i]->error);
    bool has_run = runs[i] != nullptr;
    a(has_run);
    a.require(!has_run || runs[i] != nullptr);
    if (has_run) a(*runs[i]);
  }
}

}  // namespace

void archive(Archive& a, Attempt& attempt) {
  archive_failure(a, attempt.error);
  a(attempt.result);
}

bool is_final(const Attempt& attempt) {
  std::string what;
  if (attempt.error) return failure_of(attempt.error, what) != FailureKind::other;
  return !attempt.result || attempt.result->status.outcome != Outcome::stopped;
}

void SavedLane::write(std::vector<Checkpoint::Change> changes) const {
  save_features(*checkpoint_, features_);
  checkpoint_->update(std::move(changes), true);
}

bool SavedLane::read_results(const std::vector<Attempt*>& attempts) const {
  if (checkpoint_ == nullptr) return false;
  return read_part(*checkpoint_, result_part(), [&](Archive& a) {
    for (Attempt* attempt : attempts) a(*attempt);
  });
}

void SavedLane::save_results(const std::vector<Attempt*>& attempts) const {
  if (checkpoint_ == nullptr || !all_final(attempts)) return;
  Archive a;
  for (Attempt* attempt : attempts) a(*attempt);
  const bool due = checkpoint_->due(part_);
  std::vector<Checkpoint::Change> changes = {{part_, std::nullopt}, {result_part(), a.take()}};
  for (const std::string& part : checkpoint_->parts_that_begin(part_ + " run ")) {
    changes.emplace_back(part, std::nullopt);
  }
  checkpoint_->update(std::move(changes), due);
}

RowPlace SavedLane::restore_rows(const std::vector<Run*>& runs,
                                 const std::vector<Attempt*>& attempts) const {
  RowPlace from;
  if (checkpoint_ == nullptr) return from;
  read_part(*checkpoint_, part_, [&](Archive& a) { archive_rows(a, from, runs, attempts); });
  return from;
}

void SavedLane::save_rows(const RowPlace& next, const std::vector<Run*>& runs,
                          const std::vector<Attempt*>& attempts) const {
  if (checkpoint_ == nullptr || !checkpoint_->due(part_) || !all_final(attempts)) return;
  RowPlace place = next;
  Archive a;
  archive_rows(a, place, runs, attempts);
  write({{part_, a.take()}});
}

Pauses SavedLane::pauses_of(std::size_t number, Run& run) const {
  if (checkpoint_ == nullptr) return {};
  const std::string part = fmt::format("{} run {}", part_, number);
  const auto restore = [this, part, &run] {
    read_part(*checkpoint_, part, [&](Archive& a) { a(run); });
  };
  const auto save = [this, part, &run](const RowPlace&) {
    if (!checkpoint_->due(part)) return;
    Archive a;
    a(run);
    write({{part, a.take()}});
  };
  return {restore, save};
}

}  // namespace thresh
