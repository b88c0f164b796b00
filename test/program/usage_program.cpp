// Help, version, JSON and quiet everywhere; usage errors exit 2 and help to mend the command.

#include <filesystem>

#include "tools/program.hpp"

class CliUsage : public CliTest {
 protected:
  void SetUp() override { dir.write("tiny.svm", kTiny); }

  // train tiny.svm with these options: exit 2, one line that holds every part, no model.
  void refused(Words options, const Words& parts) const {
    options.insert(options.begin(), {"train", "tiny.svm"});
    const std::string line = bad(2, options);
    for (const std::string& part : parts) EXPECT_TRUE(contains(line, part));
    EXPECT_LT(line.size(), 200U) << line;
    EXPECT_FALSE(exists("tiny.svm.thresh"));
    std::filesystem::remove(dir.file("tiny.svm.thresh"));  // one failure must not look like many
  }
};

// What other programs call it, or nearly our own word.
TEST_F(CliUsage, TheClosestOptionIsNamed) {
  dir.write("a.csv", "n,y\n1,0\n2,1\n");
  const std::vector<std::pair<Words, std::string>> all = {
      {{"--drop", "n"}, "did you mean --ignore?"},
      {{"--penalty", "1"}, "did you mean --lambda?"},
      {{"--NA", "x"}, "did you mean --na?"},
      {{"--na-values", "x"}, "did you mean --na?"},
      {{"--interaction", "n:n"}, "did you mean --interactions?"},
      {{"--texts", "n"}, "did you mean --text?"}};
  for (const auto& [option, hint] : all) {
    Words words{"train", "a.csv"};
    words.insert(words.end(), option.begin(), option.end());
    EXPECT_TRUE(contains(bad(2, words), hint)) << option[0];
  }
  // -d takes one file, and leaves a second one to be refused.
  const std::string two = bad(2, {"train", "-d", "a.csv", "b.csv"});
  EXPECT_TRUE(contains(two, "one file to learn from, not b.csv and -d a.csv")) << two;
  EXPECT_TRUE(contains(good({"solvers", "budget"}), "objective"));
}

TEST_F(CliUsage, HelpOfEveryCommandHasItsOwnExamples) {
  EXPECT_TRUE(contains(good({"--help"}), "Examples"));
  for (const Words& command : std::vector<Words>{{"train"},
                                                 {"tune"},
                                                 {"cv"},
                                                 {"path"},
                                                 {"frontier"},
                                                 {"predict"},
                                                 {"eval"},
                                                 {"weights"},
                                                 {"diagnose"},
                                                 {"solvers"},
                                                 {"export"},
                                                 {"generate"},
                                                 {"generate", "corpus"},
                                                 {"generate", "gaussian"}}) {
    Words arguments = command;
    std::string name = "thresh";
    for (const std::string& word : command) name += " " + word;
    arguments.push_back("--help");
    const std::string help = good(arguments);
    const std::size_t examples = help.find("Examples");
    ASSERT_NE(examples, std::string::npos) << name;
    EXPECT_TRUE(contains(help.substr(examples), "  " + name));
    EXPECT_TRUE(command[0] == "generate" && command.size() == 1 ? true
                                                                : bool(contains(help, "--json")));
  }
}

TEST_F(CliUsage, Version) {
  EXPECT_TRUE(good({"--version"}).starts_with("thresh "));
}

TEST_F(CliUsage, SolversListsTheCatalog) {
  const std::string text = good({"solvers"});
  EXPECT_TRUE(contains(text, "margin-perceptron"));
  EXPECT_TRUE(contains(text, "--tau"));
  const Json json = good_json({"solvers", "--json"});
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json.at(0).at("name"), "margin-perceptron");
  for (const char* key : {"paper", "update", "cost", "needs", "options"}) {
    EXPECT_TRUE(json.at(0).contains(key)) << key;
  }
}

TEST_F(CliUsage, EveryCommandSpeaksJson) {
  EXPECT_TRUE(good_json({"train", "tiny.svm", "-o", "m.thresh", "--json"}).is_object());
  EXPECT_TRUE(good_json({"eval", "m.thresh", "tiny.svm", "--json"}).is_object());
  EXPECT_TRUE(good_json({"weights", "m.thresh", "--json"}).is_object());
  EXPECT_TRUE(good_json({"solvers", "--json"}).is_array());
  EXPECT_TRUE(good_json({"generate", "corpus", "--rows", "5", "-o", "c", "--json"}).is_object());
  EXPECT_TRUE(good_json({"generate", "gaussian", "--rows", "5", "-o", "g", "--json"}).is_object());
  EXPECT_TRUE(
      good_json({"export", "m.thresh", "--format", "json", "-o", "e", "--json"}).is_object());
  for (const std::string& line : lines_of(good({"predict", "m.thresh", "tiny.svm", "--json"}))) {
    EXPECT_TRUE(Json::accept(line)) << line;
  }
}

TEST_F(CliUsage, QuietPrintsNoReport) {
  dir.write("many.svm", random_rows({.rows = 5000}));
  silent({"train", "many.svm", "-o", "m.thresh", "--quiet"});
  silent({"train", "many.svm", "-o", "m.thresh", "--quiet", "--trace-at", "passes"});
  silent({"eval", "m.thresh", "many.svm", "--quiet"});
  silent({"generate", "corpus", "--rows", "5", "-o", "c", "--quiet"});
  silent({"export", "m.thresh", "--format", "json", "-o", "e", "--quiet"});
  silent({"predict", "m.thresh", "many.svm", "-o", "p", "--quiet"});
  EXPECT_EQ(lines_of(good({"predict", "m.thresh", "many.svm", "--quiet"})).size(), 5000U);
}

