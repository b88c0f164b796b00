// thresh diagnose: what it says about data whose oddities are known.

#include <fmt/format.h>

#include <cmath>

#include "tools/program.hpp"

class CliDiagnose : public CliTest {
 protected:
  Json diagnose(Words arguments) const {
    arguments.insert(arguments.begin(), "diagnose");
    arguments.emplace_back("--json");
    return good_json(arguments);
  }
};

TEST_F(CliDiagnose, EveryLineSaysWhatIsNormal) {
  dir.write("a.svm", random_rows({}));
  train({"a.svm"});
  const Words command = {"diagnose", "a.svm", "m.thresh", "--grades", "--features", "5"};
  const Json json = diagnose({"a.svm", "m.thresh", "--grades", "--features", "5"});
  const std::string text = good(command);
  ASSERT_EQ(json.size(), 6U);
  for (const auto& [name, section] : json.items()) {
    EXPECT_FALSE(section.empty()) << name;
    for (const auto& [line, finding] : section.items()) {
      EXPECT_FALSE(finding.at("text").get<std::string>().empty()) << line;
      EXPECT_TRUE(contains(text, "normal: " + finding.at("normal").get<std::string>())) << line;
    }
  }
}

TEST_F(CliDiagnose, OnlyWhatWasAskedFor) {
  dir.write("a.svm", kTiny);
  EXPECT_EQ(diagnose({"a.svm"}).size(), 4U);
  const Json json = diagnose({"a.svm", "--only", "spectral,data"});
  EXPECT_EQ(json.size(), 2U);
  EXPECT_TRUE(json.contains("spectral"));
  EXPECT_TRUE(json.contains("data"));
}

// The training is repeated from the rows and the options in the model; the bound is that of
// `verify`.
TEST_F(CliDiagnose, TheoremsOfAPerceptronThatConverged) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("{} 1:{} {}:0.3\n", i % 2 ? "+1" : "-1", i % 2 ? 0.5 : -0.5, 2 + i % 20);
  }
  dir.write("a.svm", text);
  train({"a.svm", "--solver", "margin-perceptron", "--certify", "--delta", "0.1"});
  const Json found =
      diagnose({"a.svm", "m.thresh", "--only", "theorems", "--delta", "0.1", "--test", "a.svm"})
          .at("theorems");
  for (const char* line : {"epsilon", "theorem1", "theorem2", "theorem3"}) {
    EXPECT_TRUE(found.contains(line)) << line;
  }
  const Json& value = found.at("theorem3").at("value");
  const Json header = Json::parse(lines_of(ScratchDir::slurp(dir.file("m.thresh"))).at(1));
  const double bound = value.at("bound");
  // A certificate has only the digits that all machines agree on.
  EXPECT_NEAR(header.at("certificate").at("bound").get<double>(), bound, 1e-10 * bound);
  EXPECT_EQ(value.at("test_error"), 0);
}

TEST_F(CliDiagnose, TheoremsAreNotAboutScaledFeatures) {
  dir.write("a.svm", "+1 1:5\n-1 1:-5\n+1 1:4 2:1\n");
  train({"a.svm", "--scale", "max"});
  const Json found = diagnose({"a.svm", "m.thresh", "--only", "theorems"}).at("theorems");
  EXPECT_EQ(found.size(), 1U);
  EXPECT_TRUE(contains(found.at("theorems").at("text"), "features on another scale (--scale)"));
}

// Blocks of long rows end early, and the shuffle is by blocks.
TEST_F(CliDiagnose, TheoremThreeAsksForAnOrderThatDoesNotDependOnTheRows) {
  std::string more;
  for (int i = 2; i < 300; ++i) more += fmt::format(" {}:0.001", i);
  std::string text;
  for (int i = 0; i < 1200; ++i) text += (i % 2 ? "+1 1:0.5" : "-1 1:-0.5") + more + "\n";
  dir.write("a.svm", text);
  const auto theorem3 = [&](const char* order) {
    train({"a.svm", "--order", order});
    return diagnose({"a.svm", "m.thresh", "--only", "theorems"}).at("theorems").at("theorem3");
  };
  const Json shuffled = theorem3("shuffle");
  EXPECT_TRUE(shuffled.at("value").is_null()) << shuffled;
  EXPECT_TRUE(contains(shuffled.at("text"), "their shuffled order depends on them"));
  EXPECT_FALSE(theorem3("sequential").at("value").is_null());
}

