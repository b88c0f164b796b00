// What a run still does once it is told to stop, in blocks of rows read.

#include <gtest/gtest.h>

#include <atomic>

#include "thresh/train.hpp"
#include "tools/problems.hpp"

namespace thresh::stop_edge {
namespace {

constexpr std::size_t kBlock = 1024;

// Counts the blocks that are read after the order to stop.
class Counted : public RowSource {
 public:
  Counted(std::shared_ptr<RowSource> rows, const std::atomic<bool>& stop)
      : rows_(std::move(rows)), stop_(stop) {}
  BlockPtr block(std::size_t k) override {
    (stop_ ? after : before) += 1;
    return rows_->block(k);
  }
  const Survey* survey() const override { return rows_->survey(); }
  std::string name() const override { return rows_->name(); }
  std::atomic<std::size_t> before = 0, after = 0;

 private:
  std::shared_ptr<RowSource> rows_;
  const std::atomic<bool>& stop_;
};

// Gives the order when a run has seen this many examples.
struct Stopper : Observer {
  Stopper(std::atomic<bool>& stop_, std::uint64_t at_) : stop(stop_), at(at_) {}
  void on_progress(const Progress& now) override {
    if (now.examples >= at) stop = true;
  }
  std::uint64_t wake_at() const override { return at; }
  std::atomic<bool>& stop;
  std::uint64_t at;
};

TEST(Stop, AModelIsNotScoredOnAllRowsAfterIt) {
  std::atomic<bool> stop = false;
  Problem problem = to_problem(random_problem(200, 3, 0.5, 1));
  const auto valid =
      std::make_shared<Counted>(to_problem(random_problem(300 * kBlock, 1, 0.5, 2)).train, stop);
  problem.valid = valid;
  Options options;
  options.solver = "fobos";
  options.passes = 1000;
  options.trace = TraceAt{};
  options.stop = &stop;
  Stopper stopper(stop, 300);
  const FitResult result = fit(problem, options, nullptr, &stopper);
  EXPECT_EQ(result.status.outcome, Outcome::stopped);
  EXPECT_EQ(result.last.at.examples, 300u);
  EXPECT_FALSE(result.last.valid_error);
  EXPECT_FALSE(result.model.coefficients.empty());
  EXPECT_LE(valid->after, 64u);  // read ahead
  for (const TracePoint& point : result.trace) EXPECT_TRUE(point.train_error && point.valid_error);
}

// The order may come while the sizes are learned, or fitted, or scored.
TEST(Stop, TheDefaultEndsWithoutASize) {
  const DenseProblem data = random_problem(6000, 60, 0.1, 3);
  std::size_t all = 0;
  for (const std::size_t at : {1u, 20u, 100u, 10'000u}) {
    std::atomic<bool> stop = false;
    Problem problem = to_problem(data);
    struct Late : Counted {
      Late(std::shared_ptr<RowSource> rows, std::atomic<bool>& flag, std::size_t last_)
          : Counted(std::move(rows), flag), stop(flag), last(last_) {}
      bool rereads_fast() const override { return true; }  // so that every read is seen
      BlockPtr block(std::size_t k) override {
        if (before >= last) stop = true;
        return Counted::block(k);
      }
      std::atomic<bool>& stop;
      std::size_t last;
    };
    const auto rows = std::make_shared<Late>(problem.train, stop, at);
    problem.train = rows;
    TrainOptions options;
    options.stop = &stop;
    if (at == 10'000) {
      train(problem, options);
      all = rows->before;
      continue;
    }
    EXPECT_THROW(train(problem, options), Interrupted) << at;
    EXPECT_LE(rows->after, 64u) << at;
  }
  EXPECT_GT(all, 300u);  // or the test says nothing
}

}  // namespace
}  // namespace thresh::stop_edge
