// thresh export of models with products of features, and with columns of text beside others.

#include <fmt/format.h>

#include "model/exports.hpp"

namespace {

// Three classes, or two; no feature tells anything by itself.
std::string rows_of_pairs(int rows, int classes, int salt) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const int a = (i * 7 + salt) % 3, b = (i * 5 + i / 3 + salt) % 3;
    text += fmt::format("{} {}:{} {}:0.{}{}\n", (a + 2 * b) % classes, 1 + a, 1 + i % 2, 4 + b,
                        1 + i % 9, i % 4 == 0 ? "" : fmt::format(" {}:1e-1", 7 + i % 11));
  }
  return text;
}

std::string table_of_pairs() {
  std::string text = "size,kind,\"quo'te\",note,label\n";
  const char* const words[] = {"the dog", "NA", "caf\u00e9  cat", "", "Dog CAT dog", " mouse "};
  for (int i = 0; i < 500; ++i) {
    const bool red = i % 3 == 0;
    const int word = (i * 7 + i / 6) % 6;
    text += fmt::format("{},{},{}e-1,{},{}\n", i % 5 == 0 ? "" : fmt::format("{}.5", i % 11),
                        i % 7 == 0 ? ""
                        : red      ? "o'red"
                                   : "blue",
                        i % 13, words[word], red == (word % 2 == 0) || i % 17 == 0 ? "ye's" : "no");
  }
  return text;
}

}  // namespace

class CliExportProducts : public CliExportAlone {
 protected:
  CliExportProducts() { default_solver = ""; }

  void learn(Words arguments, const std::string& pairs = "*:*") {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"-q", "-o", "m.thresh"});
    if (!pairs.empty()) arguments.insert(arguments.end(), {"--interactions", pairs});
    const Result result = thresh(arguments);
    ASSERT_EQ(result.exit, 0) << result;
    EXPECT_EQ(contains(good({"weights", "m.thresh"}), "*"), !pairs.empty());
  }
};

TEST_F(CliExportProducts, SparseRows) {
  dir.write("a.svm", rows_of_pairs(400, 2, 0));
  dir.write("b.svm", rows_of_pairs(300, 2, 1) + "0 5:1\n1 3:1 400:1\n");
  learn({"a.svm", "--solver", "ftrl"});
  expect_same("libsvm", "b.svm", everything);
  learn({"a.svm", "--solver", "ftrl", "--normalize", "l2"});
  expect_same("libsvm", "b.svm", without_onnx, 1e-12);
  // Products alone: rows without any of them have an answer, too.
  std::string signs;
  for (int i = 0; i < 200; ++i) {
    const int a = i % 2 == 0 ? 1 : -1, b = i % 3 == 0 ? 1 : -1;
    signs += fmt::format("{} 1:{} 2:{} {}:1\n", a == b ? 1 : 0, a, b, 3 + i % 5);
  }
  dir.write("signs.svm", signs);
  learn({"signs.svm", "--features", "1"});
  ASSERT_EQ(weights().size(), 1U);
  EXPECT_EQ(weights()[0].name, "1*2");
  dir.write("few.svm", "0 1:1 2:1\n0 1:1 2:-1\n1 2:1 4:1\n0 2:1\n0 17:1\n");
  expect_same("libsvm", "few.svm", everything);
}

TEST_F(CliExportProducts, ManyClasses) {
  dir.write("a.svm", rows_of_pairs(600, 3, 0));
  for (const char* kind : {"ovr", "softmax"}) {
    learn({"a.svm", "--solver", "fobos", "--lambda", "1e-3", "--loss", "logistic", "--multiclass",
           kind});
    expect_same("libsvm", "a.svm", everything);
  }
}

TEST_F(CliExportProducts, NamedFeatures) {
  std::string rows;
  for (int i = 0; i < 300; ++i) {
    rows += fmt::format("{} | {}:2 {} it's\n", (i % 2 == 0) == (i % 3 == 0) ? 1 : -1,
                        i % 2 == 0 ? "x'" : "y", i % 3 == 0 ? "u" : "v:0.5");
  }
  dir.write("a.vw", rows);
  learn({"a.vw", "--solver", "ftrl"});
  expect_same("vw", "a.vw", {"python", "sqlite", "duckdb", "twin", "onnx"});
}

