// train(): the program's headline as one call of the library. That it gives the program's bytes is
// the package test's to show, which has both.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>

#include "select/sharpness.hpp"
#include "sparse/cores.hpp"
#include "sparse/random.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::train_call_edge {
namespace {

// Features 1 and 2 decide, of thirty.
std::string few_decide(int rows) {
  Random random(3);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const double a = random.normal();
    const double b = random.normal();
    text += fmt::format("{} 1:{} 2:{} {}:1\n", a + b > 0 ? 1 : -1, a, b, 3 + random.below(28));
  }
  return text;
}

class TrainCall : public testing::Test {
 protected:
  Problem problem(int rows = 1000) { return open_problem(dir.write("a.svm", few_decide(rows))); }
  ScratchDir dir;
};

class Told : public TrainObserver {
 public:
  void on_sizes(const SelectObserver::Progress&) override { ++sizes; }
  void on_choice(const SizeChoice& choice) override { chosen = choice.chosen.budget; }
  Observer* last_run() override {
    chosen_before_last_run = chosen > 0;
    return nullptr;
  }
  int sizes = 0;
  std::uint64_t chosen = 0;
  bool chosen_before_last_run = false;
};

TEST_F(TrainCall, ChoosesASizeAndLearnsItFromAllRows) {
  Told told;
  const Problem data = problem();
  const Trained trained = train(data, {}, &told);
  ASSERT_TRUE(trained.choice.has_value());
  const SizeChoice& choice = *trained.choice;
  EXPECT_EQ(choice.chosen.budget, 2U);
  EXPECT_EQ(trained.model.nonzeros(), 2U);
  EXPECT_EQ(trained.model.solver, "budget");
  EXPECT_EQ(choice.folds, 5U);
  EXPECT_EQ(choice.chosen.last.valid_rows, 1000U);
  EXPECT_EQ(told.chosen, 2U);
  EXPECT_TRUE(told.chosen_before_last_run);
  EXPECT_GT(told.sizes, 0);
  ASSERT_EQ(choice.curve.size(), usual_budgets(30).size());
  for (std::size_t i = 1; i < choice.curve.size(); ++i) {
    EXPECT_LT(choice.curve[i - 1].budget, choice.curve[i].budget);
  }
  EXPECT_LE(*choice.best.last.valid_error, *choice.chosen.last.valid_error);

  TrainOptions by_hand;
  by_hand.features = choice.chosen.budget;
  for (const auto& [name, value] : choice.chosen.settings) set_option(by_hand, name, value);
  const Trained given = train(data, by_hand);
  EXPECT_FALSE(given.choice.has_value());
  EXPECT_EQ(given.model.to_bytes(), trained.model.to_bytes());
}

TEST_F(TrainCall, EachRowIsHeldOutOnceInEachRepeat) {
  const Trained trained = train(problem(300));
  EXPECT_EQ(trained.choice->repeats, 3U);
  const RowScores& rows = *trained.choice->chosen.last.row_scores;
  std::vector<std::uint64_t> ids = rows.ids;
  ASSERT_EQ(ids.size(), 900U);
  ASSERT_EQ(rows.losses.size(), 900U);
  std::sort(ids.begin(), ids.end());
  for (std::uint64_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], i / 3);
}

TEST_F(TrainCall, TheSmallestThatIsGoodEnough) {
  const Problem data = problem();
  TrainOptions options;
  options.max_error = 0.4;
  EXPECT_EQ(train(data, options).choice->chosen.budget, 1U);
  options.max_error = -1;
  std::string missed;
  try {
    train(data, options);
  } catch (const LimitMissed& error) {
    missed = error.what();
  }
  EXPECT_TRUE(missed.starts_with("no model has a validation error of at most -100%")) << missed;
  options.features = 3;
  EXPECT_NE(refusal_of([&] { train(data, options); }), "");
}

TEST_F(TrainCall, SingleRunOptionsNeedASize) {
  const Problem data = problem();
  TrainOptions options;
  options.steps = 100;
  EXPECT_EQ(refusal_of([&] { train(data, options); }),
            "trace, calibrate and steps require features or density");
}

