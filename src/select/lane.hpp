// A lane: candidates that see the same rows in the same order. They share one feeder, one matrix
// (for solvers that work in memory) and one pass over the validation rows for scoring.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "data/feed/matrix.hpp"
#include "select/saved_lane.hpp"
#include "select/side_by_side.hpp"
#include "sparse/parallel.hpp"
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

  // Trains the candidates with these numbers. `saved` holds their states and results.
  void drive(const std::vector<std::size_t>& numbers, const SavedLane& saved) {
    members_.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) members_[i].number = numbers[i];
    if (saved.read_results(attempts_of_members())) return;
    for (Member& member : members_) {
      guarded(member, [&] { make(member); });
    }
    show_rows(saved);
    let_work(saved);
    finish();
    saved.save_results(attempts_of_members());
  }

 private:
  struct Member {
    std::size_t number;  // among all candidates
    Nobody nobody;       // the default observer
    std::unique_ptr<Run> run;
  };

  void make(Member& member) {
    const Options& options = candidates_[member.number];
    check_options(options);
    Observer* observer = observers_.empty() ? nullptr : observers_[member.number];
    member.run = std::make_unique<Run>(problem_, options,
                                       observer != nullptr ? *observer : member.nobody, files_);
    member.run->begin();
  }

  template <class Work>
  void for_each(const std::vector<Member*>& members, const Work& work) {
    const auto one = [&](std::size_t i) { work(*members[i]); };
    if (inside_) {
      parallel_for(members.size(), one);
    } else {
      for (std::size_t i = 0; i < members.size(); ++i) one(i);
    }
  }

  std::vector<Member*> learning(bool rows) {
    std::vector<Member*> found;
    for (Member& member : members_) {
      if (member.run && !member.run->over() && member.run->takes_rows() == rows) {
        found.push_back(&member);
      }
    }
    return found;
  }

  std::vector<Attempt*> attempts_of_members() {
    std::vector<Attempt*> found;
    for (const Member& member : members_) found.push_back(&attempts_[member.number]);
    return found;
  }
  // The runs of members that take rows; null for others and for those that failed.
  std::vector<Run*> row_runs() {
    std::vector<Run*> found;
    for (const Member& member : members_) {
      found.push_back(member.run && member.run->takes_rows() ? member.run.get() : nullptr);
    }
    return found;
  }

  void show_rows(const SavedLane& saved) {
    if (learning(true).empty()) return;
    const RowPlace from = saved.restore_rows(row_runs(), attempts_of_members());
    for (Member& member : members_) {  // it had failed before the state was saved
      if (attempts_[member.number].error) member.run.reset();
    }
    std::vector<Member*> left = learning(true);
    if (left.empty()) return;
    std::uint64_t passes = 0;
    for (const Member* member : left) passes = std::max(passes, member->run->passes());
    const RunSetup& setup = left.front()->run->setup();
    const Options& options = candidates_[left.front()->number];
    try {
      Feeder feeder(setup.train, setup.training,
                    {.order = options.order,
                     .seed = options.seed,
                     .passes = passes,
                     .memory = options.memory,
                     .stop = options.stop,
                     .from = from});
      for (Window window; !left.empty() && feeder.next(window);) {
        for_each(left, [&](Member& member) { learn(member, [&] { member.run->show(window); }); });
        left = learning(true);
        if (!left.empty()) saved.save_rows(window.next, row_runs(), attempts_of_members());
      }
    } catch (...) {  // an error in the rows concerns all members that still learn
      for (Member* member : left) {
        learn(*member, [] { throw; });
      }
    }
  }

  void let_work(const SavedLane& saved) {
    const std::vector<Member*> left = learning(false);
    if (left.empty()) return;
    std::shared_ptr<const Matrix> matrix;
    try {
      const RunSetup& setup = left.front()->run->setup();
      const bool rows = std::any_of(left.begin(), left.end(), [](const Member* member) {
        return member->run->wants_rows_in_memory();
      });
      matrix = std::make_shared<const Matrix>(
          setup.train, setup.training, *problem_.features, std::vector<std::uint32_t>{},
          rows ? Matrix::Layout::rows_and_columns : Matrix::Layout::columns);
    } catch (...) {
      for (Member* member : left) {
        learn(*member, [] { throw; });
      }
      return;
    }
    for_each(left, [&](Member& member) {
      learn(member, [&] { member.run->work(matrix, saved.pauses_of(member.number, *member.run)); });
    });
  }

  // Scores all ended members together, so that their rows are read once.
  void finish() {
    std::vector<Member*> ended;
    for (Member& member : members_) {
      if (member.run) guarded(member, [&] { member.run->close(); });
      if (member.run) ended.push_back(&member);
    }
    std::vector<EndScores> scores(members_.size());
    try {
      score_ended(ended, scores);
    } catch (...) {
      for (Member* member : ended) {
        guarded(*member, [] { throw; });
      }
      return;
    }
    for_each(ended, [&](Member& member) {
      guarded(member, [&] {
        const auto i = static_cast<std::size_t>(&member - members_.data());
        attempts_[member.number].result = member.run->finish(scores[i]);
      });
      member.run.reset();
    });
  }

  void score_ended(const std::vector<Member*>& ended, std::vector<EndScores>& scores) {
    std::vector<std::size_t> traced, validated;
    for (const Member* member : ended) {
      const auto i = static_cast<std::size_t>(member - members_.data());
      if (member->run->wants_trace()) traced.push_back(i);
      if (member->run->setup().validation) validated.push_back(i);
    }
    if (!traced.empty()) {
      const RunSetup& setup = members_[traced.front()].run->setup();
      const auto found = score_all(solvers_of(traced), setup.train, setup.training);
      for (std::size_t k = 0; k < traced.size(); ++k) scores[traced[k]].train = found[k];
    }
    if (!validated.empty()) {
      const RunSetup& setup = members_[validated.front()].run->setup();
      const bool by_row = candidates_[members_[validated.front()].number].score_rows;
      const auto found =
          score_all(solvers_of(validated), setup.validate, *setup.validation, by_row);
      for (std::size_t k = 0; k < validated.size(); ++k) scores[validated[k]].valid = found[k];
    }
  }

  std::vector<Solver*> solvers_of(const std::vector<std::size_t>& members) {
    std::vector<Solver*> solvers;
    solvers.reserve(members.size());
    for (const std::size_t i : members) solvers.push_back(&members_[i].run->solver());
    return solvers;
  }

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
