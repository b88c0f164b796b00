// thresh export --format python|javascript|sql|onnx: each computes what predict does, without
// thresh.

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tools/program.hpp"

namespace fs = std::filesystem;

class CliExportAlone : public CliTest {
 protected:
  // THRESH_PYTHON may have onnxruntime and duckdb.
  static std::string python() {
    const char* given = ::getenv("THRESH_PYTHON");
    return given != nullptr ? given : "/usr/bin/python3";
  }
  static constexpr const char* kNode = "/usr/bin/node";

  void SetUp() override {
    if (!fs::exists(python())) GTEST_SKIP() << "python3 is not installed";
  }

  // The file of real data, unpacked; skips without it.
  static std::string real(const std::string& name) {
    const char* given = ::getenv("THRESH_DATA");
    const fs::path folder =
        given != nullptr ? given : fs::path(THRESH_SOURCE_DIR) / "../shared/data";
    return fs::exists(folder / name) ? unxz(ScratchDir::slurp(folder / name)) : "";
  }

  // A label and margins for each row; none if a library is missing.
  std::vector<Words> answers(const std::string& how, const std::string& form,
                             const std::string& data, const std::string& model) const {
    const bool node = how == "node";
    const std::string source = std::string(THRESH_SOURCE_DIR) + "/test/model/exported";
    Command script =
        command({source + ".py", node ? "rows" : how, form, data, node ? "rows.json" : model});
    script.program = python();
    Result result = run(script);
    if (node) {
      EXPECT_EQ(result.exit, 0) << result;
      script = command({source + ".mjs", "rows.json", model});
      script.program = kNode;
      result = run(script);
    }
    if (result.exit == 77) return {};
    EXPECT_EQ(result.exit, 0) << result;
    return table(result.out);
  }

  static std::vector<Words> table(const std::string& text) {
    std::vector<Words> rows;
    for (const std::string& line : lines_of(text)) {
      Words& row = rows.emplace_back();
      for (std::size_t at = 0, tab = 0; tab != std::string::npos; at = tab + 1) {
        tab = line.find('\t', at);
        row.push_back(line.substr(at, tab - at));
      }
    }
    return rows;
  }

  // What predict says: the label, then the margins.
  std::vector<Words> expected(const std::string& data) const {
    std::vector<Words> rows = table(good({"predict", "m.thresh", data, "--output", "margin"}));
    const Words labels = lines_of(good({"predict", "m.thresh", data}));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].insert(rows[i].begin(), labels[i]);
    return rows;
  }

  static void expect_near(const std::vector<Words>& got, const std::vector<Words>& want,
                          double tolerance, bool labels_are_numbers = false) {
    ASSERT_EQ(got.size(), want.size());
    ASSERT_GT(want.size(), 0U);
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(got[i].size(), want[i].size()) << i;
      if (!labels_are_numbers) {
        ASSERT_EQ(got[i][0], want[i][0]) << i;
      }
      for (std::size_t k = labels_are_numbers ? 0 : 1; k < want[i].size(); ++k) {
        const double a = std::stod(got[i][k]), b = std::stod(want[i][k]);
        ASSERT_LE(std::fabs(a - b), tolerance * (1 + std::fabs(b))) << i << " " << k;
      }
    }
  }

  struct Way {
    const char* how;
    const char* format;
    const char* file;
    double tolerance;
  };
  static std::vector<Way> all_ways() {
    return {{"python", "python", "m.py", 0},   {"node", "javascript", "m.mjs", 0},
            {"sqlite", "sql", "m.sql", 1e-12}, {"duckdb", "sql", "m.sql", 1e-12},
            {"twin", "onnx", "m.onnx", 1e-12}, {"onnx", "onnx", "m.onnx", 1e-12}};
  }

  void expect_same(const std::string& form, const std::string& data, const Words& hows,
                   double tolerance = 0, bool numbers = false) const {
    const std::vector<Words> want = expected(data);
    for (const Way& way : all_ways()) {
      if (std::find(hows.begin(), hows.end(), way.how) == hows.end()) continue;
      if (std::string(way.how) == "node" && !fs::exists(kNode)) continue;
      SCOPED_TRACE(way.how);
      good({"export", "m.thresh", "--format", way.format, "-o", way.file, "-q"});
      const std::vector<Words> got = answers(way.how, form, data, way.file);
      const bool may_be_missing =
          std::string(way.how) == "duckdb" || std::string(way.how) == "onnx";
      if (got.empty() && may_be_missing) continue;
      expect_near(got, want, std::max(tolerance, way.tolerance), numbers);
    }
  }

  const Words everything = {"python", "node", "sqlite", "duckdb", "twin", "onnx"};
  const Words without_onnx = {"python", "node", "sqlite", "duckdb"};
  const Words scripts = {"python", "node"};
};

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
