// What the loops over rows and over a matrix share: what happens between two spans of rows or steps
// and at the end of a pass. Reports, support checks, traces, and how a run ends.
#pragma once

#include <optional>
#include <span>

#include "train/support_check.hpp"

namespace thresh {

class Loop {
 public:
  Loop(RunContext& run, Guard& guard, RunLog& log, SupportCheck& support)
      : run_(run), guard_(guard), log_(log), support_(support) {}

 protected:
  // Nobody waits longer than for so many rows or steps.
  static constexpr std::uint64_t kLongestSpan = 256;

  Solver& solver() { return guard_.solver(); }
  const LinearState& state() const { return guard_.solver().state(); }
  // How far the solver may go: to the next mark of the support, or until its steps are spent.
  Until until() const;

  // After a span that began with these limits: `due` is the number of examples at which a trace is
  // due, `ahead` are the next rows, as far as they are known. How the run ended, if it has.
  std::optional<Status> check(const Until& limits, std::uint64_t due, std::span<const Row> ahead);
  std::optional<Status> end_pass(std::uint64_t pass);
  Status passes_spent() const;

  RunContext& run_;
  Guard& guard_;
  RunLog& log_;
  SupportCheck& support_;

 private:
  std::optional<Status> ended();
  std::optional<Status> steps_spent() const;
  static Status budget_passed();
};

}  // namespace thresh