// Advice is about what stands in the way.
TEST_F(CliDiagnose, TheoremThreeAndTexts) {
  dir.write("t.tsv", "yes\tgood one\nno\tbad two\nyes\tgood two\n");
  train({"t.tsv", "--format", "text", "--passes", "20"});
  const Json found = diagnose({"t.tsv", "m.thresh", "--only", "theorems"}).at("theorems");
  EXPECT_TRUE(contains(found.at("theorem3").at("text"), "depends on all texts"));
  EXPECT_EQ(found.at("theorem3").at("advice"), "");
}

TEST_F(CliDiagnose, TheoremsNeedNamesTwice) {
  dir.write("a.vw", "1 |a x:1\n-1 |a y:1\n");
  train({"a.vw", "--solver", "margin-perceptron"});
  EXPECT_TRUE(diagnose({"a.vw", "m.thresh"}).contains("theorems"));
  const Result piped = thresh_reading("1 |a x:1\n-1 |a y:1\n", {"diagnose", "-", "m.thresh"});
  EXPECT_EQ(piped.exit, 2);
  EXPECT_TRUE(contains(piped.err, "a pipe can be read only once")) << piped.err;
  // Before anything is read: these are no rows.
  EXPECT_TRUE(contains(thresh_reading("?", {"diagnose", "-", "m.thresh"}).err,
                       "a pipe can be read only once"));
}

TEST_F(CliDiagnose, DeltaIsAProbability) {
  dir.write("a.svm", kTiny);
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--delta", "1"}), "between 0 and 1"));
}

// Refused before the rows are looked for: they are not there.
TEST_F(CliDiagnose, OptionsOfTheoremsNeedTheorems) {
  for (const char* const parts : {"theorems", "data,theorems"}) {
    EXPECT_TRUE(contains(bad(2, {"diagnose", "no.svm", "--only", parts}), "needs a MODEL"));
  }
  for (const char* const option : {"--weights", "--test", "--delta"}) {
    EXPECT_TRUE(contains(bad(2, {"diagnose", "no.svm", option, "0.1"}), "needs a MODEL")) << option;
    EXPECT_TRUE(
        contains(bad(2, {"diagnose", "no.svm", "no.thresh", "--only", "data", option, "0.1"}),
                 "--only leaves out"))
        << option;
  }
}

TEST_F(CliDiagnose, OddData) {
  // Feature 1 is constant, 3 a copy of 2, 5 never occurs; the fourth row is long; of three equal
  // rows two agree, of the two last ones none.
  dir.write("a.svm",
            "+1 1:1 2:2 3:2\n+1 1:1 2:2 3:2\n-1 1:1 2:2 3:2\n-1 1:1 4:1000 6:1\n-1 1:1\n+1 1:1\n");
  const Json data = diagnose({"a.svm", "--only", "data"}).at("data");
  EXPECT_EQ(data.at("rows").at("value").at("rows"), 6);
  EXPECT_EQ(data.at("features").at("value").at("dimension"), 6);
  EXPECT_EQ(data.at("features").at("value").at("occurring"), 5);
  EXPECT_EQ(data.at("features").at("value").at("once"), 2);
  EXPECT_EQ(data.at("constant_columns").at("value"), 1);
  EXPECT_EQ(data.at("duplicate_columns").at("value"), 1);
  EXPECT_EQ(data.at("outlier_rows").at("value").at("longer"), 1);
  EXPECT_EQ(data.at("outlier_rows").at("value").at("longest_row"), 4);
  EXPECT_TRUE(contains(data.at("outlier_rows").at("advice"), "--normalize l2"));
  EXPECT_EQ(data.at("label_noise").at("value").at("rows_with_copies"), 5);
  EXPECT_EQ(data.at("label_noise").at("value").at("outvoted"), 2);
}

// Of clear classes every tenth label is wrong, and huge values do no harm.
TEST_F(CliDiagnose, WrongLabels) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    const bool positive = i % 2 == 0, flipped = i % 10 == 7;
    text += fmt::format("{} {}:1e200 {}:1\n", positive != flipped ? 1 : -1, positive ? 1 : 2,
                        3 + i % 19);
  }
  dir.write("a.svm", text);
  const Json found = diagnose({"a.svm", "--only", "labels"}).at("labels").at("confident_noise");
  EXPECT_NEAR(found.at("value").at("share").get<double>(), 0.1, 0.04);
  for (const Json& row : found.at("value").at("first")) EXPECT_EQ(row.get<int>() % 10, 8);
  EXPECT_TRUE(contains(found.at("text"), "4 folds, 5 passes over all rows"));
  EXPECT_TRUE(contains(found.at("advice"), "check these rows"));
  dir.write("few.svm", kTiny);
  EXPECT_TRUE(contains(good({"diagnose", "few.svm", "--only", "labels"}), "fewer than 12 rows"));
}

