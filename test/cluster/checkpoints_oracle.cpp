// Checkpoints of several ranks: from each of them, any number of ranks goes on to the model of a
// run without a break, to the bit.

#include <gtest/gtest.h>

#include <filesystem>

#include "cluster/sliced_runs.hpp"
#include "thresh/checkpoint.hpp"
#include "tools/scratch.hpp"

namespace thresh::checkpoints_oracle {
namespace {

namespace fs = std::filesystem;

// Copies a file whenever it is told of progress and the file has changed.
class Copier : public Observer {
 public:
  explicit Copier(std::string path) : path_(std::move(path)) {}
  bool wants_progress(const Progress&) const override { return true; }
  void on_progress(const Progress&) override {
    const std::string to = path_ + "." + std::to_string(copies.size());
    std::error_code none;
    fs::copy_file(path_, to, none);
    if (none) return;  // it is not there yet
    if (!copies.empty() && same(copies.back(), to)) {
      fs::remove(to);
    } else {
      copies.push_back(to);
    }
  }
  std::vector<std::string> copies;

 private:
  static bool same(const std::string& a, const std::string& b) {
    return ScratchDir::slurp(a) == ScratchDir::slurp(b);
  }
  std::string path_;
};

// What the ranks learn with this checkpoint, or from it.
std::string learned(std::size_t ranks, const std::string& data, Options options,
                    const std::string& path, bool goes_on, Observer* observer = nullptr) {
  std::string model;
  ThreadRanks(ranks).run([&](Comm& comm) {
    std::unique_ptr<Checkpoint> checkpoint;
    if (comm.rank() > 0) {
      checkpoint = Checkpoint::follow(path, goes_on ? Checkpoint::load(path)->bytes() : "");
    } else if (goes_on) {
      checkpoint = Checkpoint::load(path);
    } else {
      checkpoint = std::make_unique<Checkpoint>(path, 0, std::vector<std::string>{"train"});
    }
    Options mine = options;
    mine.checkpoint = checkpoint.get();
    const Problem problem = open_share(data, "", {}, kSlices, comm);
    const FitResult result = fit(problem, mine, nullptr, comm.rank() == 0 ? observer : nullptr);
    if (comm.rank() == 0) model = text_of(result.model);
  });
  return model;
}

std::string learned_alone(const std::string& data, Options options, const std::string& path) {
  const std::unique_ptr<Checkpoint> checkpoint = Checkpoint::load(path);
  options.checkpoint = checkpoint.get();
  return text_of(fit(open_problem(data), options).model);
}

// Interrupts three ranks, and goes on with one, two and four, from so many copies.
void expect_goes_on(const std::string& data, Options options, const std::string& path,
                    std::size_t copies = 2) {
  options.solver_options["slices"] = std::to_string(kSlices);
  options.order = Order::sequential;
  const std::string alone = text_of(fit(open_problem(data), options).model);
  Copier copier(path);
  EXPECT_EQ(learned(3, data, options, path, false, &copier), alone) << options.solver;
  if (!options.features || options.solver == "budget") {  // else it may end before
    EXPECT_GT(copier.copies.size(), 2U) << options.solver;
  }
  if (copier.copies.empty()) return;
  for (std::size_t k = 0; k < copies; ++k) {
    const std::size_t i = k * (copier.copies.size() - 1) / copies;
    const std::string& copy = copier.copies[i];
    EXPECT_EQ(i > 0 ? alone : learned_alone(data, options, copy), alone) << options.solver;
    const std::size_t ranks = i == 0 ? 2 : 4;
    EXPECT_EQ(learned(ranks, data, options, copy, true), alone)
        << options.solver << ", " << ranks << " ranks, copy " << i;
  }
}

TEST(ClusterCheckpoints, GoOnWithAnyNumberOfRanks) {
  const ScratchDir dir;
  // More than a block, so that there are places to go on from within a pass.
  const std::string data = dir.write("a.svm", as_text(rounding_problem(1500, 40, 6)));
  int number = 0;
  for (const Options& options : all_that_slice()) {
    expect_goes_on(data, options, dir.file("c" + std::to_string(number++)));
  }
}

// Within the thresholds, the quadratic model and the refit.
TEST(ClusterCheckpoints, GoOnWithBudget) {
  const ScratchDir dir;
  const std::string data = dir.write("a.svm", words(1100, 2000, 2, 6));
  Options options;
  options.solver = "budget";
  options.features = 25;
  options.passes = 2;
  expect_goes_on(data, options, dir.file("c"), 4);
}

// A good state and smaller steps are part of what is saved.
TEST(ClusterCheckpoints, GoOnAfterADivergence) {
  const ScratchDir dir;
  const std::string data = dir.write("a.svm", as_text(rounding_problem(3000, 40, 9)));
  Options options;
  options.solver = "fobos";
  options.loss = Loss::squared;
  options.eta = 30;
  options.schedule = Schedule::constant;
  options.passes = 2;
  options.solver_options["batch"] = "50";
  expect_goes_on(data, options, dir.file("c"));
}

}  // namespace
}  // namespace thresh::checkpoints_oracle
