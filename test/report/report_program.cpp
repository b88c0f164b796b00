// thresh report: what is in the document of each kind of file, what is refused, and that nothing in
// the data can become part of the page. report/test looks at the page itself.

#include <fmt/format.h>

#include <algorithm>

#include "tools/program.hpp"

class CliReport : public CliTest {
 protected:
  // The document that these files give.
  Json document(Words files) const {
    Words words = {"report"};
    words.insert(words.end(), files.begin(), files.end());
    for (const char* word : {"--data", "-q", "-o", "d.json"}) words.emplace_back(word);
    silent(words);
    return Json::parse(ScratchDir::slurp(dir.file("d.json")));
  }
  Json section(Words files) const {
    const Json all = document(std::move(files));
    const Json& first = all.at("sections").at(0);
    EXPECT_EQ(all.at("sections").size(), first.at("kind") == "model" ? 2U : 1U);
    return first;
  }
  static Json figure(const Json& section, const std::string& title) {
    for (const Json& one : section.at("figures")) {
      if (one.at("title") == title) return one;
    }
    ADD_FAILURE() << "no figure " << title << " in " << section.at("figures");
    return {};
  }
  void write_data() const { dir.write("a.svm", random_rows({})); }
};

TEST_F(CliReport, TraceBecomesFiguresOfTheSameNumbers) {
  write_data();
  train({"a.svm", "--holdout", "30%", "--trace", "t.jsonl", "--trace-at", "passes"});
  Json errors = Json::array(), densities = Json::array(), accesses = Json::array();
  for (const std::string& line : lines_of(ScratchDir::slurp(dir.file("t.jsonl")))) {
    const Json point = Json::parse(line);
    errors.push_back(point.at("valid_error"));
    densities.push_back(point.at("density"));
    accesses.push_back(point.at("data_accesses"));
  }
  ASSERT_GT(errors.size(), 1U);
  const Json trace = section({"t.jsonl"});
  EXPECT_EQ(trace.at("kind"), "trace");
  const Json by_density = figure(trace, "Error against density");
  EXPECT_EQ(by_density.at("series").at(1).at("name"), "validation error");
  EXPECT_EQ(by_density.at("series").at(1).at("x").at("density"), densities);
  EXPECT_EQ(by_density.at("series").at(1).at("y"), errors);
  EXPECT_EQ(figure(trace, "Density").at("series").at(0).at("x").at("data accesses"), accesses);
  EXPECT_EQ(trace.at("tables").at(0).at("rows").size(), errors.size());
}

TEST_F(CliReport, TracesShareTheirFigures) {
  write_data();
  train({"a.svm", "--trace", "one.jsonl", "--trace-at", "passes"});
  train({"a.svm", "--trace", "two.jsonl", "--trace-at", "passes", "--seed", "2"});
  const Json all = document({"one.jsonl", "m.thresh", "two.jsonl"});
  ASSERT_EQ(all.at("sections").size(), 3U);
  EXPECT_EQ(all.at("sections").at(2).at("kind"), "experts");
  const Json objective = figure(all.at("sections").at(0), "Objective");
  ASSERT_EQ(objective.at("series").size(), 2U);
  EXPECT_EQ(objective.at("series").at(1).at("name"), "two.jsonl");
}

TEST_F(CliReport, ModelShowsItsStrongestByClass) {
  dir.write("m.thresh",
            handmade_model(regression_header("50"), {"2\t0.25\tword", "7\t-3", "9\t0.3", "50\t4"}));
  const Json model = section({"m.thresh"});
  const Json bars = figure(model, "Strongest features by class").at("series");
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars.at(0).at("labels"), Json({"feature 50", "feature 9", "word"}));
  EXPECT_EQ(bars.at(0).at("y"), Json({4.0, 0.3, 0.25}));
  EXPECT_EQ(bars.at(1).at("y"), Json::array({-3.0}));
  const Json experts = document({"m.thresh"}).at("sections").at(1);
  const Json exponents = figure(experts, "Exponents of the weights").at("series").at(0);
  EXPECT_EQ(exponents.at("x"), Json({-2, -1, 0, 1, 2}));
  EXPECT_EQ(exponents.at("y"), Json({2, 0, 0, 1, 1}));
}

