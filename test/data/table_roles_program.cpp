// Tables as people have them: missing cells, ids, dates, weights, and columns that are not there.

#include <fmt/format.h>

#include <map>

#include "tools/program.hpp"

class CliTable : public CliTest {
 protected:
  CliTable() { default_solver = ""; }

  // Houses: price = 100 size + 5 (year - 1950) + 400 if there is no garage year.
  static std::string houses(int first, int rows) {
    std::string text;
    std::uint64_t state = static_cast<std::uint64_t>(first) + 1;
    const auto draw = [&](std::uint64_t below) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<int>((state >> 33) % below);
    };
    for (int i = 0; i < rows; ++i) {
      const int size = 50 + draw(100), year = 1950 + draw(70), garage = year + draw(3);
      const bool no_garage = draw(8) == 0, no_year = draw(10) == 0;
      const int price = 100 * size + 5 * (year - 1950) + (no_garage ? 400 : 0) + draw(50);
      text += fmt::format(
          "h-{},{},{},{},{},{}\n", first + i, size,
          no_year ? (i % 2 == 0 ? "NA" : "") : std::to_string(year),
          no_garage ? "" : std::to_string(garage),
          std::vector<std::string>{"red", "white", "blue", ""}[static_cast<std::size_t>(draw(4))],
          price);
    }
    return text;
  }
  static constexpr const char* kHead = "house,size,year,garage year,color,price\n";

  void write_houses() {
    dir.write("a.csv", kHead + houses(0, 600));
    dir.write("b.csv", kHead + houses(600, 200));
  }
  std::string note(Words arguments) {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"-o", "m.thresh"});
    const Result result = thresh(arguments);
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.err;
  }
  double r2(const std::string& data = "b.csv") {
    return good_json({"eval", "m.thresh", data, "--json"}).at("r2");
  }
  std::map<std::string, double> by_name() {
    std::map<std::string, double> found;
    for (const Weight& weight : weights()) found[weight.name] = weight.value;
    return found;
  }
  Json reading(const std::string& model = "m.thresh") {
    const std::string text = ScratchDir::slurp(dir.file(model));
    const std::size_t line = text.find('\n') + 1;
    return Json::parse(text.substr(line, text.find('\n', line) - line)).at("reading");
  }
};

TEST_F(CliTable, MissingNumbersAreTheirMeanAndAFeature) {
  write_houses();
  const Words regression = {"a.csv", "--task", "regression"};
  const std::string said = note(regression);
  EXPECT_TRUE(contains(said, "a.csv: left out: house (ids, nearly unique)")) << said;
  EXPECT_TRUE(contains(said, "missing cells; means stand for numbers")) << said;
  EXPECT_TRUE(contains(said, "garage year ")) << said;
  const double unexplained = 1 - r2();
  const auto learned = by_name();
  ASSERT_TRUE(learned.contains("garage year is missing"));
  EXPECT_NEAR(learned.at("garage year is missing"), 400, 60);
  EXPECT_TRUE(ScratchDir::slurp(dir.file("m.thresh")).starts_with("thresh-model 4\n"));
  // The mean is the trimmed mean of the training data, and the prediction uses it.
  const double mean = reading().at("means").at("year");
  EXPECT_NEAR(mean, 1984.5, 5);
  dir.write("one.csv", "size,year,garage year,color\n80,,1980,red\n");
  dir.write("two.csv", fmt::format("size,year,garage year,color\n80,{},1980,red\n", mean));
  const bool year_counts = learned.contains("year is missing");
  const double one = std::stod(good({"predict", "m.thresh", "one.csv"}));
  const double two = std::stod(good({"predict", "m.thresh", "two.csv"}));
  EXPECT_NEAR(one - two, year_counts ? learned.at("year is missing") : 0, 1e-6);
  Words zero = regression;
  zero.insert(zero.end(), {"--missing", "zero"});
  note(zero);
  EXPECT_GT(1 - r2(), 5 * unexplained);
  EXPECT_FALSE(reading().contains("means"));
  EXPECT_TRUE(contains(bad(1, {"train", "a.csv", "--task", "regression", "--missing", "refuse"}),
                       "(--missing refuse)"));
}

