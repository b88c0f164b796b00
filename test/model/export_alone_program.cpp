// thresh export --format python|javascript|sql|onnx: each computes what predict does, without
// thresh.

#include <fmt/format.h>

#include <filesystem>

#include "model/exports.hpp"

namespace fs = std::filesystem;

TEST_F(CliExportAlone, SparseRows) {
  dir.write("a.svm", random_rows({.rows = 400}));
  dir.write("b.svm", random_rows({.rows = 300, .features = 60, .seed = 2}));  // unseen ones
  train({"a.svm", "--holdout", "40%", "--calibrate"});
  expect_same("libsvm", "b.svm", everything);
  good({"threshold", "m.thresh", "b.svm", "--by", "cost=10:1", "-o", "t.thresh", "-q"});
  fs::rename(dir.file("t.thresh"), dir.file("m.thresh"));
  expect_same("libsvm", "b.svm", everything);
}

TEST_F(CliExportAlone, SparseRowsOfUnitLength) {
  dir.write("a.svm", random_rows({.rows = 400}));
  dir.write("b.svm", random_rows({.rows = 300, .features = 60, .seed = 2}));
  train({"a.svm", "--normalize", "l2"});
  expect_same("libsvm", "b.svm", without_onnx, 1e-12);
  EXPECT_TRUE(
      contains(bad(1, {"export", "m.thresh", "--format", "onnx", "-o", "x"}), "unit length"));
}

TEST_F(CliExportAlone, ManyClasses) {
  std::string rows;
  for (int i = 0; i < 300; ++i) {
    rows += std::to_string(i % 3) + " " + std::to_string(1 + i % 3) + ":1 " +
            std::to_string(4 + i % 7) + ":0." + std::to_string(1 + i % 9) + "\n";
  }
  dir.write("a.svm", rows);
  for (const char* kind : {"ovr", "softmax"}) {
    good({"train", "a.svm", "--solver", "fobos", "--multiclass", kind, "--loss", "logistic", "-q",
          "-o", "m.thresh"});
    expect_same("libsvm", "a.svm", everything);
  }
}

// A rate is the exponential of the margin, wherever it is computed.
TEST_F(CliExportAlone, Rates) {
  std::string rows;
  for (int i = 0; i < 300; ++i) {
    rows += fmt::format("{} {}:1 {}:0.{}\n", i % 3 + i % 5 / 3, 1 + i % 3, 4 + i % 7, 1 + i % 9);
  }
  dir.write("a.svm", rows);
  good({"train", "a.svm", "--solver", "l1", "--lambda", "1e-3", "--loss", "poisson", "-q", "-o",
        "m.thresh"});
  expect_same("libsvm", "a.svm", everything, 1e-14, true);
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "liblinear", "-o", "x"}),
                       "the exponential of the margin"));
  good({"export", "m.thresh", "--format", "c", "-o", "m.c", "-q"});
  EXPECT_TRUE(contains(ScratchDir::slurp(dir.file("m.c")), "exp("));
}

TEST_F(CliExportAlone, NamedFeatures) {
  std::string rows;
  for (int i = 0; i < 200; ++i) {
    rows += i % 2 == 0 ? "1 | it's:2 \"a\" both b:0.5 both\n" : "-1 | c d:-1 both e\xc3\xa9\n";
  }
  dir.write("a.vw", rows);
  dir.write("b.vw", rows + "| unknown b\n| c:1e-3\n");
  train({"a.vw", "--passes", "2"});
  expect_same("vw", "b.vw", {"python", "sqlite", "duckdb", "twin", "onnx"});
}

// Missing cells, categories that look like code, and names that could come from two columns.
TEST_F(CliExportAlone, Table) {
  std::string rows = "\"si\"\"ze\",kind,a,a=b,\"quo'te\",label\n";
  for (int i = 0; i < 600; ++i) {
    const char* const kind = i % 7 == 0   ? ""
                             : i % 3 == 0 ? "o'ne"
                             : i % 3 == 1 ? "NA"
                                          : "\"x\"\"y\"";
    const std::string number =
        i % 5 == 0 ? (i % 2 == 0 ? " " : "NA") : std::to_string(i % 11) + ".5";
    rows += number + "," + kind + "," + (i % 4 == 0 ? "b=c" : "z") + "," +
            (i % 6 == 0 ? "c" : "d") + "," + std::to_string(i % 13) + "e-1," +
            ((i % 11) + (i % 7) > 7 ? "ye's" : "no") + "\n";
  }
  dir.write("a.csv", rows);
  for (const char* missing : {"mean", "zero"}) {
    train({"a.csv", "--missing", missing, "--passes", "3", "--quiet"});
    expect_same("csv", "a.csv", without_onnx, 1e-14);
  }
}

// DuckDB makes Yes and No booleans when it reads a csv file.
TEST_F(CliExportAlone, BooleanColumns) {
  std::string rows = "partner,single,mixed,size,label\n";
  for (int i = 0; i < 400; ++i) {
    rows += fmt::format("{},{},{},{}.5,{}\n", i % 3 == 0 ? "Yes" : "No", i % 5 < 2 ? "t" : "f",
                        i % 4 == 0   ? "no"
                        : i % 4 == 1 ? "maybe"
                                     : "Yes",
                        i % 7, (i % 3 == 0) == (i % 5 < 2) || i % 11 == 0 ? "good" : "bad");
  }
  dir.write("guessed.csv", rows);
  train({"guessed.csv", "--passes", "3"});
  expect_same("csv", "guessed.csv", without_onnx, 1e-14);
  const std::string sql = ScratchDir::slurp(dir.file("m.sql"));
  EXPECT_TRUE(contains(sql, "IN ('Yes', 'true')")) << sql;
  EXPECT_TRUE(contains(sql, "TRIM(CAST(\"mixed\" AS VARCHAR)) = 'Yes'")) << sql;
}