TEST_F(CliReport, KnowsWhatEveryCommandPrints) {
  write_data();
  const auto keep = [&](const std::string& file, Words words) {
    words.insert(words.end(), {"--json", "-q"});
    dir.write(file, good(words));
  };
  keep("run", {"train", "a.svm", "--solver", "ftrl", "--features", "40", "--trace-at", "passes"});
  keep("chosen", {"train", "a.svm", "-o", "m.thresh"});
  keep("frontier", {"frontier", "a.svm", "--budgets", "2,5", "--trace", "points"});
  keep("tune", {"tune", "a.svm", "--solver", "ftrl", "--grid", "lambda=0.1,0.01,1 eta=1,2",
                "--state", "state", "-o", "t.thresh"});
  keep("cv", {"cv", "a.svm", "--features", "3", "--folds", "3"});
  keep("path", {"path", "a.svm", "--solver", "ftrl", "--over", "lambda", "--values", "0.1,0.001"});
  keep("eval", {"eval", "m.thresh", "a.svm"});
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"run", "run"},         {"chosen", "run"}, {"frontier", "frontier"},
      {"points", "frontier"}, {"tune", "tune"},  {"state", "trials"},
      {"cv", "cv"},           {"path", "path"},  {"eval", "eval"},
      {"m.thresh", "model"}};
  for (const auto& [file, kind] : kinds) EXPECT_EQ(section({file}).at("kind"), kind) << file;
  const Json lines = figure(section({"tune"}), "Error against lambda").at("series");
  ASSERT_EQ(lines.size(), 2U);  // one for each eta
  EXPECT_EQ(lines.at(0).at("x"), Json({0.01, 0.1, 1.0}));
  EXPECT_EQ(figure(section({"frontier"}), "Validation error against the number of features")
                .at("series")
                .at(0)
                .at("x")
                .at("budget"),
            Json({2, 5}));
}

TEST_F(CliReport, ASearchMayHaveJustBegun) {
  write_data();
  good({"tune", "a.svm", "--solver", "ftrl", "--grid", "eta=1,2", "--state", "state", "-q", "-o",
        "t.thresh"});
  dir.write("begun", lines_of(ScratchDir::slurp(dir.file("state"))).at(0) + "\n");
  const Json begun = section({"begun"});
  EXPECT_EQ(begun.at("kind"), "trials");
  EXPECT_EQ(begun.at("notes"), Json::array({"No trial has ended yet."}));
}

TEST_F(CliReport, WhatWentWrongOnTheWayIsShown) {
  std::string rows;
  for (int i = 0; i < 40; ++i) {
    rows += fmt::format("{} 1:{} 2:0.5\n", i % 2 == 0 ? 1 : -1, i == 7 || i == 8 ? 1e5 : 0.5);
  }
  dir.write("a.svm", rows);
  dir.write("run", thresh({"train", "a.svm", "--solver", "fobos", "--loss", "squared", "--eta", "1",
                           "--schedule", "constant", "--order", "sequential", "--no-intercept",
                           "-q", "--json", "-o", "m.thresh"})
                       .out);
  const Json run = Json::parse(ScratchDir::slurp(dir.file("run")));
  const Json& divergence = run.at("divergences").at(0);
  for (const char* file : {"run", "m.thresh"}) {
    const Json shown = section({file});
    const std::string warning = run.at("warnings").at(0);
    EXPECT_EQ(shown.at("notes"), Json::array({"Warning: " + warning})) << file;
    const Json& table = shown.at("tables").back();
    EXPECT_EQ(table.at("title"), "Divergences that the run rolled back from") << file;
    EXPECT_EQ(table.at("rows").size(), run.at("divergences").size());
    EXPECT_EQ(table.at("rows").at(0), Json({divergence.at("examples"), divergence.at("what"),
                                            divergence.at("back_to"), divergence.at("step")}));
  }
}

TEST_F(CliReport, WithoutItsPageOnlyThePagesNameChanges) {
  write_data();
  train({"a.svm"});
  const Result made = thresh({"report", "m.thresh", "-o", "/dev/null", "--json"});
  EXPECT_EQ(Json::parse(made.out).at("file"), "/dev/null");
}

TEST_F(CliReport, MoreThanTwoClassesAreOneGroupEach) {
  dir.write("c.svm", "1 1:1\n2 2:1\n3 3:1\n");
  train({"c.svm"});
  EXPECT_EQ(figure(section({"m.thresh"}), "Strongest features by class").at("series").size(), 3U);
  dir.write("eval", good({"eval", "m.thresh", "c.svm", "--json"}));
  const Json tables = section({"eval"}).at("tables");
  EXPECT_EQ(tables.at(1).at("columns"), Json({"true", "1", "2", "3"}));
  EXPECT_EQ(tables.at(1).at("rows").at(1), Json({"2", 0.0, 1.0, 0.0}));
  EXPECT_EQ(tables.at(0).at("columns").at(2), "95% interval");
}

