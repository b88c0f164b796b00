// train --certify and verify: what holds is confirmed, and whatever is tampered with is found out.

#include "cli/cli_test.hpp"

class CliVerify : public CliTest {
 protected:
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      const int sign = i * 7 % 3 == 0 ? 1 : -1;
      text += std::string(sign > 0 ? "+1" : "-1") + " 1:" + (sign > 0 ? "0.2" : "-0.2") + " " +
              std::to_string(2 + i % 20) + ":0." + std::to_string(1 + i % 5) + "\n";
    }
    dir.write("a.svm", text);
  }

  void certify(Words more) const {
    Words words{"train", "a.svm", "-o", "m.thresh", "-q", "--certify"};
    words.insert(words.end(), more.begin(), more.end());
    silent(words);
  }
  void perceptron() const { certify({"--solver", "margin-perceptron"}); }
  void l1() const { certify({"--solver", "l1", "--lambda-ratio", "0.1"}); }
  void verified() const {
    EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "the certificate holds"));
  }
  std::string refused() const { return bad(1, {"verify", "m.thresh", "a.svm", "-q"}); }

  // Changes the header, and seals the file anew.
  void forge(const std::function<void(Json&)>& change) const {
    Words lines = lines_of(ScratchDir::slurp(dir.file("m.thresh")));
    Json header = Json::parse(lines.at(1));
    change(header);
    dir.write("m.thresh", handmade_model(header.dump(), {lines.begin() + 2, lines.end() - 1}));
  }
  void forge_weight() const {
    Words lines = lines_of(ScratchDir::slurp(dir.file("m.thresh")));
    lines.at(2) = "1\t0.5";
    dir.write("m.thresh", handmade_model(lines.at(1), {lines.begin() + 2, lines.end() - 1}));
  }
  void replace_in_data(const std::string& from, const std::string& to) const {
    std::string text = ScratchDir::slurp(dir.file("a.svm"));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    dir.write("a.svm", text.replace(at, from.size(), to));
  }
};

TEST_F(CliVerify, CompressionHolds) {
  const Json json = good_json({"train", "a.svm", "-o", "m.thresh", "--certify", "--solver",
                               "margin-perceptron", "--delta", "0.1", "--json"});
  const Json& claim = json.at("certificate");
  EXPECT_EQ(claim.at("rows"), 400);
  EXPECT_EQ(claim.at("errors"), 0);
  EXPECT_EQ(claim.at("delta"), 0.1);
  EXPECT_LT(claim.at("bound"), 0.5);
  EXPECT_GT(claim.at("bound"), 0);
  verified();
  const Json found = good_json({"verify", "m.thresh", "a.svm", "--json"});
  EXPECT_EQ(found.at("holds"), true);
  ASSERT_EQ(found.at("checks").size(), 4U);
  EXPECT_TRUE(contains(found.at("checks").at(2).at("text"), "to the bit"));
}

TEST_F(CliVerify, GapsHold) {
  l1();
  verified();
  for (const char* solver : {"cd", "fobos", "rda"}) {
    certify({"--solver", solver, "--lambda", "0.01"});
    verified();
  }
  certify({"--solver", "projected-gradient", "--radius", "2", "--loss", "squared-hinge"});
  verified();
  certify({"--solver", "cd", "--task", "regression", "--lambda", "0.01"});
  verified();
}

// The second row causes an update only if the 1 beside 1e16 counts.
TEST_F(CliVerify, SumsOfTwiceTheDigits) {
  dir.write("a.svm", "+1 1:1e16 2:-1 3:-1e16 4:0.5\n+1 1:1 2:1 3:1 4:1\n-1 5:1\n");
  const Words options{"--solver", "margin-perceptron", "--lambda", "0", "--tau",         "0",
                      "--order",  "sequential",        "--eta",    "1", "--no-intercept"};
  certify(options);
  verified();
  Words compensated = options;
  compensated.emplace_back("--compensated");
  certify(compensated);
  verified();
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "3 rows alone"));
}

TEST_F(CliVerify, SaysOfWhichProblemTheGapIs) {
  certify({"--solver", "cd", "--lambda", "0.01"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}),
                       "problem      mean logistic loss + 0.01 |w|_1\n"));
  certify({"--solver", "l1", "--lambda", "0.01", "--l2", "0.5", "--loss", "squared-hinge"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}),
                       "mean squared-hinge loss + 0.01 |w|_1 + 0.5/2 |w|^2\n"));
  certify({"--solver", "projected-gradient", "--radius", "2"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "logistic loss where |w|_1 <= 2\n"));
}

TEST_F(CliVerify, RowsThatWereHeldOutOrWeighted) {
  std::string weights;
  for (int i = 0; i < 400; ++i) weights += std::to_string(i % 4) + "\n";
  dir.write("w", weights);
  certify({"--solver", "margin-perceptron", "--holdout", "20%", "--seed", "3"});
  verified();
  certify({"--solver", "l1", "--class-weight", "balanced"});
  verified();
  certify({"--solver", "l1", "--weights", "w"});
  EXPECT_TRUE(contains(bad(2, {"verify", "m.thresh", "a.svm"}), "--weights"));
  good({"verify", "m.thresh", "a.svm", "--weights", "w"});
  certify({"--solver", "margin-perceptron", "--weights", "w"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm", "--weights", "w"}),
                       "does not apply: rows have weights"));
}