// Quantiles are known to 5%, largest values exactly.
TEST_F(CliDiagnose, NoMedianAboveTheLargest) {
  dir.write("a.svm", "+1 1:1 2:1 3:1\n-1 1:1 2:1 3:1\n");
  const Json data = diagnose({"a.svm", "--only", "data"}).at("data");
  EXPECT_LE(data.at("nonzeros_per_row").at("value").at("median"), 3);
  const Json& rows = data.at("outlier_rows").at("value");
  EXPECT_LE(rows.at("log2_median_length"), rows.at("log2_longest"));
  EXPECT_LE(data.at("scale_spread").at("value").at("log2_high"), 0);
}

// Not every solver knows --eta auto.
TEST_F(CliDiagnose, AdviceForLongRows) {
  dir.write("a.svm", "+1 1:100\n-1 2:100\n");
  const Json step = diagnose({"a.svm", "--only", "spectral"}).at("spectral").at("safe_step");
  EXPECT_TRUE(contains(step.at("advice"), "a smaller --eta, or --normalize l2"));
}

TEST_F(CliDiagnose, GradesTable) {
  // One feature with X'X = 2 and y = x: w is 1 at once for gamma 2, and grows by |1 - 2/gamma|
  // else.
  dir.write("a.svm", "+1 1:1\n-1 1:-1\n");
  const Json json = diagnose({"a.svm", "--grades", "--features", "1", "--gamma", "0.5", "--steps",
                              "3", "--only", "spectral"});
  EXPECT_NEAR(json.at("spectral").at("radius").at("value").at("radius").get<double>(), 3, 1e-9);
  const Json steps = json.at("grades").at("iterations").at("value");
  ASSERT_EQ(steps.size(), 4U);
  for (std::size_t t = 0; t < steps.size(); ++t) {  // 1 - w is (-3)^t
    EXPECT_NEAR(steps.at(t).at("radius").get<double>(), 3, 1e-9);
    EXPECT_NEAR(steps.at(t).at("log10_potential").get<double>(),
                2 * static_cast<double>(t) * std::log10(3.0), 1e-9);
    EXPECT_EQ(steps.at(t).at("nonzeros"), t == 0 ? 0 : 1);
  }
  EXPECT_EQ(json.at("grades").at("finite").at("value"), true);
  const std::string far = good(
      {"diagnose", "a.svm", "--grades", "--features", "1", "--gamma", "1e-9", "--steps", "99"});
  EXPECT_TRUE(contains(far, "left the range of a double in iteration"));
}

TEST_F(CliDiagnose, HostileNumbers) {
  dir.write("huge.svm", "+1 1:1e300 2:1e-300\n-1 2:1e300\n");
  const Json json = diagnose({"huge.svm", "--grades", "--features", "1"});
  const Json largest = json.at("spectral").at("largest_eigenvalue");
  EXPECT_TRUE(largest.at("value").at("value").is_null());
  EXPECT_NEAR(largest.at("value").at("log10").get<double>(), 600, 1e-6);
  EXPECT_TRUE(contains(largest.at("text"), "more than a double can hold"));
  const Json safe = json.at("spectral").at("safe_step");
  EXPECT_TRUE(contains(safe.at("text"), "eta 10^-599.70 (less than a double can hold) (squared)"));
  EXPECT_TRUE(safe.at("value").at("squared").is_null());
  EXPECT_GT(json.at("exponents").at("absorbed_in_double").at("value").at("terms"), 0);
  EXPECT_EQ(json.at("exponents").at("absorbed_in_float").at("value").at("beyond"), 2);
  EXPECT_TRUE(contains(json.at("exponents").at("absorbed_in_float").at("text"),
                       "2 terms overflow a float"));
  for (const char* const line : {"safe_gamma", "safe_step", "radius"}) {
    const std::string advice = json.at("spectral").at(line).at("advice");
    EXPECT_TRUE(contains(advice, "--normalize l2")) << line;
    EXPECT_EQ(advice.find("auto"), std::string::npos) << line;
  }

  EXPECT_EQ(json.at("grades").at("finite").at("value"), true);
  for (const Json& step : json.at("grades").at("iterations").at("value")) {
    EXPECT_TRUE(step.at("radius").is_number());
  }
  // A gamma of one's own far below: the radius itself is beyond a double.
  const Json far = diagnose({"huge.svm", "--grades", "--features", "1", "--gamma", "1"});
  EXPECT_EQ(far.at("grades").at("finite").at("value"), false);

  for (const char* const rows : {"+1\n-1\n", "+1 7:2\n", "+1\n", "-1 1:5e-324\n+1 1:5e-324\n"}) {
    dir.write("odd.svm", rows);
    EXPECT_EQ(diagnose({"odd.svm"}).size(), 4U) << rows;
  }
}