TEST_F(CliReport, DiagnosisIsTablesAndHistograms) {
  const std::string finding =
      R"({"name":"spread","value":{"histogram":[[-3,5],[4,1]]},"text":"far\n###","normal":"n",)"
      R"("advice":"a"})";
  dir.write("listed", R"([{"name":"e","title":"Exponents","findings":[)" + finding + "]}]");
  dir.write("named", R"({"Exponents":{"spread":)" + finding + "}}");
  for (const char* file : {"listed", "named"}) {
    const Json found = section({file});
    EXPECT_EQ(found.at("kind"), "diagnosis");
    EXPECT_EQ(figure(found, "spread").at("series").at(0).at("y"), Json({5.0, 1.0}));
    EXPECT_EQ(found.at("tables").at(0).at("title"), "Exponents");
    EXPECT_EQ(found.at("tables").at(0).at("rows").at(0), Json({"far", "n", "a"}));
  }
}

TEST_F(CliReport, ADocumentIsReadAgain) {
  dir.write("e", R"({"kind":"experiment","title":"E","thresh":{"version":"9"},"figures":[{"title":)"
                 R"("F","x":"x","y":"y","series":[{"name":"s","x":[1],"y":[null]}]}]})");
  const Json first = document({"e"});
  EXPECT_EQ(first.at("sections").at(0).at("facts"), Json::parse(R"([["thresh version","9"]])"));
  dir.write("again", first.dump());
  EXPECT_EQ(document({"again"}).at("sections"), first.at("sections"));
}