TEST_F(CliUsage, UnknownOptionNamesTheClosest) {
  refused({"--featurs", "5"}, {"--featurs", "--features"});
  refused({"--lamda", "5"}, {"--lamda", "--lambda"});
  refused({"--denstiy=5%"}, {"--denstiy", "--density"});
  refused({"--no-intercpt"}, {"--no-intercept"});
  refused({"--zzzzzzzz"}, {"--zzzzzzzz", "--help"});
  refused({"-z"}, {"-z"});
  EXPECT_TRUE(contains(bad(2, {"generate", "corpus", "--row", "5"}), "--rows"));
  EXPECT_TRUE(contains(bad(2, {"weights", "m", "--tpo", "5"}), "--top"));
}

TEST_F(CliUsage, UnknownCommandNamesTheClosest) {
  EXPECT_TRUE(contains(bad(2, {"trian", "tiny.svm"}), "train"));
  EXPECT_TRUE(contains(bad(2, {"wieghts"}), "weights"));
  EXPECT_TRUE(contains(bad(2, {"generate", "corpsu"}), "corpus"));
  const std::string line = bad(2, {"frobnicate"});
  EXPECT_TRUE(contains(line, "frobnicate"));
  EXPECT_TRUE(contains(line, "--help"));
}

TEST_F(CliUsage, UnknownSolverNamesTheClosest) {
  refused({"--solver", "margin-perceptrom"}, {"margin-perceptron"});
  refused({"--solver", "zzz"}, {"zzz", "thresh solvers"});
}

TEST_F(CliUsage, MissingArgumentsAreNamed) {
  EXPECT_TRUE(contains(bad(2, {}), "command"));
  EXPECT_TRUE(contains(bad(2, {"train"}), "data"));
  EXPECT_TRUE(contains(bad(2, {"eval"}), "model"));
  EXPECT_TRUE(contains(bad(2, {"eval", "m.thresh"}), "data"));
  EXPECT_TRUE(contains(bad(2, {"predict", "m.thresh"}), "data"));
  EXPECT_TRUE(contains(bad(2, {"export", "m.thresh"}), "--format"));
  EXPECT_TRUE(contains(bad(2, {"generate"}), "corpus"));
  EXPECT_TRUE(contains(bad(2, {"train", "tiny.svm", "other.svm"}), "other.svm"));
  EXPECT_TRUE(contains(bad(2, {"train", "tiny.svm", "--solver", "fobos", "--eta"}), "--eta"));
  EXPECT_TRUE(contains(bad(2, {"train", "tiny.svm", "--solver"}), "--solver"));
  EXPECT_TRUE(contains(bad(2, {"frontier"}), "data is required"));
}

TEST_F(CliUsage, ContradictoryOptions) {
  refused({"--features", "2", "--density", "5%"}, {"--features", "--density"});
  refused({"--holdout", "10%", "--valid", "tiny.svm"}, {"--holdout", "--valid"});
  refused({"--passes", "2", "--steps", "5"}, {"--passes", "--steps"});
  refused({"--calibrate"}, {"--calibrate", "--holdout", "--valid"});
  refused({"--task", "regression"}, {"regression"});
}

TEST_F(CliUsage, ImpossibleValues) {
  refused({"--eta", "-1"}, {"--eta"});
  refused({"--eta", "0"}, {"--eta"});
  refused({"--eta", "nan"}, {"--eta"});
  refused({"--eta", "inf"}, {"--eta"});
  refused({"--lambda", "-0.1"}, {"--lambda"});
  refused({"--lambda", "x"}, {"--lambda", "x"});
  refused({"--lambda", "1x"}, {"--lambda", "1x"});
  refused({"--tau", "x"}, {"--tau", "x"});
  refused({"--passes", "0"}, {"--passes"});
  refused({"--passes", "-3"}, {"--passes"});
  refused({"--passes", "1.5"}, {"--passes"});
  refused({"--passes", "9223372036854775808"}, {"--passes", "at most"});
  refused({"--steps", "9223372036854775808"}, {"--steps", "at most"});
  refused({"--steps", "0"}, {"--steps"});
  refused({"--features", "0"}, {"--features"});
  refused({"--features", "-1"}, {"--features"});
  refused({"--features", "010"}, {"--features", "write 10"});
  refused({"--features", "18446744073709551616"}, {"--features", "too large"});
  refused({"--seed", "99999999999999999999"}, {"--seed", "too large"});
  refused({"--density", "5"}, {"--density", "5%"});
  refused({"--density", "0%"}, {"--density"});
  refused({"--density", "101%"}, {"--density"});
  refused({"--density", "nan%"}, {"--density"});
  refused({"--holdout", "100%"}, {"--holdout"});
  refused({"--holdout", "-1%"}, {"--holdout"});
  refused({"--holdout", "0.1"}, {"--holdout", "%"});
  refused({"--order", "foo"}, {"--order", "foo", "shuffle"});
  refused({"--schedule", "foo"}, {"--schedule", "constant"});
  refused({"--on-bad-row", "foo"}, {"--on-bad-row", "skip"});
  refused({"--normalize", "l1"}, {"--normalize", "l2"});
  refused({"--class-weight", "foo"}, {"--class-weight", "balanced"});
  refused({"--dim", "0"}, {"--dim"});
  refused({"--dim", "1099511627777"}, {"--dim"});
  refused({"--seed", "-1"}, {"--seed"});
  refused({"--memory", "lots"}, {"--memory"});
  refused({"--trace-at", "foo"}, {"--trace-at", "densities"});
  refused({"--trace-at", "0"}, {"--trace-at"});
  refused({"--positive", "x"}, {"--positive"});
  refused({"--positive", "nan"}, {"--positive"});
}