TEST_F(CliTable, FilesPipesAndCachesGiveTheSameModel) {
  write_houses();
  const Words more = {"--task", "regression", "--features", "4", "-q"};
  const auto learn = [&](const std::string& data, const std::string& model, Words extra = {}) {
    Words arguments = {"train", data, "-o", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const Result result = data == "-"
                              ? thresh_reading(ScratchDir::slurp(dir.file("a.csv")), arguments)
                              : thresh(arguments);
    EXPECT_EQ(result.exit, 0) << result.err;
    return weights(model);
  };
  const std::vector<Weight> expected = learn("a.csv", "m.thresh");
  EXPECT_EQ(learn("-", "p.thresh", {"--format", "csv"}), expected);
  EXPECT_EQ(learn("a.csv", "c.thresh", {"--cache"}), expected);
  EXPECT_EQ(learn("a.csv", "d.thresh"), expected) << "from the cache";
  good({"cache", "a.csv", "-o", "a.cache", "-q"});
  EXPECT_EQ(learn("a.cache", "e.thresh"), expected);
  EXPECT_EQ(good({"predict", "e.thresh", "a.cache"}), good({"predict", "m.thresh", "a.csv"}));
  // Another table has other means, so its cache does not fit.
  good({"cache", "b.csv", "-o", "b.cache", "-q"});
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "b.cache"}), "what stands for missing cells"));
  const std::string plain = good({"predict", "m.thresh", "b.csv"});
  const Result piped = thresh_reading(ScratchDir::slurp(dir.file("b.csv")),
                                      {"predict", "m.thresh", "-", "--format", "csv"});
  EXPECT_EQ(piped.out, plain);
  good({"cv", "a.csv", "--task", "regression", "--features", "2", "-q"});
  good({"frontier", "a.csv", "--task", "regression", "-q"});
  good({"train", "a.csv", "--task", "regression", "--valid", "b.csv", "-q", "-o", "v.thresh"});
}

TEST_F(CliTable, IdsAreCarriedToThePredictions) {
  write_houses();
  note({"a.csv", "--task", "regression", "--id", "house", "--features", "3"});
  const Words lines = lines_of(good({"predict", "m.thresh", "b.csv"}));
  ASSERT_EQ(lines.size(), 200U);
  EXPECT_TRUE(lines[0].starts_with("h-600\t")) << lines[0];
  EXPECT_TRUE(lines[199].starts_with("h-799\t")) << lines[199];
  EXPECT_TRUE(contains(good({"predict", "m.thresh", "b.csv", "--json"}), R"("id":"h-601")"));
  note({"a.csv", "--task", "regression", "--features", "3"});
  EXPECT_FALSE(contains(good({"predict", "m.thresh", "b.csv"}), "\t"));
  EXPECT_TRUE(good({"predict", "m.thresh", "b.csv", "--id", "color"}).starts_with("red\t") ||
              !good({"predict", "m.thresh", "b.csv", "--id", "house"}).empty());
  EXPECT_TRUE(contains(bad(1, {"predict", "m.thresh", "b.csv", "--id", "hose"}),
                       "no column 'hose' for --id"));
}

TEST_F(CliTable, AModelNeedsOnlyItsOwnColumns) {
  write_houses();
  note({"a.csv", "--task", "regression", "--features", "1", "--passes", "5"});
  ASSERT_EQ(weights().size(), 1U);
  ASSERT_EQ(weights()[0].name, "size");
  dir.write("sizes.csv", "other,size\nx,100\ny,120\n");
  EXPECT_EQ(lines_of(good({"predict", "m.thresh", "sizes.csv"})).size(), 2U);
  dir.write("none.csv", "other\nx\n");
  EXPECT_TRUE(
      contains(bad(1, {"predict", "m.thresh", "none.csv"}), "no column that the model uses"));
  note({"a.csv", "--task", "regression", "--features", "3"});
  dir.write("some.csv", "size,year,color\n100,1990,red\n");
  const Result some = thresh({"predict", "m.thresh", "some.csv"});
  EXPECT_EQ(some.exit, 0) << some.err;
  EXPECT_TRUE(contains(some.err, "counted as missing in every row: column garage year"))
      << some.err;
  dir.write("same.csv", "size,year,garage year,color\n100,1990,,red\n");
  EXPECT_EQ(some.out, good({"predict", "m.thresh", "same.csv"}));
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "some.csv"}), "no column 'price'"));
}

