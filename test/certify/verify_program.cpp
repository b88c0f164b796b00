// train --certify and verify: what holds is confirmed, of any rows, and what cannot is not made.

#include "certify/verify_program.hpp"

#include <fmt/format.h>

#include <cmath>

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

// Sums of large values lose digits of a gap that is next to nothing.
TEST_F(CliVerify, GapsHoldWhereAColumnIsLarge) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    const double a = std::sin(7.0 * i);
    const double b = 30000 + 10000 * std::cos(5.0 * i);
    const double y = 2 * a + b / 10000 + std::sin(11.0 * i) / 2;
    text += fmt::format("{:.6f} 1:{:.6f} 2:{:.2f}\n", y, a, b);
  }
  dir.write("large.svm", text);
  for (const char* lambda : {"0.5", "0.2", "0.1", "0.05", "0.02", "0.01"}) {
    const Result trained = thresh({"train", "large.svm", "--task", "regression", "--solver", "l1",
                                   "--lambda", lambda, "--certify", "-q", "-o", "l.thresh"});
    ASSERT_EQ(trained.exit, 0) << trained;
    EXPECT_TRUE(contains(good({"verify", "l.thresh", "large.svm"}), "the certificate holds"))
        << lambda;
  }
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

TEST_F(CliVerify, RefusedBeforeTraining) {
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--certify", "--solver", "grades"}), "no certificate: "));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--solver", "cd", "--upper", "1"}),
                       "no certificate: --lower and --upper are not supported"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--solver", "margin-perceptron",
                               "--iterate", "random"}),
                       "no certificate: --iterate random is not supported"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--solver", "margin-perceptron",
                               "--iterate", "average"}),
                       "no certificate: --iterate average is not supported"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--solver", "ftrl"}), "ftrl"));
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--delta", "0.1", "--solver", "l1"}), "--certify"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--delta", "1", "--solver", "l1"}),
                       "--delta"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--certify", "--delta", "0.1", "--solver", "cd"}),
                       "--delta does not apply: the certificate of cd"));
  EXPECT_EQ(files(), Words{"a.svm"});
  silent({"train", "a.svm", "-q", "-o", "m.thresh"});
  EXPECT_TRUE(contains(bad(1, {"verify", "m.thresh", "a.svm"}), "m.thresh: it has no certificate"));
}

TEST_F(CliVerify, ACertificateThatCannotBeMadeDoesNotCostTheModel) {
  EXPECT_TRUE(
      contains(bad(1, {"train", "a.svm", "-o", "m.thresh", "-q", "--certify", "--solver", "l1",
                       "--lambda-ratio", "0.001", "--passes", "1"}),
               "m.thresh: no certificate: l1 stopped before it reached its lambda; the model was "
               "written without one"));
  EXPECT_TRUE(exists("m.thresh"));
}

// The model knows how its table was written.
TEST_F(CliVerify, TablesWithoutNamesOfColumns) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("{};{};{};{}\n", i * 7 % 3 == 0 ? "yes" : "no", i % 3, i % 5, i * 7 % 3);
  }
  dir.write("t.csv", text);
  good({"train", "t.csv", "--no-header", "--delimiter", ";", "--label", "1", "--categorical", "2",
        "--solver", "l1", "--lambda", "0.01", "--certify", "-q", "-o", "t.thresh"});
  EXPECT_TRUE(contains(good({"verify", "t.thresh", "t.csv"}), "the certificate holds"));
}

TEST_F(CliVerify, ARunThatWasTakenBackHasNone) {
  replace_in_data("1:0.2", "1:1e5");
  EXPECT_TRUE(contains(
      bad_after_warnings(1, {"train", "a.svm", "-o", "m.thresh", "-q", "--certify", "--solver",
                             "fobos", "--loss", "squared", "--schedule", "constant", "--eta", "1",
                             "--order", "sequential", "--no-intercept"}),
      "m.thresh: no certificate: the run diverged and was rolled back; the model was written "
      "without one"));
  EXPECT_TRUE(exists("m.thresh"));
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

TEST_F(CliVerify, TextColumns) {
  std::string table = "size,note,label\n";
  for (int i = 0; i < 60; ++i) {
    table += std::to_string(i % 7) + (i % 2 == 0 ? ",good word,yes\n" : ",bad word,no\n");
  }
  dir.write("t.csv", table);
  silent({"train", "t.csv", "--text", "note", "-q", "-o", "m.thresh", "--certify", "--solver",
          "margin-perceptron"});
  const std::string said = good({"verify", "m.thresh", "t.csv"});
  EXPECT_TRUE(contains(said, "the terms of text columns depend on all rows")) << said;
  EXPECT_TRUE(contains(said, "the certificate holds")) << said;
  dir.write("u.csv", table + "1,good bad,yes\n");
  bad(1, {"verify", "m.thresh", "u.csv", "-q"});
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
