// `train --save-state` and `train --from STATE`: a learner goes on with new rows.

#include <signal.h>

#include "tools/program.hpp"

namespace {

class CliGoOn : public CliTest {
 protected:
  void SetUp() override {
    // Columns far apart and columns that only the later rows have.
    std::vector<std::string> lines = lines_of(few_decide(9000));
    lines.resize(3000);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string far = " " + std::to_string(3'000'000'000 + 7919 * i % 40) + ":0.5";
      rows_.push_back(lines[i] + (i > 2000 ? " 90000:1" : "") + (i % 3 == 0 ? far : ""));
    }
    dir.write("both.svm", part(0, 3000));
    dir.write("a.svm", part(0, 1333));
    dir.write("b.svm", part(1333, 2001));
    dir.write("c.svm", part(2001, 3000));
  }

  std::string part(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text += rows_[i] + "\n";
    return text;
  }
  static Words join(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static Words one_pass(const Words& options) {
    return join({"--order", "sequential", "--passes", "1"}, options);
  }
  // The model after the three files, one after another.
  std::string in_parts(const Words& options, const std::string& ending = "svm") {
    train(join({"a." + ending, "--save-state", "a.state"}, options), "a");
    train({"b." + ending, "--from", "a.state", "--save-state", "b.state"}, "b");
    return train({"c." + ending, "--from", "b.state"}, "c");
  }
  void expect_same(const Words& options) {
    SCOPED_TRACE(testing::PrintToString(options));
    default_solver = "";
    const std::string whole = train(join({"both.svm"}, options));
    EXPECT_EQ(in_parts(options), whole);
  }

  std::vector<std::string> rows_;
};

TEST_F(CliGoOn, EqualsOnePassOverAllRows) {
  for (const Words& solver :
       std::vector<Words>{{"margin-perceptron"},
                          {"margin-perceptron", "--iterate", "average"},
                          {"truncated-gradient", "--every", "3", "--lambda", "1e-3"},
                          {"fobos", "--lambda", "1e-3"},
                          {"fobos", "--batch", "7", "--lambda", "1e-3"},
                          {"fobos", "--iterate", "average"},
                          {"ftrl", "--lambda", "1"},
                          {"ftrl", "--loss", "squared", "--task", "regression"},
                          {"rda", "--lambda", "1e-3"},
                          {"l0-sgd", "--features", "5", "--batch", "10"},
                          {"projected-sgd", "--radius", "3"},
                          {"projected-sgd", "--radius", "3", "--projection", "tree"},
                          {"smidas", "--p", "4", "--lambda", "1e-3"}}) {
    expect_same(one_pass(join({"--solver"}, solver)));
  }
}

TEST_F(CliGoOn, EqualsOnePassOverAPipe) {
  default_solver = "";
  const Words options = {"train", "-", "-q", "--positive", "1"};
  const Words learn = one_pass({"--solver", "fobos", "--lambda", "1e-3"});
  EXPECT_EQ(thresh_reading(part(0, 3000), join(join(options, learn), {"-o", "m"})).exit, 0);
  const Words saves = {"-o", "p", "--save-state", "s"};
  EXPECT_EQ(thresh_reading(part(0, 1333), join(join(options, learn), saves)).exit, 0);
  const Result last = thresh_reading(part(1333, 3000), join(options, {"--from", "s", "-o", "p"}));
  EXPECT_EQ(last.exit, 0) << last;
  EXPECT_EQ(ScratchDir::slurp(dir.file("p")), ScratchDir::slurp(dir.file("m")));
}

TEST_F(CliGoOn, NamesMayBeNew) {
  const auto named = [](int begin, int end) {
    std::string text;
    for (int i = begin; i < end; ++i) {
      text += std::string(i % 3 == 0 ? "1" : "-1") + " | w" +
              std::to_string(i * 31 % (3 + i / 20)) + ":0.5 v" + std::to_string(i % 3) + "\n";
    }
    return text;
  };
  for (const Words& hash : {Words{}, Words{"--hash-bits", "8"}}) {
    dir.write("both.vw", named(0, 900));
    dir.write("a.vw", named(0, 200));
    dir.write("b.vw", named(200, 500));
    dir.write("c.vw", named(500, 900));
    default_solver = "";
    const Words options = one_pass(join({"--solver", "ftrl", "--lambda", "0.1"}, hash));
    const std::string whole = train(join({"both.vw"}, options));
    EXPECT_EQ(in_parts(options, "vw"), whole);
    EXPECT_TRUE(contains(whole, "w25"));
  }
}

TEST_F(CliGoOn, ClassesMayBeMissing) {
  default_solver = "";
  const auto three = [](int begin, int end, int classes) {
    std::string text;
    for (int i = begin; i < end; ++i) {
      text += std::to_string(i % classes) + " " + std::to_string(1 + i % classes) + ":1 9:1\n";
    }
    return text;
  };
  for (const char* how : {"ovr", "softmax"}) {
    dir.write("a.svm", three(0, 300, 3));
    dir.write("b.svm", three(300, 400, 2));
    dir.write("c.svm", three(400, 430, 1));
    dir.write("both.svm", three(0, 300, 3) + three(300, 400, 2) + three(400, 430, 1));
    expect_same(one_pass({"--solver", "fobos", "--multiclass", how}));
  }
  dir.write("c.svm", "7 1:1\n");
  EXPECT_TRUE(contains(bad(1, {"train", "c.svm", "--from", "b.state"}), "7"));
}

// More passes, in random order: other models than all rows at once, but sums and steps go on.
TEST_F(CliGoOn, GoesOnAfterSeveralPasses) {
  default_solver = "";
  const std::string first =
      train({"a.svm", "--solver", "ftrl", "--lambda", "1", "--save-state", "a.state"});
  const std::string second = train({"b.svm", "--from", "a.state"});
  EXPECT_TRUE(contains(second, "\"passes\":10"));
  EXPECT_TRUE(contains(second, std::to_string(10 * 1333 + 10 * 668)));  // examples
  EXPECT_NE(second, train({"b.svm", "--from", "a.state", "--passes", "2"}));
  EXPECT_NE(second, train({"b.svm", "--from", "m.thresh", "--solver", "ftrl", "--lambda", "1"}));
}

TEST_F(CliGoOn, RefusesWhatMustKnowAllRows) {
  default_solver = "";
  dir.write("t.csv", "x,y\n1,a\n2,b\n3,a\n4,b\n");
  const auto refused = [&](Words options) {
    return bad(2, join({"train", "-q", "-o", "m", "--save-state", "s"}, options));
  };
  EXPECT_TRUE(contains(refused({"a.svm"}), "budget must know the number of rows"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "l1"}), "l1 must know all rows"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "scd"}), "scd must know all rows"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "eg", "--radius", "2"}),
                       "eg must know the number of features"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "smidas"}), "unless --p and --eta"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "fobos", "--rounds"}), "--rounds"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "fobos", "--density", "5%"}), "--density"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "ftrl", "--steps", "50"}), "--steps"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "ftrl", "--class-weight", "balanced"}),
                       "--class-weight"));
  EXPECT_TRUE(contains(refused({"a.svm", "--solver", "ftrl", "--scale", "max"}), "--scale"));
  EXPECT_TRUE(contains(refused({"t.csv", "--solver", "ftrl"}), "table"));
  EXPECT_FALSE(exists("m"));
  EXPECT_FALSE(exists("s"));
}

