// Exports that compute what predict does without thresh, and programs that run them.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/program.hpp"

class CliExportAlone : public CliTest {
 protected:
  // THRESH_PYTHON may have onnxruntime and duckdb.
  static std::string python() {
    const char* given = ::getenv("THRESH_PYTHON");
    return given != nullptr ? given : "/usr/bin/python3";
  }
  static constexpr const char* kNode = "/usr/bin/node";

  void SetUp() override {
    if (!std::filesystem::exists(python())) GTEST_SKIP() << "python3 is not installed";
  }

  // The file of real data, unpacked; skips without it.
  static std::string real(const std::string& name) {
    const char* given = ::getenv("THRESH_DATA");
    const std::filesystem::path folder =
        given != nullptr ? given : std::filesystem::path(THRESH_SOURCE_DIR) / "../shared/data";
    const bool there = std::filesystem::exists(folder / name);
    return there ? unxz(ScratchDir::slurp(folder / name)) : "";
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
      if (std::string(way.how) == "node" && !std::filesystem::exists(kNode)) continue;
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
