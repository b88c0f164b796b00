// Searches whose runs several ranks share: the same results, to the bit, as in one process.

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "cluster/sliced_runs.hpp"
#include "thresh/checkpoint.hpp"
#include "thresh/select.hpp"
#include "thresh/train.hpp"
#include "tools/scratch.hpp"

namespace thresh::trials_oracle {
namespace {

TrainOptions usual() {
  TrainOptions options;
  options.seed = 3;
  return options;
}

std::string trained(const std::string& path, TrainOptions options, Comm* comm) {
  options.ranks = comm;
  return text_of(thresh::train(open_problem(path), options).model);
}

TEST(ClusterTrials, TheDefaultCommandGivesTheSameModel) {
  const ScratchDir dir;
  // Few rows are judged in folds, which are many runs.
  const std::string path = dir.write("a.svm", as_text(rounding_problem(150, 30, 18)));
  TrainOptions limited = usual();
  limited.features = 5;
  for (const TrainOptions& options : {usual(), limited}) {
    const std::string alone = trained(path, options, nullptr);
    for (const std::size_t ranks : {2, 3, 4}) {
      ThreadRanks(ranks).run(
          [&](Comm& comm) { EXPECT_EQ(trained(path, options, &comm), alone) << ranks; });
    }
  }
}

std::vector<Candidate> grid() {
  std::vector<Candidate> candidates;
  for (const double lambda : {1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
    Candidate& candidate = candidates.emplace_back();
    candidate.options.solver = "fobos";
    candidate.options.lambda = lambda;
    candidate.options.holdout = 0.3;
  }
  candidates.back().options.eta = 1e300;  // fails
  return candidates;
}

// The settings and scores of all candidates, in order.
std::string tuned(const std::string& path, Comm* comm, std::uint64_t folds, Search search) {
  std::vector<Candidate> candidates = grid();
  for (Candidate& each : candidates) {
    each.options.ranks = comm;
    if (folds > 0) each.options.holdout = 0;
  }
  TuneOptions options;
  options.folds = folds;
  options.search = search;
  std::string text;
  for (const Judged& judged : tune(open_problem(path), candidates, options).candidates) {
    text += fmt::format("{} {} {} {} {}\n", judged.candidate.options.lambda, judged.error.mean,
                        judged.loss.mean, judged.nonzeros.mean, judged.failure);
  }
  return text;
}

TEST(ClusterTrials, SearchesFindTheSame) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(200, 30, 19)));
  for (const std::uint64_t folds : {0, 3}) {
    for (const Search search : {Search::all, Search::halving}) {
      const std::string alone = tuned(path, nullptr, folds, search);
      EXPECT_NE(alone.find("diverged"), std::string::npos) << alone;
      for (const std::size_t ranks : {2, 3, 8}) {
        ThreadRanks(ranks).run(
            [&](Comm& comm) { EXPECT_EQ(tuned(path, &comm, folds, search), alone) << ranks; });
      }
    }
  }
}

TEST(ClusterTrials, EachRunIsTrainedOnce) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(100, 20, 20)));
  std::atomic<std::uint64_t> runs = 0;
  struct Watcher : Observer {
    explicit Watcher(std::atomic<std::uint64_t>& counted) : runs(counted) {}
    void on_trace(const TracePoint&) override { ++runs; }
    std::atomic<std::uint64_t>& runs;
  };
  ThreadRanks(3).run([&](Comm& comm) {
    std::vector<Options> options;
    for (const Candidate& candidate : grid()) options.push_back(candidate.options);
    options.pop_back();
    for (Options& each : options) {
      each.ranks = &comm;
      each.passes = 1;
      each.trace = TraceAt{};
    }
    Watcher watcher(runs);
    const std::vector<Observer*> observers(options.size(), &watcher);
    EXPECT_EQ(fit_all(open_problem(path), options, observers).size(), 4U);
  });
  EXPECT_EQ(runs, 4U);
}

// A finished search is not made again, whoever goes on.
TEST(ClusterTrials, CheckpointsKeepFinishedSearches) {
  const ScratchDir dir;
  const std::string path = dir.write("a.svm", as_text(rounding_problem(150, 30, 21)));
  const std::string saved = dir.file("c");
  const std::string alone = trained(path, usual(), nullptr);
  const auto learn = [&](Comm* comm, bool first, bool goes_on) {
    std::unique_ptr<Checkpoint> checkpoint;
    if (!first) {
      checkpoint = Checkpoint::follow(saved, goes_on ? Checkpoint::load(saved)->bytes() : "");
    } else if (goes_on) {
      checkpoint = Checkpoint::load(saved);
    } else {
      checkpoint = std::make_unique<Checkpoint>(saved, 0, std::vector<std::string>{"train"});
    }
    TrainOptions options = usual();
    options.checkpoint = checkpoint.get();
    return trained(path, options, comm);
  };
  ThreadRanks(3).run([&](Comm& comm) { EXPECT_EQ(learn(&comm, comm.rank() == 0, false), alone); });
  EXPECT_FALSE(Checkpoint::load(saved)->parts_that_begin("call 0 on ranks").empty());
  ThreadRanks(2).run([&](Comm& comm) {
    EXPECT_EQ(learn(&comm, comm.rank() == 0, true), alone);
    // Only results travel.
    EXPECT_LT(comm.traffic().messages, 100U);
  });
  EXPECT_EQ(learn(nullptr, true, true), alone);
}

}  // namespace
}  // namespace thresh::trials_oracle