TEST_F(CliDiagnose, Pipes) {
  dir.write("a.svm", kTiny);
  const Result piped = thresh_reading(kTiny, {"diagnose", "-"});
  EXPECT_EQ(piped.exit, 0) << piped;
  EXPECT_EQ(piped.out, good({"diagnose", "a.svm"}));
}

TEST_F(CliDiagnose, ModelsReadDataTheirWay) {
  dir.write("a.svm", "+1 0:3 1:4\n-1 1:5\n");
  train({"a.svm", "--zero-based", "--normalize", "l2"});
  const Json json = diagnose({"a.svm", "m.thresh", "--only", "exponents,spectral"});
  EXPECT_EQ(json.at("exponents").at("weights").at("value").at("count"), weights().size());
  // Unit rows (0.6, 0.8) and (0, 1).
  EXPECT_NEAR(json.at("spectral").at("largest_eigenvalue").at("value").at("value").get<double>(),
              1.8, 1e-9);
}

// smidas with a large p: weights draw apart, in the trace as in the model.
TEST_F(CliDiagnose, ATraceOfExponents) {
  dir.write("a.svm", random_rows({}));
  train({"a.svm", "--solver", "smidas", "--p", "40", "--passes", "3", "--trace", "t.jsonl"});
  const Json trace = diagnose({"--trace", "t.jsonl"});
  EXPECT_EQ(trace.size(), 1U);
  const Json& value = trace.at("trace").at("exponents").at("value");
  ASSERT_EQ(value.at("points").size(), 3U);
  const Json both = diagnose({"--trace", "t.jsonl", "a.svm", "m.thresh", "--only", "exponents"});
  EXPECT_EQ(both.size(), 2U);
  EXPECT_EQ(both.at("trace"), trace.at("trace"));
  const Json& model = both.at("exponents").at("weights").at("value");
  EXPECT_EQ(value.at("points").back().at("within"), model.at("within"));
  EXPECT_LT(model.at("within"), 0.99);
  EXPECT_EQ(value.at("apart_from"), value.at("points").at(0).at("examples"));
  EXPECT_TRUE(contains(trace.at("trace").at("exponents").at("advice"), "smaller --p"));
  const std::string text = good({"diagnose", "--trace", "t.jsonl"});
  EXPECT_TRUE(contains(text, "base-2 exponents of weights in the course of training"));

  dir.write("bad.jsonl", "{\"examples\":1,\"nonzeros\":0}\n{\"pass\":1}\n");
  EXPECT_TRUE(contains(bad(1, {"diagnose", "--trace", "bad.jsonl"}), "bad.jsonl:2: not a line of"));
  EXPECT_TRUE(contains(bad(2, {"diagnose"}), "data is required"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "--trace", "t.jsonl", "--only", "data"}), "needs data"));
}

// What is the matter with a trace that has nothing to show.
TEST_F(CliDiagnose, TracesWithoutExponents) {
  const auto text = [&](const std::string& file) { return good({"diagnose", "--trace", file}); };
  dir.write("t.jsonl", "");
  EXPECT_TRUE(contains(text("t.jsonl"), "t.jsonl: the trace is empty"));
  dir.write("t.jsonl", "{\"examples\":1,\"nonzeros\":3}\n");
  EXPECT_TRUE(contains(text("t.jsonl"), "do not contain exponents"));
  dir.write("t.jsonl", "{\"examples\":1,\"nonzeros\":0,\"exponents_within\":null}\n");
  EXPECT_TRUE(contains(text("t.jsonl"), "no weights at any point"));
  dir.write("a.svm", random_rows({}));
  good({"frontier", "a.svm", "--budgets", "1,2", "--trace", "f.jsonl", "-q"});
  EXPECT_TRUE(contains(text("f.jsonl"), "a trace of `thresh frontier`"));
}