TEST_F(CliExportAlone, Dates) {
  std::string rows = "day,size,label\n";
  for (int i = 0; i < 300; ++i) {
    const char* const forms[] = {"2024-{}-0{} 10:00", "2024/{}/{}", "0{1}.{0}.2023", "",
                                 "2021{}0{}"};
    rows += fmt::format(fmt::runtime(forms[i % 5]), 10 + i % 3, 1 + i % 9) + "," +
            std::to_string(i % 17) + "," + (i % 3 == 0 ? "yes" : "no") + "\n";
  }
  dir.write("a.csv", rows);
  train({"a.csv", "--date", "day", "--passes", "3"});
  expect_same("csv", "a.csv", scripts, 1e-14);
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "sql", "-o", "x"}), "dates"));
}

TEST_F(CliExportAlone, Texts) {
  std::string lines;
  const Words words = {"Win",
                       "FREE",
                       "caf\xe9",
                       "\xc3\x89t\xc3\xa9",
                       "\xf0\x9f\x98\x80",
                       "a_b",
                       "see",
                       "you",
                       "\xe4\xb8\xad\xe6\x96\x87",
                       "\xc4\xb0",
                       "x\xcc\x81",
                       "the",
                       "\xe2\x80\xa8",
                       "\x01"};
  for (std::size_t i = 0; i < 400; ++i) {
    lines += i % 2 == 0 ? "spam\t" : "ham\t";
    for (std::size_t k = 0; k < i % 9; ++k)
      lines += words[(i * 7 + k * (3 + i % 2)) % words.size()] + " ";
    lines += "\n";
  }
  dir.write("a.txt", lines);
  std::string texts = lines;
  for (const char* label : {"spam\t", "ham\t"}) {
    for (std::size_t at; (at = texts.find(label)) != std::string::npos;)
      texts.erase(at, std::string(label).size());
  }
  dir.write("b.txt", texts);
  const std::vector<Words> options = {{},
                                      {"--ngrams", "1:2", "--tf", "log"},
                                      {"--chars", "2:4", "--keep-case"},
                                      {"--norm", "none", "--stop-words", "english", "--no-idf"}};
  for (const Words& option : options) {
    Words arguments = {"a.txt", "--format", "text"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    train(arguments);
    expect_same("text", "b.txt", scripts, 1e-12);
  }
  train({"a.txt", "--format", "text", "--stem", "english"});
  for (const char* format : {"python", "javascript"}) {
    EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", format, "-o", "x"}), "stems"));
  }
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "sql", "-o", "x"}), "texts"));
  train({"a.txt", "--format", "text", "--hash-bits", "10"});
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "python", "-o", "x"}), "hashes"));
}

TEST_F(CliExportAlone, RealRows) {
  const std::string a9a = real("a9a_test.svm.xz");
  if (a9a.empty()) GTEST_SKIP() << "no real data: set THRESH_DATA to its folder";
  dir.write("a9a.svm", join_lines([&] {
              Words lines = lines_of(a9a);
              lines.resize(300);  // DuckDB takes rows one by one
              return lines;
            }()));
  train({"a9a.svm", "--passes", "1"});
  expect_same("libsvm", "a9a.svm", everything);
  // The label is the last column; numbers with missing cells, and words.
  const std::string churn = real("telco-churn.csv.xz");
  dir.write("churn.csv", join_lines([&] {
              Words lines = lines_of(churn);
              lines.resize(1000);
              return lines;
            }()));
  good({"train", "churn.csv", "--solver", "margin-perceptron", "-q", "-o", "m.thresh"});
  expect_same("csv", "churn.csv", without_onnx, 1e-12);
  default_solver = "";
  dir.write("ames.csv", real("ames-housing.csv.xz"));
  good({"train", "ames.csv", "--features", "40", "-q", "-o", "m.thresh", "--task", "regression"});
  expect_same("csv", "ames.csv", without_onnx, 1e-12, true);
  dir.write("sms.tsv", real("sms-spam.tsv.xz"));
  good({"train", "sms.tsv", "--format", "text", "--on-bad-row", "skip", "--features", "100", "-q",
        "-o", "m.thresh"});
  std::string texts;
  for (const std::string& line : lines_of(ScratchDir::slurp(dir.file("sms.tsv")))) {
    texts += line.substr(line.find('\t') + 1) + "\n";
  }
  dir.write("texts", texts);
  expect_same("text", "texts", scripts, 1e-12);
}

TEST_F(CliExportAlone, Errors) {
  dir.write("a.vw", "1 | ok \xff\xfe\n-1 | c\n1 | ok \xff\xfe\n");
  train({"a.vw"});
  for (const char* format : {"python", "javascript", "sql", "onnx"}) {
    EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", format, "-o", "x"}), "UTF-8"));
    EXPECT_FALSE(exists("x"));
  }
  EXPECT_TRUE(
      contains(bad(2, {"export", "m.thresh", "--format", "json", "--table", "t"}), "--format sql"));
  EXPECT_TRUE(contains(bad(2, {"export", "m.thresh", "--format", "cobol"}), "cobol"));
}