// Rows whose labels are wrong now and then, so that a strong ridge is better.
std::string noisy(int rows) {
  Random random(5);
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const double a = random.normal();
    const bool flipped = random.uniform() < 0.3;
    text += fmt::format("{}", (a > 0) != flipped ? 1 : -1);
    text += fmt::format(" 1:{}", a);
    for (int j = 2; j <= 12; ++j) text += fmt::format(" {}:{}", j, random.normal());
    text += "\n";
  }
  return text;
}

TEST_F(TrainCall, ASetSizeStillHasItsSettingsChosen) {
  const Problem data = open_problem(dir.write("n.svm", noisy(400)));
  TrainOptions options;
  options.features = 6;
  const Trained trained = train(data, options);
  ASSERT_TRUE(trained.choice.has_value());
  ASSERT_EQ(trained.choice->curve.size(), 1U);
  EXPECT_EQ(trained.choice->chosen.budget, 6U);
  EXPECT_EQ(trained.model.nonzeros(), 6U);
  ASSERT_FALSE(trained.choice->chosen.settings.empty());

  // The same as a choice between all settings of one size on folds.
  Options judged = options;
  judged.features.reset();
  judged.score_rows = true;
  SelectObserver nobody;
  const Frontier frontier =
      learn_frontier_in_folds(data, judged, {6}, 5, trained.choice->repeats, nobody);
  double lowest = 1e9;
  for (const SizedResult& model : frontier.tried) {
    lowest = std::min(lowest, *model.last.valid_loss);
  }
  EXPECT_EQ(*trained.choice->chosen.last.valid_loss, lowest);
}

TEST_F(TrainCall, ASetSizeIsRunOnceIfNothingIsToBeChosen) {
  const Problem data = problem(400);
  const auto runs_once = [&](const std::function<void(TrainOptions&)>& change) {
    TrainOptions options;
    options.features = 2;
    change(options);
    return !train(data, options).choice.has_value();
  };
  EXPECT_FALSE(runs_once([](TrainOptions&) {}));
  EXPECT_TRUE(runs_once([](TrainOptions& o) { set_option(o, "beta", "0.5"); }));
  EXPECT_TRUE(runs_once([](TrainOptions& o) { set_option(o, "ridge", "0.5"); }));
  EXPECT_TRUE(runs_once([](TrainOptions& o) { o.passes = 1; }));
  EXPECT_TRUE(runs_once([](TrainOptions& o) { o.steps = 500; }));
}

// Rows that cannot be spared: too few, or too few of a class.
TEST_F(TrainCall, ASetSizeNeedsNoRowsToHoldOut) {
  TrainOptions options;
  options.features = 1;
  const auto learned = [&](const std::string& text) {
    return train(open_problem(dir.write("f.svm", text)), options);
  };
  EXPECT_FALSE(learned("1 1:1\n-1 2:1\n").choice.has_value());
  std::string rare;
  for (int i = 0; i < 40; ++i) rare += i < 7 ? "1 1:1\n" : "-1 2:1\n";
  EXPECT_FALSE(learned(rare).choice.has_value());
  EXPECT_TRUE(learned(rare + "1 1:1\n").choice.has_value());
}

TEST_F(TrainCall, ASetSizeThatIsNotBetterThanNoneIsDoubted) {
  Random random(9);
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += random.below(2) == 0 ? "1" : "-1";
    for (int j = 1; j <= 8; ++j) text += fmt::format(" {}:{}", j, random.normal());
    text += "\n";
  }
  TrainOptions options;
  options.features = 8;
  const Trained trained = train(open_problem(dir.write("r.svm", text)), options);
  EXPECT_EQ(trained.model.nonzeros(), 8U);
  ASSERT_FALSE(trained.warnings.empty());
  EXPECT_NE(trained.warnings.front().find("not clearly better than the constant one"),
            std::string::npos);
  options.features = 2;
  EXPECT_TRUE(train(problem(400), options).warnings.empty());
}

