// A lane: candidates that see the same rows in the same order. They share one feeder, one matrix
// (for solvers that work in memory) and one pass over the validation rows for scoring.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "select/side_by_side.hpp"
#include "thresh/error.hpp"
#include "train/run.hpp"

namespace thresh {

class Lane {
 public:
  // `inside`: whether members run in parallel. Otherwise lanes do.
  Lane(const Problem& problem, const std::vector<Options>& candidates,
       const std::vector<Observer*>& observers, std::vector<Attempt>& attempts, bool inside)
      : problem_(problem),
        candidates_(candidates),
        observers_(observers),
        attempts_(attempts),
        inside_(inside) {}

  // Trains the candidates with these numbers.
  void drive(const std::vector<std::size_t>& numbers);

 private:
  struct Member {
    std::size_t number;  // among all candidates
    Nobody nobody;       // the default observer
    std::unique_ptr<Run> run;
  };
  using Work = std::function<void(Member&)>;

  void make(Member& member);
  void show_rows();
  void let_work();
  void finish();
  void score_ended(const std::vector<Member*>& ended, std::vector<EndScores>& scores);

  void for_each(const std::vector<Member*>& members, const Work& work);
  std::vector<Member*> learning(bool rows);
  std::vector<Solver*> solvers_of(const std::vector<std::size_t>& members);

  // An exception affects only the member that throws it.
  template <class Step>
  void guarded(Member& member, const Step& step) {
    try {
      step();
    } catch (...) {
      attempts_[member.number].error = std::current_exception();
      member.run.reset();
    }
  }
  // An interrupted member still has a result: what it learned so far.
  template <class Step>
  void learn(Member& member, const Step& step) {
    guarded(member, [&] {
      try {
        step();
      } catch (const Interrupted&) {
        member.run->stop();
      }
    });
  }

  const Problem& problem_;
  const std::vector<Options>& candidates_;
  const std::vector<Observer*>& observers_;
  std::vector<Attempt>& attempts_;
  bool inside_;
  SideFiles files_;
  std::vector<Member> members_;
};

}  // namespace thresh
