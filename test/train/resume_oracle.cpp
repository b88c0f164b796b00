// A run that was killed and resumed gives the model of the uninterrupted run, for every solver; and
// no state does harm.

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sparse/random.hpp"
#include "tools/every_solver.hpp"
#include "tools/scratch.hpp"

namespace thresh {
namespace {

struct Killed {
  ScratchDir dir;
  std::string path = dir.file("c");

  // Runs the work in another process, which ends right after this write of the checkpoint. Returns
  // whether it came that far.
  template <class Work>
  bool run(int writes, const Work& work) const {
    ::unlink(path.c_str());
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("THRESH_TEST_DIE_AFTER_CHECKPOINT", std::to_string(writes).c_str(), 1);
      try {
        Checkpoint checkpoint(path, 0, {});
        work(&checkpoint);
      } catch (...) {
        ::_exit(2);
      }
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }
};

void expect_same(const FitResult& a, const FitResult& b) {
  EXPECT_EQ(a.model.to_bytes(), b.model.to_bytes());
  EXPECT_EQ(a.status.reason, b.status.reason);
  EXPECT_EQ(a.warnings, b.warnings);
  ASSERT_EQ(a.trace.size(), b.trace.size());
  for (std::size_t i = 0; i < a.trace.size(); ++i) {
    EXPECT_EQ(a.trace[i].objective, b.trace[i].objective);
    EXPECT_EQ(a.trace[i].at.accesses, b.trace[i].at.accesses);
  }
}

// Many rows make several windows of a pass.
DenseProblem many_rows() {
  return random_problem(20000, 12, 0.3, 9);
}

void resumes(const Problem& problem, Options options) {
  options.trace = TraceAt{};
  const FitResult whole = fit(problem, options);
  const Killed killed;
  bool any = false;
  for (const int writes : {1, 2, 5}) {
    SCOPED_TRACE(writes);
    const bool was = killed.run(writes, [&](Checkpoint* checkpoint) {
      options.checkpoint = checkpoint;
      fit(problem, options);
    });
    if (!was) break;
    any = true;
    const auto checkpoint = Checkpoint::load(killed.path);
    options.checkpoint = checkpoint.get();
    expect_same(fit(problem, options), whole);
    options.checkpoint = nullptr;
  }
  EXPECT_TRUE(any || whole.status.outcome == Outcome::converged);
}

bool is_accepted(const Options& options) {
  try {
    check_options(options);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

TEST(ResumeOracle, EverySolverContinuesExactly) {
  const Problem problem = to_problem(sparse_rows());
  for_each_way([&](const SolverInfo&, const Options& options) { resumes(problem, options); });
}

TEST(ResumeOracle, EveryIterateBudgetAndOrderContinuesExactly) {
  const Problem problem = to_problem(sparse_rows());
  for_each_way([&](const SolverInfo& info, const Options& options) {
    Options other = options;
    other.order = Order::replacement;
    if (info.budget == BudgetUse::optional) other.features = 9;
    if (is_accepted(other)) resumes(problem, other);
    other = options;
    other.iterate = Iterate::average;
    if (is_accepted(other)) resumes(problem, other);
  });
}

TEST(ResumeOracle, ContinuesWithinAPass) {
  const Problem problem = to_problem(many_rows());
  Options options;
  options.solver = "fobos";
  options.passes = 2;
  for (const Order order : {Order::shuffle, Order::sequential, Order::replacement}) {
    options.order = order;
    resumes(problem, options);
  }
}

TEST(ResumeOracle, ContinuesAfterADivergence) {
  const Problem problem = to_problem(sparse_rows(3000));
  Options options;
  options.solver = "fobos";
  options.loss = Loss::squared;
  options.eta = 1e4;
  options.passes = 4;
  ASSERT_FALSE(fit(problem, options).divergences.empty());
  resumes(problem, options);
}

TEST(ResumeOracle, ATreeContinuesExactly) {
  const Problem problem = to_problem(sparse_rows());
  Options options = options_for(solver_named("projected-sgd"));
  options.solver_options["projection"] = "tree";
  resumes(problem, options);
}

TEST(ResumeOracle, CandidatesSideBySideContinueExactly) {
  const Problem problem = to_problem(sparse_rows());
  std::vector<Options> candidates;
  for_each_way([&](const SolverInfo&, const Options& options) { candidates.push_back(options); });
  const std::vector<FitResult> whole = fit_all(problem, candidates);
  const Killed killed;
  for (int writes = 1; writes < 40; writes += 7) {
    const bool was = killed.run(writes, [&](Checkpoint* checkpoint) {
      for (Options& options : candidates) options.checkpoint = checkpoint;
      fit_all(problem, candidates);
      checkpoint->finish();
    });
    if (!was) break;
    const auto checkpoint = Checkpoint::load(killed.path);
    for (Options& options : candidates) options.checkpoint = checkpoint.get();
    const std::vector<FitResult> resumed = fit_all(problem, candidates);
    for (std::size_t i = 0; i < whole.size(); ++i) expect_same(resumed[i], whole[i]);
  }
}

// Goes on with a changed state, behind the checksum of the file.
template <class Change>
void go_on_from(const Problem& problem, Options options, const std::string& path,
                const Change& change) {
  const auto checkpoint = Checkpoint::load(path);
  std::string state = *checkpoint->find("call 0");
  change(state);
  checkpoint->update({{"call 0", state}}, false);
  checkpoint->set_interval(1e9);
  options.checkpoint = checkpoint.get();
  options.passes = 4;
  try {
    fit(problem, options);
  } catch (const Error&) {
  } catch (const UsageError&) {  // a changed step size may be none that an option allows
  }
}

TEST(ResumeEdge, NoStateDoesHarm) {
  const Problem problem = to_problem(sparse_rows(100));
  Random random(11);
  for_each_way([&](const SolverInfo&, Options options) {
    const Killed killed;
    const bool was = killed.run(2, [&](Checkpoint* checkpoint) {
      options.checkpoint = checkpoint;
      fit(problem, options);
    });
    if (!was) return;
    for (int i = 0; i < 40; ++i) {
      go_on_from(problem, options, killed.path, [&](std::string& state) {
        for (int changes = 0; changes < 3; ++changes) {
          state[random.below(state.size())] = static_cast<char>(random.below(256));
        }
      });
    }
  });
}

TEST(ResumeEdge, NoByteOfAStateOfBudgetDoesHarm) {
  const Problem problem = to_problem(sparse_rows(100));
  Options options = options_for(solver_named("budget"));
  options.features = 3;
  const Killed killed;
  ASSERT_TRUE(killed.run(2, [&](Checkpoint* checkpoint) {
    options.checkpoint = checkpoint;
    fit(problem, options);
  }));
  bool more = true;
  for (std::size_t at = 0; more; ++at) {
    go_on_from(problem, options, killed.path, [&](std::string& state) {
      more = at + 1 < state.size();
      state[at] = static_cast<char>(0xbb);
    });
  }
}

TEST(ResumeEdge, DamagedFilesAreRefused) {
  const Problem problem = to_problem(sparse_rows(100));
  Options options = options_for(solver_named("ftrl"));
  const Killed killed;
  ASSERT_TRUE(killed.run(2, [&](Checkpoint* checkpoint) {
    options.checkpoint = checkpoint;
    fit(problem, options);
  }));
  const std::string bytes = ScratchDir::slurp(killed.path);
  for (std::size_t at = 0; at < bytes.size(); at += 31) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_THROW(Checkpoint::load(killed.dir.write("d", changed)), Error);
    EXPECT_THROW(Checkpoint::load(killed.dir.write("d", bytes.substr(0, at))), Error);
  }
}

TEST(ResumeEdge, NoticesThatAnInputHasChanged) {
  const ScratchDir dir;
  const std::string input = dir.write("a", "12345");
  {
    Checkpoint first(dir.file("c"), 0, {});
    first.watch(input);
    first.update({}, true);
  }
  EXPECT_NO_THROW(Checkpoint::load(dir.file("c"))->watch(input));
  dir.write("a", "12345");  // another time, the same content
  EXPECT_NO_THROW(Checkpoint::load(dir.file("c"))->watch(input));
  dir.write("a", "12346");
  EXPECT_THROW(Checkpoint::load(dir.file("c"))->watch(input), Error);
  dir.write("a", "123456");
  EXPECT_THROW(Checkpoint::load(dir.file("c"))->watch(input), Error);
}

TEST(ResumeEdge, ARunThatIsNotFinishedIsNotOverwritten) {
  const ScratchDir dir;
  Checkpoint first(dir.file("c"), 0, {});
  first.begin();
  EXPECT_THROW(Checkpoint(dir.file("c"), 0, {}), Error);
  first.finish();
  EXPECT_NO_THROW(Checkpoint(dir.file("c"), 0, {}));
  dir.write("d", "something else");
  EXPECT_THROW(Checkpoint(dir.file("d"), 0, {}), Error);
}

}  // namespace
}  // namespace thresh
