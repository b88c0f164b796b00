// Candidates that are trained by several ranks. Every candidate's result depends on nothing but its
// options and the rows, so it does not matter who trains it. All ranks read the same bytes, those
// that the first one has gathered, and go on alike.

#include <fmt/format.h>

#include "select/saved_lane.hpp"
#include "select/side_by_side.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/cluster.hpp"
#include "train/saved_call.hpp"
#include "train/screened.hpp"

namespace thresh {
namespace {

std::string_view text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()), message.size()};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// What this rank's candidates became, as bytes. Throws what is no result of theirs.
std::string trained_here(const std::vector<Options>& candidates,
                         const std::vector<Observer*>& observers, const TrainHere& train) {
  const Comm& ranks = *candidates.front().ranks;
  std::vector<Options> mine;
  std::vector<Observer*> observing;
  for (std::size_t i = ranks.rank(); i < candidates.size(); i += ranks.size()) {
    mine.push_back(candidates[i]);
    mine.back().ranks = nullptr;
    mine.back().checkpoint = nullptr;
    if (!observers.empty()) observing.push_back(observers[i]);
  }
  if (mine.empty()) return "";
  Archive a;
  for (Attempt& attempt : train(mine, observing)) {
    if (!is_final(attempt) && attempt.error) std::rethrow_exception(attempt.error);
    a(attempt);
  }
  return a.take();
}

// The attempts of all ranks in the order of the candidates, as bytes.
std::string in_order(const std::vector<Message>& all, std::size_t candidates) {
  std::vector<Archive> from;
  for (const Message& each : all) from.emplace_back(text_of(each));
  Archive a;
  for (std::size_t i = 0; i < candidates; ++i) {
    Attempt attempt;
    from[i % from.size()](attempt);
    a(attempt);
  }
  return a.take();
}

std::vector<Attempt> read_attempts(std::string_view bytes, std::size_t candidates) {
  std::vector<Attempt> attempts(candidates);
  Archive a(bytes);
  for (Attempt& attempt : attempts) a(attempt);
  a.end();
  return attempts;
}

}  // namespace

std::vector<Attempt> try_on_ranks(const std::vector<Options>& candidates,
                                  const std::vector<Observer*>& observers, std::uint64_t call,
                                  const TrainHere& train) {
  Comm* const ranks = candidates.front().ranks;
  Checkpoint* const checkpoint = candidates.front().checkpoint;
  const std::string part = fmt::format("call {} on ranks", call);
  std::string known = checkpoint != nullptr ? checkpoint->find(part).value_or("") : "";
  if (ranks == nullptr) {
    return known.empty() ? std::vector<Attempt>() : read_attempts(known, candidates.size());
  }
  ranks->be_patient();
  const bool starts = ranks->from_first(bytes_of(known)).empty();
  if (starts) {
    const std::string mine = trained_here(candidates, observers, train);
    const std::vector<Message> all = ranks->gather(bytes_of(mine));
    if (ranks->rank() == 0) known = in_order(all, candidates.size());
  }
  const Message results = ranks->from_first(bytes_of(known));
  if (starts && checkpoint != nullptr) checkpoint->update({{part, known}}, checkpoint->due(part));
  return read_attempts(text_of(results), candidates.size());
}

FitResult fit_on_one(const Problem& problem, const Options& options, Observer* observer) {
  // A run whose features are divided is a run of all ranks.
  if (options.ranks == nullptr || problem.features->share()) {
    return fit(problem, options, nullptr, observer);
  }
  return from_first_rank(*options.ranks, [&] {
    Options alone = options;
    alone.ranks = nullptr;
    return fit(problem, alone, nullptr, observer);
  });
}

}  // namespace thresh
