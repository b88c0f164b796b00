#include "train/loop.hpp"

#include <fmt/format.h>

namespace thresh {

Until Loop::until() const {
  return {support_.next_mark(), run_.last_step().value_or(kUnlimited)};
}

std::optional<Status> Loop::check(const Until& limits, std::uint64_t due,
                                  std::span<const Row> ahead) {
  log_.report();
  if (solver().ended()) return ended();
  const bool at_mark = support_.reaches(limits.nonzeros, ahead);
  if (support_.ends_run()) return budget_passed();
  if (at_mark || state().examples >= due) log_.trace();
  if (auto end = steps_spent()) return end;
  const std::atomic<bool>* stop = run_.options.stop;
  if (stop != nullptr && *stop) return Status{Outcome::stopped, "interrupted"};
  return std::nullopt;
}

std::optional<Status> Loop::end_pass(std::uint64_t pass) {
  if (solver().ended()) {
    if (auto end = ended()) return end;
  }
  if (log_.marks.at_pass_ends() && pass < run_.options.passes) {
    log_.report(true);
    log_.trace();
  }
  if (support_.above_at_end_of_pass()) return budget_passed();
  // Draws with replacement miss many rows of a pass.
  const bool all_shown = run_.options.order != Order::replacement;
  if (all_shown && solver().done_without_update() && !log_.updated_in_pass()) {
    return Status{Outcome::converged, fmt::format("pass {} made no update", pass)};
  }
  // The end of a pass may have been a step: of a short batch, or of all rows.
  if (auto end = steps_spent()) return end;
  log_.start_pass();
  return std::nullopt;
}

// The solver ended the training; after a divergence it may have to go on.
std::optional<Status> Loop::ended() {
  if (solver().ended()->outcome != Outcome::diverged) return solver().ended();
  support_.forget();
  return guard_.on_divergence();
}

std::optional<Status> Loop::steps_spent() const {
  const std::optional<std::uint64_t> steps = run_.last_step();
  if (!steps || state().t < *steps) return std::nullopt;
  if (run_.drawn_step > 0) {
    return Status{Outcome::steps_spent,
                  fmt::format("--iterate random: step {} of {}", *steps, run_.all_steps)};
  }
  return Status{Outcome::steps_spent, fmt::format("--steps {}", *steps)};
}

Status Loop::budget_passed() {
  return {Outcome::budget_reached, "the support has passed the feature budget"};
}

Status Loop::passes_spent() const {
  return {Outcome::passes_spent, fmt::format("--passes {}", run_.options.passes)};
}

}  // namespace thresh