// With missing cells and their features; a date as a factor.
TEST_F(CliExportProducts, Tables) {
  dir.write("a.csv", table_of_pairs());
  for (const char* missing : {"mean", "zero"}) {
    learn({"a.csv", "--ignore", "note", "--missing", missing, "--solver", "ftrl", "--passes", "3"});
    expect_same("csv", "a.csv", without_onnx, 1e-13);
  }
  std::string dates = "day,size,label\n";
  for (int i = 0; i < 300; ++i) {
    dates += fmt::format("{}-0{}-11,{},{}\n", 2001 + i % 20, 1 + i % 9, i % 7,
                         (i % 20 < 9) == (i % 7 < 3) ? "yes" : "no");
  }
  dir.write("d.csv", dates);
  learn({"d.csv", "--date", "day", "--solver", "ftrl", "--passes", "2"});
  expect_same("csv", "d.csv", scripts, 1e-13);
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "sql", "-o", "x"}), "dates"));
}

TEST_F(CliExportProducts, Texts) {
  std::string lines, texts;
  for (int i = 0; i < 300; ++i) {
    const std::string text = fmt::format("{} {} {}", i % 2 == 0 ? "good" : "bad",
                                         i % 3 == 0 ? "not" : "very", i % 5 == 0 ? "so" : "too");
    lines += ((i % 2 == 0) == (i % 3 == 0) ? "no\t" : "yes\t") + text + "\n";
    texts += text + "\n";
  }
  dir.write("a.txt", lines);
  dir.write("b.txt", texts);
  learn({"a.txt", "--format", "text", "--solver", "ftrl"});
  expect_same("text", "b.txt", scripts, 1e-12);
}

TEST_F(CliExportProducts, ColumnsOfText) {
  dir.write("a.csv", table_of_pairs());
  const std::vector<Words> options = {{},
                                      {"--ngrams", "1:2", "--tf", "log"},
                                      {"--chars", "2:3", "--keep-case"},
                                      {"--norm", "none", "--stop-words", "english", "--no-idf"}};
  for (const Words& option : options) {
    for (const char* pairs : {"", "note:kind"}) {
      Words arguments = {"a.csv", "--text", "note", "--solver", "ftrl", "--passes", "2"};
      arguments.insert(arguments.end(), option.begin(), option.end());
      learn(arguments, pairs);
      expect_same("csv", "a.csv", scripts, 1e-12);
    }
  }
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "sql", "-o", "x"}), "texts"));
  learn({"a.csv", "--text", "note", "--solver", "ftrl", "--stem", "english"}, "");
  for (const char* format : {"python", "javascript"}) {
    EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", format, "-o", "x"}), "stems"));
  }
}

// Two columns of text; a cell that is no text.
TEST_F(CliExportProducts, TwoColumnsOfText) {
  std::string text = "subject,body,hour,label\n";
  for (int i = 0; i < 400; ++i) {
    text += fmt::format("{} {},\"{},\nthen {}\",{},{}\n", i % 3 == 0 ? "win" : "hi", i % 7,
                        i % 5 == 0 ? "money" : "win you", i, i % 24,
                        i % 3 == 0 || i % 5 == 0 ? "spam" : "ham");
  }
  dir.write("a.csv", text);
  learn({"a.csv", "--text", "subject,body", "--solver", "ftrl"}, "");
  expect_same("csv", "a.csv", scripts, 1e-12);
  good({"export", "m.thresh", "--format", "python", "-o", "m.py", "-q"});
  const auto answers_of = [&](const std::string& rows) {
    Command script = command({"m.py"});
    script.program = python();
    dir.write("rows.json", rows);
    script.input_file = dir.file("rows.json");
    return run(script);
  };
  const Result result = answers_of(
      "{\"subject\": null, \"body\": 17, \"hour\": 3}\n{\"hour\": \"3\", \"body\": \"win\"}\n");
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(lines_of(result.out).size(), 2U) << result;
}

TEST_F(CliExportProducts, RealRows) {
  const std::string churn = real("telco-churn.csv.xz");
  if (churn.empty()) GTEST_SKIP() << "no real data: set THRESH_DATA to its folder";
  Words lines = lines_of(churn);
  lines.resize(1500);
  dir.write("churn.csv", join_lines(lines));
  learn({"churn.csv", "--solver", "l1", "--scale", "standard", "--lambda", "0.02"});
  expect_same("csv", "churn.csv", without_onnx, 1e-12);
}