TEST_F(CliVerify, OtherDataAreRefused) {
  for (const bool is_l1 : {false, true}) {
    SetUp();
    is_l1 ? l1() : perceptron();
    replace_in_data("0.3", "0.4");
    EXPECT_TRUE(contains(refused(), "m.thresh: the certificate does not hold: data: the rows"));
    SetUp();
    replace_in_data("-1 1:-0.2", "+1 1:-0.2");
    EXPECT_TRUE(contains(refused(), "data: the rows"));
    SetUp();
    replace_in_data("-1 1:-0.2 3:0.2\n", "");
    EXPECT_TRUE(contains(refused(), "data: 399 rows, not 400"));
  }
}

TEST_F(CliVerify, OtherWeightsAreRefused) {
  perceptron();
  forge_weight();
  EXPECT_TRUE(contains(refused(), "kernel: its rows give another model"));
  perceptron();
  forge([](Json& header) { header["intercept"] = header["intercept"].get<double>() + 100; });
  EXPECT_TRUE(contains(refused(), "errors: "));
  l1();
  forge([](Json& header) { header["intercept"] = header["intercept"].get<double>() + 1e-3; });
  EXPECT_TRUE(contains(refused(), "objective: "));
}

TEST_F(CliVerify, OtherNumbersAreRefused) {
  const auto refuses = [&](const char* key, const Json& value, const std::string& why) {
    forge([&](Json& header) { header["certificate"][key] = value; });
    EXPECT_TRUE(contains(refused(), why)) << key;
  };
  perceptron();
  refuses("errors", 1, "errors: 0, not 1");
  perceptron();
  refuses("bound", 0.001, "bound: 0.");
  perceptron();  // what another machine's logarithms may differ by
  forge([](Json& header) {
    Json& bound = header["certificate"]["bound"];
    bound = bound.get<double>() * (1 + 1e-11);
  });
  verified();
  perceptron();
  refuses("bound", nullptr, "bound: it applies");
  perceptron();
  refuses("does_not_apply", "the moon is full", "bound: it applies, but a reason");
  perceptron();
  refuses("delta", 0.5, "bound: 0.");
  perceptron();
  refuses("kernel_rows", 1, "rows are listed, not 1");
  perceptron();
  refuses("kernel", "1 1 1", "kernel: ");
  perceptron();
  refuses("kernel", "401", "row numbers of the certificate are damaged");
  perceptron();
  refuses("updates", 1, "kernel: its rows cause");
  perceptron();
  refuses("kind", "duality gap", "is not one of margin-perceptron");
  l1();
  refuses("gap", 1e-9, "duality gap: ");
  l1();
  refuses("objective", 0.1, "objective: ");
  l1();
  refuses("lambda", 0.5, "lambda: ");
  l1();
  forge([](Json& header) { header["summary"]["theory"][2]["value"] = 0; });
  EXPECT_TRUE(contains(refused(), "but the solver said 0"));
  l1();
  forge([](Json& header) { header["certificate"].erase("gap"); });
  EXPECT_EQ(refused(), "thresh: m.thresh: the certificate is damaged");
}

TEST_F(CliVerify, FailureIsAlsoJson) {
  perceptron();
  replace_in_data("0.3", "0.4");
  const Result result = thresh({"verify", "m.thresh", "a.svm", "--json"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(Json::parse(result.out).at("holds"), false);
}

TEST_F(CliVerify, ABoundIsWithheldWhereItDoesNotApply) {
  dir.write("a.svm", random_rows({.rows = 300}));  // cannot be separated
  const Json json = good_json(
      {"train", "a.svm", "-o", "m.thresh", "--certify", "--solver", "margin-perceptron", "--json"});
  EXPECT_TRUE(json.at("certificate").at("bound").is_null());
  EXPECT_TRUE(
      contains(good({"verify", "m.thresh", "a.svm"}), "misclassified, and it asks for none"));
  const std::string sealed = ScratchDir::slurp(dir.file("m.thresh"));
  const auto refuses = [&](const char* key, const Json& value, const std::string& why) {
    dir.write("m.thresh", sealed);
    forge([&](Json& header) { header["certificate"][key] = value; });
    EXPECT_TRUE(contains(refused(), why)) << key;
  };
  refuses("bound", 0.1, "bound: does not apply");
  refuses("does_not_apply", "the moon is full", "bound: it does not apply for another reason");
  refuses("delta", 7, "bound: its delta is no probability");
}

TEST_F(CliVerify, AModelToStartFromProvesNothing) {
  perceptron();
  certify({"--solver", "margin-perceptron", "--from", "m.thresh"});
  const std::string text = good({"verify", "m.thresh", "a.svm"});
  EXPECT_TRUE(contains(text, "started from a model"));
  EXPECT_TRUE(contains(text, "holds as far as it was checked; not checked: kernel\n"));
  const Json checks = good_json({"verify", "m.thresh", "a.svm", "--json"}).at("checks");
  for (const Json& check : checks) EXPECT_EQ(check.at("checked"), check.at("name") != "kernel");
  forge([](Json& header) { header["certificate"]["started_from_model"] = false; });
  EXPECT_TRUE(contains(refused(), "kernel: "));
}

TEST_F(CliVerify, RefusedBeforeTraining) {
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--certify", "--solver", "budget"}), "no certificate: "));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--solver", "ftrl"}), "ftrl"));
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--delta", "0.1", "--solver", "l1"}), "--certify"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--delta", "1", "--solver", "l1"}),
                       "--delta"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--delta", "0.1", "--solver", "cd"}),
                       "--delta: the certificate of cd"));
  dir.write("three.svm", "0 1:1\n1 2:1\n2 3:1\n");
  EXPECT_TRUE(contains(bad(1, {"train", "three.svm", "--certify", "--solver", "l1"}),
                       "three.svm: no certificate: there are more than two classes"));
  EXPECT_EQ(files(), (Words{"a.svm", "three.svm"}));
  silent({"train", "a.svm", "-q", "-o", "m.thresh"});
  EXPECT_TRUE(contains(bad(1, {"verify", "m.thresh", "a.svm"}), "m.thresh: it has no certificate"));
}