// Every suspect is named, and one label in twenty is worth a word.
TEST_F(CliDiagnose, AFewWrongLabels) {
  std::string rows;
  for (int i = 0; i < 1000; ++i) {
    const bool positive = i % 2 == 0, flipped = i % 21 == 7;
    rows +=
        fmt::format("{} {}:1 {}:1\n", positive != flipped ? 1 : -1, positive ? 1 : 2, 3 + i % 19);
  }
  dir.write("a.svm", rows);
  const Json found = diagnose({"a.svm", "--only", "labels"}).at("labels").at("confident_noise");
  EXPECT_TRUE(contains(found.at("advice"), "check these rows"));
  EXPECT_GT(found.at("value").at("suspects"), 30);
  EXPECT_EQ(found.at("value").at("first").size(), found.at("value").at("suspects"));
  const std::string text = found.at("text");
  EXPECT_EQ(std::count(text.begin(), text.end(), ','), 7);  // five rows and no more
}

TEST_F(CliDiagnose, Refusals) {
  dir.write("a.svm", kTiny);
  dir.write("empty.svm", "");
  dir.write("three.svm", "1 1:1\n2 1:2\n3 1:3\n");
  EXPECT_TRUE(contains(bad(1, {"diagnose", "empty.svm"}), "empty.svm: no rows"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--grades"}), "--features"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--features", "3"}), "--grades"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--gamma", "0"}), "--gamma"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--gamma", "x"}), "--gamma"));
  EXPECT_TRUE(
      contains(bad(1, {"diagnose", "three.svm", "--grades", "--features", "1"}), "two classes"));
  good({"diagnose", "three.svm", "--grades", "--features", "1", "--task", "regression"});
}

// A table with a wrong cell, a wrong target, a constant column and one of names, and nothing else.
TEST_F(CliDiagnose, NamesWhatIsOddInATable) {
  std::string text = "id,size,rooms,const,zone,price\n";
  for (int i = 0; i < 300; ++i) {
    const int size = 50 + i * 37 % 101;
    const std::string rooms = i % 10 == 0 ? "" : std::to_string(1 + i % 4);
    text += fmt::format("h{},{},{},7,{},{}\n", i, i == 40 ? 99999 : size, rooms,
                        i % 2 == 0 ? "north" : "south", i == 17 ? 1e9 : 1000.0 * size + i % 13);
  }
  dir.write("a.csv", text);
  const Json json = diagnose({"a.csv", "--task", "regression"});
  const Json& data = json.at("data");
  EXPECT_EQ(data.at("targets").at("value").at("farthest_row"), 18);
  EXPECT_EQ(data.at("targets").at("value").at("far"), 1);
  EXPECT_EQ(data.at("targets").at("value").at("most"), 1e9);
  ASSERT_EQ(data.at("far_cells").at("value").size(), 1U);
  EXPECT_EQ(data.at("far_cells").at("value").at(0).at("column"), "size");
  EXPECT_EQ(data.at("far_cells").at("value").at(0).at("row"), 41);
  EXPECT_TRUE(contains(data.at("constant_columns").at("text"), "same value in every row: const"));
  EXPECT_TRUE(contains(data.at("columns").at("text"), "30 missing cells, most in rooms: 30"));
  EXPECT_TRUE(contains(data.at("columns").at("text"), "left out: id (ids, nearly unique)"));
  EXPECT_FALSE(json.contains("labels")) << "targets are no classes";
  // Columns have their own units: rows of unit length would mean nothing, and what is advised
  // works.
  const std::string said = good({"diagnose", "a.csv", "--task", "regression"});
  EXPECT_FALSE(contains(said, "--normalize")) << said;
  EXPECT_FALSE(contains(said, "--scale max")) << said;
  EXPECT_TRUE(contains(said, "--scale standard"));
  for (const std::string solver : {"l1", "cd", "fobos", "ftrl"}) {
    const Result result = thresh({"train", "a.csv", "--task", "regression", "--ignore", "const",
                                  "--scale", "standard", "--solver", solver, "-q", "-o", "m"});
    EXPECT_EQ(result.exit, 0) << solver << result.err;
  }
  // Without --task the targets look like classes; the option that is advised is taken.
  EXPECT_TRUE(contains(good({"diagnose", "a.csv", "--only", "data"}), "use --task regression"));
}

TEST_F(CliDiagnose, NothingIsOddInAPlainTable) {
  std::string text = "size,zone,price\n";
  for (int i = 0; i < 200; ++i) {
    text +=
        fmt::format("{},{},{}\n", 50 + i * 37 % 101, i % 2 == 0 ? "north" : "south", 10 + i % 90);
  }
  dir.write("a.csv", text);
  const Json data = diagnose({"a.csv", "--task", "regression"}).at("data");
  for (const char* line : {"targets", "far_cells", "constant_columns", "outlier_rows"}) {
    EXPECT_EQ(data.at(line).at("advice"), "") << line;
  }
}