TEST_F(CliGoOn, OptionsAreThoseOfTheState) {
  default_solver = "";
  train(one_pass({"a.svm", "--solver", "ftrl", "--lambda", "1", "--save-state", "s"}));
  const auto refused = [&](Words options) {
    return bad(2, join({"train", "b.svm", "--from", "s"}, options));
  };
  EXPECT_TRUE(contains(refused({"--solver", "rda"}), "--solver: the learner"));
  EXPECT_TRUE(contains(refused({"--l1", "2"}), "--lambda: the learner"));
  EXPECT_TRUE(contains(refused({"--alpha", "2"}), "made with 0.1"));
  EXPECT_TRUE(contains(refused({"--no-intercept"}), "--intercept"));
  EXPECT_TRUE(contains(refused({"--zero-based"}), "--zero-based"));
  const std::string model = train({"b.svm", "--from", "s"});
  EXPECT_EQ(train({"b.svm", "--from", "s", "--solver", "ftrl", "--lambda", "1", "--alpha", "0.1",
                   "--passes", "1", "--order", "sequential"}),
            model);
}

TEST_F(CliGoOn, SaysWhatIsWrongWithTheFile) {
  default_solver = "";
  train({"a.svm", "--solver", "ftrl", "--save-state", "s"});
  train({"a.svm", "--solver", "ftrl", "--checkpoint", "c"});
  EXPECT_TRUE(contains(bad(1, {"train", "b.svm", "--from", "c"}), "no state to go on from"));
  EXPECT_TRUE(contains(good({"resume", "s"}) + thresh({"resume", "s"}).err, "is finished"));
  EXPECT_TRUE(contains(bad(2, {"train", "b.svm", "--solver", "ftrl", "--save-state", "b.svm"}),
                       "overwrite the training data"));
  const std::string state = ScratchDir::slurp(dir.file("s"));
  for (std::size_t at = 20; at < state.size(); at += state.size() / 40) {
    std::string damaged = state;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    dir.write("d", damaged);
    EXPECT_TRUE(contains(bad(1, {"train", "b.svm", "--from", "d"}), "damaged")) << at;
    dir.write("d", state.substr(0, at));
    EXPECT_TRUE(contains(bad(1, {"train", "b.svm", "--from", "d"}), "damaged")) << at;
  }
}

TEST_F(CliGoOn, ALearnerThatHasEndedCannot) {
  default_solver = "";
  train({"a.svm", "--solver", "margin-perceptron", "--features", "1", "--save-state", "s"});
  EXPECT_TRUE(contains(bad(2, {"train", "b.svm", "--from", "s"}), "its learner has ended"));
}

TEST_F(CliGoOn, KilledItResumes) {
  default_solver = "";
  train(one_pass({"a.svm", "--solver", "fobos", "--save-state", "a.state"}));
  const std::string model = train({"b.svm", "--from", "a.state", "--save-state", "b.state"}, "m");
  const std::string state = ScratchDir::slurp(dir.file("b.state"));
  std::filesystem::remove(dir.path / "m");
  std::filesystem::remove(dir.path / "b.state");
  Command killed = command({"train", "b.svm", "--from", "a.state", "--save-state", "b.state", "-q",
                            "-o", "m", "--checkpoint", "c", "--checkpoint-every", "0s"});
  killed.environment = {{"THRESH_TEST_DIE_AFTER_CHECKPOINT", "2"}};
  EXPECT_EQ(run(killed).exit, 128 + SIGKILL);
  EXPECT_FALSE(exists("m"));
  EXPECT_EQ(thresh({"resume", "c", "-q"}).exit, 0);
  EXPECT_EQ(ScratchDir::slurp(dir.file("m")), model);
  // The states name different commands.
  const std::string resumed = train({"c.svm", "--from", "b.state"}, "c1");
  dir.write("b.state", state);
  EXPECT_EQ(train({"c.svm", "--from", "b.state"}, "c2"), resumed);
}

}  // namespace
