// Support checks, between spans of rows or steps: is the support still within the budget, and has
// it reached a mark of the trace?
//
// Solvers that always know their number of non-zeros save the last state within the budget
// themselves, and stop at a mark. Others are settled and counted here: after each of the first 100
// rows of a pass, then whenever their number has grown by 1%; after every row if the run
// ends at the first state above the budget. Needs the solver from the guard, and marks and the rows
// of the pass from the log.
#pragma once

#include <span>

#include "train/run_log.hpp"

namespace thresh {

class SupportCheck {
 public:
  SupportCheck(const RunContext& run, Guard& guard, const RunLog& log);

  // The support at which the solver must stop for a trace.
  std::uint64_t next_mark() const;
  // When the next check is due, in examples; 0: never.
  std::uint64_t next() const { return next_; }
  // Makes a check if one is due. Returns whether the support has reached `mark`, or the next mark
  // if it was counted. `ahead` are the next rows, as far as known.
  bool reaches(std::uint64_t mark, std::span<const Row> ahead);
  // Whether the support was above the budget and AtBudget::stop applies.
  bool ends_run() const { return stops_ && above_; }
  // The same after the end of a pass, which may have made a step.
  bool above_at_end_of_pass();
  // Call it when the weights were replaced since the last check.
  void forget() { room_ = 0; }

  void archive(Archive& a) { a(above_, next_, room_); }

 private:
  std::uint64_t count(std::uint64_t mark);

  const RunContext& run_;
  Guard& guard_;
  const RunLog& log_;
  bool stops_;          // the run ends at the first state above the budget
  bool above_ = false;  // a state was above the budget
  bool needed_;         // the solver does not count, and a budget or mark needs the count
  std::uint64_t next_;
  std::uint64_t room_ = 0;  // entries of rows that cannot fill the budget or reach the mark
};

}  // namespace thresh