TEST_F(CliTable, WeightsComeFromAColumn) {
  std::string table = "a,b,w,y\n", plain = "a,b,y\n", file;
  for (int i = 0; i < 200; ++i) {
    table += fmt::format("{},{},{},{}\n", i % 7, i % 5, 1 + i % 3, i % 2);
    plain += fmt::format("{},{},{}\n", i % 7, i % 5, i % 2);
    file += fmt::format("{}\n", 1 + i % 3);
  }
  dir.write("w.csv", table);
  dir.write("p.csv", plain);
  dir.write("w.txt", file);
  const Words fobos = {"--solver", "fobos", "--lambda", "0.001", "-q"};
  const auto learn = [&](Words arguments) {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), fobos.begin(), fobos.end());
    arguments.insert(arguments.end(), {"-o", "m.thresh"});
    good(arguments);
    return weights();
  };
  const std::vector<Weight> own = learn({"w.csv", "--weight", "w"});
  EXPECT_EQ(good_json({"eval", "m.thresh", "w.csv", "--json"}).at("error"),
            good_json({"eval", "m.thresh", "w.csv", "--json"}).at("error"));
  EXPECT_EQ(lines_of(good({"predict", "m.thresh", "p.csv"})).size(), 200U);
  EXPECT_TRUE(
      contains(bad(1, {"eval", "m.thresh", "p.csv"}), "no column 'w', which holds the weights"));
  EXPECT_EQ(learn({"p.csv", "--weights", "w.txt"}), own);
  dir.write("bad.csv", "a,w,y\n1,2,0\n1,-1,1\n");
  EXPECT_TRUE(contains(bad(1, {"train", "bad.csv", "--weight", "w", "--features", "1", "-q"}),
                       "bad.csv:3: weight '-1' in column w is not a finite number >= 0"));
}

TEST_F(CliTable, DatesBecomeYearMonthWeekdayAndAge) {
  std::string text = "when,n,y\n";
  for (int i = 0; i < 400; ++i) {
    text += fmt::format("{}-{:02}-{:02},{},{}\n", 2000 + i % 20, 1 + i % 12, 1 + i % 28, i % 3,
                        i % 12 == 5 ? "yes" : "no");
  }
  dir.write("d.csv", text);
  note({"d.csv", "--date", "when"});
  const auto learned = by_name();
  ASSERT_TRUE(learned.contains("when month=6")) << weights().size();
  EXPECT_EQ(good_json({"eval", "m.thresh", "d.csv", "--json"}).at("error"), 0);
  dir.write("e.csv", "when,n\n2030-06-01,1\n2030-07-01,1\n");
  EXPECT_EQ(good({"predict", "m.thresh", "e.csv"}), "yes\nno\n");
  dir.write("bad.csv", text + "yesterday,1,no\n");
  EXPECT_TRUE(contains(bad(1, {"train", "bad.csv", "--date", "when", "--features", "3", "-q"}),
                       "bad.csv:402: 'yesterday' in column when is not a date such as 2024-03-31"));
  std::string unique = "when,n,y\n";
  for (int i = 0; i < 60; ++i) unique += fmt::format("19{}-03-02,{},{}\n", 10 + i, i % 7, i % 2);
  dir.write("u.csv", unique);
  EXPECT_TRUE(contains(note({"u.csv", "--features", "1"}), "when (dates; use --date \"when\")"));
}

TEST_F(CliTable, ColumnsThatNameRowsAreLeftOut) {
  std::string text = ",code,PID,note,n,y\n";
  for (int i = 0; i < 100; ++i) {
    text += fmt::format("{},{:05},{},a long note about {},{},{}\n", i, 7 * i, 1000 + 13 * i, i,
                        i % 9, i % 2);
  }
  dir.write("a.csv", text);
  const std::string said = note({"a.csv", "--features", "1"});
  for (const char* part : {"1 (row names", "code (ids", "PID (ids", "note (free text"}) {
    EXPECT_TRUE(contains(said, part)) << part << said;
  }
  EXPECT_EQ(reading().at("numbers"), Json::parse(R"(["n"])"));
  note({"a.csv", "--features", "1", "--numeric", "PID", "--categorical", "note"});
  EXPECT_EQ(reading().at("numbers"), Json::parse(R"(["PID","n"])"));
  EXPECT_EQ(reading().at("categories"), Json::parse(R"(["note"])"));
  EXPECT_TRUE(contains(bad(1, {"train", "a.csv", "--ignore", "n", "-q"}),
                       "no column is left to learn from"));
}

TEST_F(CliTable, AForgottenLabelIsNoticed) {
  std::string text = "kind,age\n";
  for (int i = 0; i < 300; ++i)
    text += fmt::format("{},{}\n", i % 40 < 17 ? "a" : "b", 20 + i % 40);
  dir.write("a.csv", text);
  const std::string why = bad(1, {"train", "a.csv", "-q"});
  EXPECT_TRUE(contains(why,
                       "the last column, age, has 40 different numbers; choose the label with "
                       "--label COLUMN"))
      << why;
  good({"train", "a.csv", "-q", "--label", "kind", "-o", "m.thresh"});
  good({"train", "a.csv", "-q", "--task", "regression", "-o", "m.thresh"});
  EXPECT_TRUE(contains(bad(1, {"cv", "a.csv", "--features", "1", "-q"}), "the last column, age"));
}