TEST_F(TrainCall, ProbabilitiesAreNotSurerThanHeldOutRowsAllow) {
  const Problem data = open_problem(dir.write("n.svm", noisy(120)));
  TrainOptions options;
  options.features = 12;
  const Trained trained = train(data, options);
  ASSERT_TRUE(trained.choice.has_value());
  const double factor = calibrating_factor(*trained.choice->chosen.last.row_scores);
  EXPECT_LT(factor, 0.98);
  ASSERT_TRUE(trained.model.calibration.has_value());
  EXPECT_EQ(trained.model.calibration->slope, factor);
  EXPECT_EQ(trained.model.calibration->offset, 0);
}

TEST_F(TrainCall, FewHeldOutRowsAreDoubted) {
  const Trained trained = train(problem(15));
  ASSERT_FALSE(trained.warnings.empty());
  EXPECT_TRUE(trained.warnings.front().starts_with("too few held-out rows")) << trained.warnings[0];
}

TEST_F(TrainCall, OtherSolversMakeTheirUsualPasses) {
  TrainOptions options;
  options.solver = "fobos";
  Options plain;
  plain.solver = "fobos";
  const Problem data = problem();
  EXPECT_EQ(train(data, options).model.to_bytes(), fit(data, plain).model.to_bytes());
}

// Notes how many cores the threads that read may use.
class Cores : public RowSource {
 public:
  explicit Cores(std::shared_ptr<RowSource> rows) : rows_(std::move(rows)) {}
  BlockPtr block(std::size_t k) override {
    const std::lock_guard lock(mutex_);
    seen.insert(cores());
    return rows_->block(k);
  }
  const Survey* survey() const override { return rows_->survey(); }
  std::string name() const override { return rows_->name(); }
  std::set<std::size_t> seen;

 private:
  std::shared_ptr<RowSource> rows_;
  std::mutex mutex_;
};

TEST_F(TrainCall, ThreadsAreAsManyAsTheOptionsSay) {
  Problem data = problem(5000);
  const auto plain = data.train;
  std::vector<std::string> models;
  for (const std::size_t threads : {0, 1, 2}) {
    const auto watched = std::make_shared<Cores>(plain);
    data.train = watched;
    TrainOptions options;
    options.threads = threads;
    models.push_back(train(data, options).model.to_bytes());
    const std::size_t most = threads == 0 ? all_cores() : std::min(threads, all_cores());
    EXPECT_EQ(watched->seen, std::set<std::size_t>{most}) << threads;
    EXPECT_EQ(cores(), all_cores()) << "the limit ends with the call";
  }
  EXPECT_EQ(models[0], models[1]);
  EXPECT_EQ(models[0], models[2]);
}

TEST_F(TrainCall, LimitsOnThreadsNest) {
  const ThreadLimit outer(1);
  EXPECT_EQ(cores(), 1U);
  const ThreadLimit inner(8);
  EXPECT_EQ(cores(), 1U);
  const ThreadLimit none(0);
  EXPECT_EQ(cores(), 1U);
}

TEST(ModelBytes, AreThoseOfTheFile) {
  const ScratchDir dir;
  const Model model = fit(open_problem(dir.write("a.svm", few_decide(50))), {}).model;
  model.save(dir.file("m"));
  EXPECT_EQ(model.to_bytes(), ScratchDir::slurp(dir.file("m")));
  EXPECT_EQ(Model::from_bytes(model.to_bytes()).to_bytes(), model.to_bytes());
  std::string bytes = model.to_bytes();
  bytes.resize(bytes.size() / 2);
  EXPECT_TRUE(error_of([&] { Model::from_bytes(bytes); }).starts_with("model in memory: "));
}

TEST(Version, OfHeadersAndLibraryIsTheSame) {
  EXPECT_EQ(version(), fmt::format("{}.{}.{}", THRESH_VERSION_MAJOR, THRESH_VERSION_MINOR,
                                   THRESH_VERSION_PATCH));
}

}  // namespace
}  // namespace thresh::train_call_edge