TEST_F(CliVerify, ACertificateThatCannotBeMadeDoesNotCostTheModel) {
  EXPECT_TRUE(contains(bad(1, {"train", "a.svm", "-o", "m.thresh", "-q", "--certify", "--solver",
                               "l1", "--lambda-ratio", "0.001", "--passes", "1"}),
                       "m.thresh: no certificate: l1 ended on the way to its lambda; the model "
                       "was written without one"));
  EXPECT_TRUE(exists("m.thresh"));
}

TEST_F(CliVerify, ARunThatWasTakenBackHasNone) {
  replace_in_data("1:0.2", "1:1e5");
  EXPECT_TRUE(contains(bad(1, {"train", "a.svm", "-o", "m.thresh", "-q", "--certify", "--solver",
                               "fobos", "--loss", "squared", "--schedule", "constant", "--eta", "1",
                               "--order", "sequential", "--no-intercept"}),
                       "m.thresh: no certificate: the run diverged and was taken back; the model "
                       "was written without one"));
  EXPECT_TRUE(exists("m.thresh"));
}

// Only --certify changes the file.
TEST_F(CliVerify, WithoutCertifyTheFileIsAsItWas) {
  const Words words{"train", "a.svm", "-q", "--solver", "margin-perceptron", "-o"};
  Words plain = words;
  plain.push_back("plain");
  silent(plain);
  perceptron();
  forge([](Json& header) { header.erase("certificate"); });
  const Words with = lines_of(ScratchDir::slurp(dir.file("m.thresh")));
  const Words without = lines_of(ScratchDir::slurp(dir.file("plain")));
  EXPECT_FALSE(Json::parse(without.at(1)).contains("certificate"));
  EXPECT_EQ(Json::parse(with.at(1)), Json::parse(without.at(1)));
  EXPECT_EQ(Words(with.begin() + 2, with.end() - 1), Words(without.begin() + 2, without.end() - 1));
}

TEST_F(CliVerify, TablesFromAPipe) {
  std::string table = "size,colour,label\n";
  for (int i = 0; i < 60; ++i) {
    table += std::to_string(i % 7) + (i % 2 == 0 ? ",red,yes\n" : ",blue,no\n");
  }
  dir.write("t.csv", table);
  silent({"train", "t.csv", "-q", "-o", "m.thresh", "--certify", "--solver", "margin-perceptron"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "t.csv"}), "the certificate holds"));
  EXPECT_EQ(thresh_reading(table, {"verify", "m.thresh", "-", "-q"}).exit, 0);
}

// Without idf and limits a text's values are its own; and verify must read as training did.
TEST_F(CliVerify, Texts) {
  std::string table;
  for (int i = 0; i < 60; ++i) {
    table += (i % 2 == 0 ? "yes\tgood word" : "no\tbad word") + std::to_string(i % 7) + "\n";
  }
  dir.write("t.tsv", table);
  const auto verified_with = [&](Words options) {
    Words train{"train", "t.tsv",    "--format",  "text",     "-q",
                "-o",    "m.thresh", "--certify", "--solver", "margin-perceptron"};
    Words verify{"verify", "m.thresh", "t.tsv"};
    train.insert(train.end(), options.begin(), options.end());
    verify.insert(verify.end(), options.begin(), options.end());
    silent(train);
    return good(verify);
  };
  EXPECT_TRUE(contains(verified_with({}), "what a term counts depends on all texts (idf)"));
  EXPECT_TRUE(contains(verified_with({"--no-idf", "--min-df", "2"}), "which terms are features"));
  EXPECT_TRUE(contains(verified_with({"--no-idf"}), "error on new rows below"));
  EXPECT_TRUE(
      contains(bad(1, {"verify", "m.thresh", "t.tsv", "-q"}), "repeat the reading options"));
}