TEST_F(CliReport, WhatIsNoResultIsRefused) {
  write_data();
  const std::string unknown = ": not something a report can show (";
  EXPECT_TRUE(contains(bad(1, {"report", "a.svm"}), "thresh: a.svm" + unknown));
  for (const char* text :
       {"{}", "[]", "[1]", "3", "{\"rows\":1}", "thresh", "{\"kind\":1,\"title\":2}"}) {
    dir.write("x", text);
    EXPECT_TRUE(contains(bad(1, {"report", "x"}), "thresh: x" + unknown)) << text;
  }
  const auto refused = [&](const std::string& text, const std::string& why) {
    dir.write("x", text);
    EXPECT_TRUE(contains(bad(1, {"report", "x"}), "thresh: x:" + why)) << text;
  };
  refused("", " is empty");
  refused("{\"density\":1,\"data_accesses\":2}\n{\"dens", "2: not JSON");
  refused("{\n \"density\": 1,\n \"data_accesses\": x\n}\n", "3: not JSON");
  refused("\n{\"density\": 1,\n", "2: not JSON");
  refused(R"({"kind":"experiment","figures":[]})", " experiments need a title");
  refused(R"({"E":{"spread":{"text":"t","value":{"histogram":{"one":1}}}}})",
          " spread: 'one' is not an exponent");
  refused("{\"density\":\"<b>\",\"data_accesses\":2}\n", " density is not a number");
  refused("{\"solvers\":3,\"splits\":1}", " not in the form that thresh writes (");
  refused("thresh-model 1\n", "");
  refused(std::string(100'000, '['), "");
  const std::string head = R"({"kind":"experiment","title":"E","figures":[{"title":"F","y":"y",)";
  refused(head + R"("x":"x","series":[{"name":"s","x":[1,2],"y":[1]}]}]})",
          " figures[0].series[0]: x has 2 numbers, y 1");
  refused(head + R"("x":["a"],"series":[{"name":"s","x":[1],"y":[1]}]}]})",
          " figures[0].series[0]: needs x, an object");
  refused(head + R"("kind":"pie"}]})", " figures[0]: kind is lines, points, columns or bars");
  EXPECT_TRUE(contains(bad(1, {"report", "no"}), "thresh: no: No such file"));
  EXPECT_FALSE(exists("report.html"));
  bad(2, {"report"});
}

TEST_F(CliReport, OptionsWithoutEffectAreNotShown) {
  write_data();
  default_solver = "";
  train({"a.svm", "--features", "5"});
  dir.write("run", good({"train", "a.svm", "--json", "-q", "-o", "n.thresh"}));
  for (const char* file : {"m.thresh", "run"}) {
    const Json last = document({file}).at("sections").back();
    const std::string before = last.at("kind") == "run" ? "options " : "";
    Words names;
    for (const Json& fact : last.at("facts")) names.push_back(fact.at(0));
    EXPECT_NE(std::find(names.begin(), names.end(), before + "seed"), names.end()) << file;
    EXPECT_EQ(std::find(names.begin(), names.end(), before + "eta"), names.end()) << file;
  }
}

TEST_F(CliReport, TheChosenSizeIsMarked) {
  write_data();
  default_solver = "";
  dir.write("run", good({"train", "a.svm", "--json", "-q", "-o", "m.thresh"}));
  const Json run = Json::parse(ScratchDir::slurp(dir.file("run")));
  const Json series =
      figure(section({"run"}), "Validation error against the number of features").at("series");
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series.at(1).at("name"), "chosen");
  EXPECT_EQ(series.at(1).at("x").at("budget").at(0), run.at("chosen"));
}

// One command, and what it shows are the numbers of eval and explain.
TEST_F(CliReport, OfAModelAndData) {
  dir.write("a.svm", random_rows({.rows = 500}));
  dir.write("b.svm", random_rows({.rows = 400, .seed = 2}));
  train({"a.svm", "--holdout", "30%", "--calibrate"});
  const Json all = document({"m.thresh", "b.svm"});
  const Json eval = good_json({"eval", "m.thresh", "b.svm", "--json"});
  Words kinds;
  for (const Json& one : all.at("sections")) kinds.push_back(one.at("kind"));
  EXPECT_EQ(kinds, (Words{"answer", "eval", "uses", "model", "experts"}));
  const Json& answer = all.at("sections").at(0);
  EXPECT_EQ(answer.at("facts").at(0).at(0), "error");
  EXPECT_FALSE(figure(answer, "Strongest features by class").at("series").empty());
  // Every figure with its interval, and no long decimals.
  for (const Json& fact : all.at("sections").at(1).at("facts")) {
    const std::string name = fact.at(0);
    if (name == "rows") continue;
    const std::string text = fact.at(1);
    EXPECT_NE(text.find(" ["), std::string::npos) << name;
    EXPECT_LT(text.size(), 30U) << text;
  }
  EXPECT_EQ(all.at("sections").at(1).at("tables").at(0).at("columns"),
            Json({"true", "1 (positive)", "-1 (negative)"}));
  const Json roc = figure(all.at("sections").at(1), "ROC").at("series").at(0);
  EXPECT_EQ(roc.at("x").front(), 0);
  EXPECT_EQ(roc.at("y").back(), 1);
  // The area under the curve by trapezoids is the AUC, if no threshold is left out.
  double area = 0;
  for (std::size_t i = 1; i < roc.at("x").size(); ++i) {
    const double width = roc["x"][i].get<double>() - roc["x"][i - 1].get<double>();
    area += width * (roc["y"][i].get<double>() + roc["y"][i - 1].get<double>()) / 2;
  }
  EXPECT_NEAR(area, eval.at("auc").get<double>(), 1e-9);
  for (const char* title : {"Precision against recall", "Gains", "Calibration"}) {
    EXPECT_FALSE(figure(all.at("sections").at(1), title).at("series").empty()) << title;
  }
  const Json explained =
      good_json({"explain", "m.thresh", "b.svm", "--summary", "--top", "1", "--json"});
  EXPECT_EQ(all.at("sections").at(2).at("tables").at(0).at("rows").at(0).back(),
            explained.at("features").at(0).at("weight"));
  dir.write("none.svm", "");
  EXPECT_TRUE(contains(bad(1, {"report", "m.thresh", "none.svm"}), "is empty"));
  dir.write("bad.svm", "1 1:x\n");
  EXPECT_TRUE(contains(bad(1, {"report", "m.thresh", "bad.svm"}), "bad.svm:1"));
  EXPECT_FALSE(exists("report.html"));
}

TEST_F(CliReport, NothingInTheDataIsMarkup) {
  const std::string evil = "</script><!-- & \xe2\x80\xa8 \xff {{data}}";
  dir.write("a.svm", "+1 1:1\n-1 2:1\n");
  dir.write("names", evil + "\nplain\n");
  train({"a.svm", "--names", "names"});
  const Result made = thresh({"report", "m.thresh", "--title", evil, "--json"});
  ASSERT_EQ(made.exit, 0) << made;
  if (Json::parse(made.out).at("page") == false) {
    EXPECT_TRUE(
        contains(made.err, "thresh: this build cannot make HTML pages (they need esbuild "));
    EXPECT_TRUE(exists("report.json") && !exists("report.html"));
    GTEST_SKIP() << "built without its page: there is nothing to look at";
  }
  const std::string page = ScratchDir::slurp(dir.file("report.html"));
  const std::string mark = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  const std::string data = page.substr(begin, page.find("</script>", begin) - begin);
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(data.find("\xe2\x80\xa8"), std::string::npos);
  EXPECT_EQ(Json::parse(data).at("title"), "</script><!-- & \xe2\x80\xa8 \xef\xbf\xbd {{data}}");
  EXPECT_EQ(good({"report", "m.thresh", "-q", "-o", "/dev/stdout", "--title", evil}), page);
}
