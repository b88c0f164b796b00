// Candidates side by side. Those that see the same rows in the same order form a lane: one feeder
// shows each window to all of them, one matrix serves those that work in memory, and one look at
// the validation rows scores them all.

#include "select/side_by_side.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "data/bytes.hpp"
#include "data/matrix.hpp"
#include "data/sources.hpp"
#include "select/ticks.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"
#include "train/run.hpp"

namespace thresh {
namespace {

// All that decides which rows come when, with which labels and weights.
auto rows_of(const Options& options) {
  return std::tie(options.order, options.seed, options.holdout, options.folds, options.fold,
                  options.weights_file, options.balanced_classes, options.task, options.positive);
}

struct Member {
  std::size_t number;  // among all candidates
  Nobody nobody;       // watches if no one else does
  std::unique_ptr<Run> run;
};

class Lane {
 public:
  // `inside`: whether members are worked on side by side. Else lanes are.
  Lane(const Problem& problem, const std::vector<Options>& candidates,
       const std::vector<Observer*>& observers, std::vector<Attempt>& attempts, bool inside)
      : problem_(problem),
        candidates_(candidates),
        observers_(observers),
        attempts_(attempts),
        inside_(inside) {}

  void drive(const std::vector<std::size_t>& numbers) {
    members_.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) members_[i].number = numbers[i];
    for (Member& member : members_) {
      guarded(member, [&] { make(member); });
    }
    show_rows();
    let_work();
    finish();
  }

 private:
  using Work = std::function<void(Member&)>;

  void make(Member& member) {
    const Options& options = candidates_[member.number];
    check_options(options);
    Observer* observer = observers_.empty() ? nullptr : observers_[member.number];
    member.run = std::make_unique<Run>(problem_, options,
                                       observer != nullptr ? *observer : member.nobody, files_);
    member.run->begin();
  }

  // What a member throws is its own affair.
  template <class Step>
  void guarded(Member& member, const Step& step) {
    try {
      step();
    } catch (...) {
      attempts_[member.number].error = std::current_exception();
      member.run.reset();
    }
  }
  // One that is interrupted while it learns has learned something.
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

  void show_rows() {
    std::vector<Member*> left = learning(true);
    if (left.empty()) return;
    std::uint64_t passes = 0;
    for (const Member* member : left) passes = std::max(passes, member->run->passes());
    const RunSetup& setup = left.front()->run->setup();
    const Options& options = candidates_[left.front()->number];
    try {
      Feeder feeder(setup.train, setup.training, {options.order, options.seed, passes});
      for (Window window; !left.empty() && feeder.next(window);) {
        for_each(left, [&](Member& member) { learn(member, [&] { member.run->show(window); }); });
        left = learning(true);
      }
    } catch (...) {  // the rows are at fault, so this concerns all who were still looking
      for (Member* member : left) {
        learn(*member, [] { throw; });
      }
    }
  }

  void let_work() {
    const std::vector<Member*> left = learning(false);
    if (left.empty()) return;
    std::shared_ptr<const Matrix> matrix;
    try {
      const RunSetup& setup = left.front()->run->setup();
      matrix = std::make_shared<const Matrix>(setup.train, setup.training, *problem_.features);
    } catch (...) {
      for (Member* member : left) {
        learn(*member, [] { throw; });
      }
      return;
    }
    for_each(left, [&](Member& member) { learn(member, [&] { member.run->work(matrix); }); });
  }

  // Scores are found together, so that the rows behind them are read once.
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
      const auto found = score_all(solvers_of(validated), setup.validate, *setup.validation);
      for (std::size_t k = 0; k < validated.size(); ++k) scores[validated[k]].valid = found[k];
    }
  }

  std::vector<Solver*> solvers_of(const std::vector<std::size_t>& members) {
    std::vector<Solver*> solvers;
    solvers.reserve(members.size());
    for (const std::size_t i : members) solvers.push_back(&members_[i].run->solver());
    return solvers;
  }

  const Problem& problem_;
  const std::vector<Options>& candidates_;
  const std::vector<Observer*>& observers_;
  std::vector<Attempt>& attempts_;
  bool inside_;
  SideFiles files_;
  std::vector<Member> members_;
};

using Numbers = std::vector<std::size_t>;

std::vector<Numbers> find_lanes(const std::vector<Options>& candidates) {
  std::vector<Numbers> lanes;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto same = [&](const Numbers& lane) {
      return rows_of(candidates[lane.front()]) == rows_of(candidates[i]);
    };
    const auto found = std::find_if(lanes.begin(), lanes.end(), same);
    if (found != lanes.end()) {
      found->push_back(i);
    } else {
      lanes.push_back({i});
    }
  }
  return lanes;
}

}  // namespace

Problem keep_rows(const Problem& problem, std::uint64_t memory) {
  Problem kept = problem;
  const auto keep = [&](std::shared_ptr<RowSource>& source) {
    if (!source || source->survey() == nullptr) return;
    if (std::dynamic_pointer_cast<RetainingSource>(source)) return;
    source = std::make_shared<RetainingSource>(source, memory);
  };
  keep(kept.train);
  keep(kept.valid);
  return kept;
}

std::vector<Attempt> try_all(const Problem& problem, const std::vector<Options>& candidates,
                             const std::vector<Observer*>& observers) {
  std::uint64_t memory = 0;
  for (const Options& options : candidates) memory = std::max(memory, options.memory);
  const Problem kept = keep_rows(problem, memory);
  std::vector<Attempt> attempts(candidates.size());
  const std::vector<Numbers> lanes = find_lanes(candidates);
  if (lanes.size() > 1 && problem.train->survey() == nullptr) {
    throw UsageError("these options need more than one look at rows that come only once");
  }
  // With lanes for all cores each core keeps its own windows in its cache.
  const bool inside = lanes.size() < cores();
  const auto drive = [&](std::size_t i) {
    Lane(kept, candidates, observers, attempts, inside).drive(lanes[i]);
  };
  if (inside) {
    for (std::size_t i = 0; i < lanes.size(); ++i) drive(i);
  } else {
    parallel_for(lanes.size(), drive);
  }
  return attempts;
}

std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               const std::vector<Observer*>& observers) {
  std::vector<Attempt> attempts = try_all(problem, candidates, observers);
  std::vector<FitResult> results;
  results.reserve(attempts.size());
  for (Attempt& attempt : attempts) {
    if (attempt.error) std::rethrow_exception(attempt.error);
    results.push_back(std::move(*attempt.result));
  }
  return results;
}

std::vector<FitResult> fit_all(const Problem& problem, const std::vector<Options>& candidates,
                               SelectObserver& observer) {
  const auto all = static_cast<double>(candidates.size());
  Ticks ticks(candidates.size(), [&](double under_way) {
    observer.on_progress({0, candidates.size(), under_way / all});
  });
  std::vector<FitResult> results = fit_all(problem, candidates, ticks.observers());
  for (const FitResult& result : results) {
    if (result.status.outcome == Outcome::stopped) {
      throw Interrupted(problem.train->name() + ": interrupted");
    }
  }
  return results;
}

}  // namespace thresh