TEST_F(CliTable, NumbersOutOfRangeAreNotWords) {
  for (const char* cell : {"Inf", "1e400", "0x10"}) {
    std::string text = "n,y\n1,0\n9,1\n" + std::string(cell) + ",0\n";
    for (int i = 0; i < 50; ++i) text += fmt::format("{},{}\n", i % 11, i % 11 > 5 ? 1 : 0);
    dir.write("a.csv", text);
    EXPECT_TRUE(contains(bad(1, {"train", "a.csv", "--features", "1", "-q"}),
                         fmt::format("a.csv:4: '{}' in column n is not a finite number", cell)));
    good({"train", "a.csv", "--features", "1", "-q", "--on-bad-row", "skip", "-o", "m.thresh"});
    EXPECT_EQ(reading().at("numbers"), Json::parse(R"(["n"])"));
  }
}

TEST_F(CliTable, AColumnWhoseFirstRowsAreEmptyIsReadRight) {
  std::string text = "pool,n,y\n";
  for (int i = 0; i < 3000; ++i) {
    text += fmt::format("{},{},{}\n",
                        i < 2500     ? "NA"
                        : i % 2 == 0 ? "Ex"
                                     : "Gd",
                        i % 5, i < 2500 ? 0 : 1);
  }
  dir.write("a.csv", text);
  note({"a.csv", "--features", "2"});
  EXPECT_EQ(reading().at("categories"), Json::parse(R"(["pool"])"));
  EXPECT_TRUE(by_name().contains("pool=NA")) << "a value like any other";
  note({"a.csv", "--features", "1", "--na", "NA"});
  EXPECT_TRUE(by_name().contains("pool is missing"));
  EXPECT_EQ(reading().at("na"), Json::parse(R"(["NA"])"));
  EXPECT_EQ(good_json({"eval", "m.thresh", "a.csv", "--json"}).at("error"), 0);
}

TEST_F(CliTable, MistakesAreNamed) {
  write_houses();
  const auto usage = [&](Words more) {
    more.insert(more.begin(), {"train", "a.csv", "--task", "regression", "-q"});
    return bad(2, more);
  };
  EXPECT_TRUE(contains(bad(1, {"train", "a.csv", "--label", "Price", "-q"}),
                       "a.csv: no column 'Price' for --label; there is 'price'"));
  EXPECT_TRUE(contains(usage({"--ignore", "size", "--id", "size"}),
                       "column 'size' is given to --ignore and to --id"));
  EXPECT_TRUE(contains(usage({"--ignore", "size,size"}), "--ignore names column 'size' twice"));
  EXPECT_TRUE(
      contains(usage({"--label", "price", "--weight", "price"}), "column 'price' is given to"));
  usage({"--label", "price", "--label", "size"});
  usage({"--id", "house", "--id", "size"});
  dir.write("twice.csv", "n,n,y\n1,2,0\n");
  EXPECT_TRUE(contains(bad(1, {"train", "twice.csv", "-q"}), "two columns are called 'n'"));
  std::string text = "gone,n,y\n";
  for (int i = 0; i < 50; ++i) text += fmt::format(",{},{}\n", i % 3, i % 2);
  dir.write("gone.csv", text);
  EXPECT_TRUE(contains(note({"gone.csv", "--features", "1"}), "gone (all cells are missing)"));
  EXPECT_TRUE(contains(bad(1, {"train", "gone.csv", "--categorical", "gone", "-q"}),
                       "all cells of column 'gone' are missing, which --categorical names"));
  EXPECT_TRUE(contains(bad(2, {"train", "x.svm", "--ignore", "n", "-q"}), "--ignore applies only"));
  // A category that the training did not have counts like none.
  std::string colors = "color,y\n";
  for (int i = 0; i < 90; ++i)
    colors += fmt::format("{},{}\n", i % 3 == 0 ? "red" : "blue", i % 3 == 0);
  dir.write("c.csv", colors);
  note({"c.csv", "--features", "1"});
  dir.write("new.csv", "color\npurple\n\"\"\n");
  const Words lines = lines_of(good({"predict", "m.thresh", "new.csv", "--output", "margin"}));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], lines[1]);
}

TEST_F(CliTable, VerifyAndDiagnoseReadTheRowsAsTheTrainingDid) {
  write_houses();
  good({"train", "a.csv", "--task", "regression", "--ignore", "color", "--na", "NA", "--solver",
        "l1", "--lambda-ratio", "0.1", "--certify", "-q", "-o", "m.thresh"});
  good({"verify", "m.thresh", "a.csv"});
}
