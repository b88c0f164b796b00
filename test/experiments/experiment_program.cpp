// The experiments in their quick form: everything that a paper's page shows comes out, and a run
// that was interrupted goes on where it was.

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>

#include "tools/program.hpp"

class CliExperiment : public CliTest {
 protected:
  Command experiment(Words arguments) const {
    Command command = this->command(std::move(arguments));
    command.program = THRESH_EXPERIMENT;
    return command;
  }

  Json results(const std::string& name) const {
    return Json::parse(dir.slurp(dir.path / "build/experiments" / (name + "-quick/results.json")));
  }

  // Runs it and looks at what it left, which must be this many figures and tables.
  void expect_results(const std::string& name, std::size_t figures, std::size_t tables) const {
    const Result result = run(experiment({name, "--quick"}));
    ASSERT_EQ(result.exit, 0) << result;
    const Json json = results(name);
    EXPECT_EQ(json.at("kind"), "experiment");
    EXPECT_EQ(json.at("figures").size(), figures);
    for (const Json& figure : json.at("figures")) expect_lines(figure);
    EXPECT_EQ(json.at("tables").size(), tables);
    for (const Json& table : json.at("tables")) {
      EXPECT_FALSE(table.at("rows").empty());
      for (const Json& row : table.at("rows")) EXPECT_EQ(row.size(), table.at("columns").size());
    }
    expect_files(name, figures, tables);
  }

  // Runs it and changes the kept result of the job whose name has these words.
  template <class Change>
  void change_kept(const std::string& name, const std::string& words, Change change) const {
    ASSERT_EQ(run(experiment({name, "--quick"})).exit, 0);
    std::size_t changed = 0;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path / "build/experiments" /
                                                                 (name + "-quick/work"))) {
      if (entry.path().extension() != ".json") continue;
      Json kept = Json::parse(dir.slurp(entry.path()));
      if (!contains(kept.at("job").get<std::string>(), words)) continue;
      change(kept.at("result"));
      std::ofstream(entry.path()) << kept.dump();
      ++changed;
    }
    EXPECT_EQ(changed, 1U) << words;
  }

  static void expect_lines(const Json& figure) {
    EXPECT_FALSE(figure.at("series").empty()) << figure.at("title");
    for (const Json& series : figure.at("series")) {
      EXPECT_EQ(series.at("x").size(), series.at("y").size()) << series.at("name");
      EXPECT_GE(series.at("x").size(), 2U) << series.at("name");
      EXPECT_LE(series.at("x").size(), 200U) << series.at("name");
    }
  }

  void expect_files(const std::string& name, std::size_t figures, std::size_t tables) const {
    std::size_t drawings = 0, csv = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(dir.path / "build/experiments" / (name + "-quick"))) {
      if (entry.path().extension() == ".csv") ++csv;
      if (entry.path().extension() != ".svg") continue;
      ++drawings;
      EXPECT_TRUE(contains(dir.slurp(entry.path()), "<polyline")) << entry.path();
    }
    EXPECT_EQ(drawings, figures);
    EXPECT_EQ(csv, tables);
  }
};

TEST_F(CliExperiment, ShalevShwartzAndTewari) {
  expect_results("shalev-shwartz", 16, 2);
}

TEST_F(CliExperiment, DhingraShenAndKleene) {
  expect_results("dhingra", 14, 3);
}

TEST_F(CliExperiment, XieFanVerscheureAndRen) {
  expect_results("xie", 16, 4);
}

TEST_F(CliExperiment, DuchiShalevShwartzSingerAndChandra) {
  expect_results("duchi", 18, 8);
}

TEST_F(CliExperiment, GoesOnWhereItWasKilled) {
  const auto done = [](const std::string& err) { return std::ranges::count(err, '['); };
  Process process(experiment({"dhingra", "--quick"}));
  ASSERT_TRUE(process.run_until([&] { return done(process.err()) >= 3; }));
  process.signal(SIGKILL);
  const auto before = done(process.finish().err);

  const Result again = run(experiment({"dhingra", "--quick"}));
  ASSERT_EQ(again.exit, 0) << again;
  long runs = 0, kept = 0;  // of its two plans
  const std::regex plan("(\\d+) runs, (\\d+) of them kept");
  for (std::sregex_iterator it(again.err.begin(), again.err.end(), plan), end; it != end; ++it) {
    runs += std::stol((*it)[1]);
    kept += std::stol((*it)[2]);
  }
  EXPECT_GT(runs, 0);
  EXPECT_GE(kept, before);
  EXPECT_EQ(done(again.err), runs - kept) << again;
  const Json resumed = results("dhingra");
  std::filesystem::remove_all(dir.path / "build");
  ASSERT_EQ(run(experiment({"dhingra", "--quick"})).exit, 0);
  EXPECT_EQ(results("dhingra"), resumed);
}

// Online runs create their solvers without fit(). An earlier version did not pass the step size on.
TEST_F(CliExperiment, OnlineRunsTakeTheirStepSize) {
  ASSERT_EQ(run(experiment({"duchi", "--quick", "--only", "enron-bigrams"})).exit, 0);
  std::map<std::string, std::vector<double>> losses;  // by solver
  for (const auto& entry :
       std::filesystem::directory_iterator(dir.path / "build/experiments/duchi-quick/work")) {
    const Json kept = Json::parse(dir.slurp(entry.path()));
    const auto job = kept.at("job").get<std::string>();
    if (!contains(job, "radius=10000 ") || contains(job, "schedule=sqrt")) continue;
    losses[contains(job, "projected") ? "projected" : "eg"].push_back(
        kept.at("result").at("loss").back());
  }
  for (auto& [solver, found] : losses) {
    std::ranges::sort(found);
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << solver;
    EXPECT_GT(found.size(), 1U) << solver;
  }
  EXPECT_EQ(losses.size(), 2U);
}

// The best runs are repeated with other data or another seed. What is not random is run once.
TEST_F(CliExperiment, RepetitionsDiffer) {
  ASSERT_EQ(run(experiment({"duchi", "--quick"})).exit, 0);
  const Json tables = results("duchi").at("tables");
  for (const Json& row : tables[1].at("rows")) {  // problem, method, step, runs, mean, deviation
    const bool random = !contains(row[1].get<std::string>(), "all rows");
    EXPECT_EQ(row[3], random ? 3 : 1) << row;
    EXPECT_EQ(row[5].is_null(), !random) << row;
    const bool takes_all = contains(row[1].get<std::string>(), "a quarter");  // of so few rows
    if (random && !takes_all) {
      EXPECT_GT(row[5], 0) << row;
    }
  }
  for (const Json& row : tables[3].at("rows")) {
    EXPECT_EQ(row[4], 3) << row;
    EXPECT_GT(row[8], 0) << row;  // deviation of the loss
  }
  for (const Json& row : tables[7].at("rows")) {
    EXPECT_EQ(row[2], 3) << row;
    EXPECT_GT(row[4], 0) << row;
  }
}

// Files have null for what is not a finite number, and a walk may end at its first step.
TEST_F(CliExperiment, GoesOnFromRunsThatDiverged) {
  change_kept("duchi", "enron-bigrams online projected-sgd radius=300 eta=10 ",
              [](Json& curves) { curves.at("loss").back() = nullptr; });
  change_kept("xie", "comp_vs_rec 5000 words present grades gamma=3 ", [](Json& walk) {
    walk = {{"radius", {nullptr}}, {"potential", {nullptr}}};
  });
  for (const char* name : {"duchi", "xie"}) {
    const Result result = run(experiment({name, "--quick"}));
    EXPECT_EQ(result.exit, 0) << result;
  }
  const Json online = results("duchi").at("tables")[5].at("rows");
  EXPECT_NE(online[0][1], "radius 300, eta 10");
  EXPECT_FALSE(online[0][2].is_null());
  const Json walk = results("xie").at("tables")[1].at("rows")[0];
  EXPECT_EQ(walk[0], "comp_vs_rec");
  for (std::size_t i = 3; i < walk.size(); ++i) EXPECT_TRUE(walk[i].is_null()) << walk;
}

// Some jobs differ from those of a real run in nothing else.
TEST_F(CliExperiment, QuickRunsHaveNamesOfTheirOwn) {
  for (const char* name : {"duchi", "xie"}) {
    ASSERT_EQ(run(experiment({name, "--quick", "--work", "work"})).exit, 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(dir.path / "work")) {
    if (entry.path().extension() != ".json") continue;
    const std::string job = Json::parse(dir.slurp(entry.path())).at("job");
    EXPECT_TRUE(contains(job, " quick ")) << job;
  }
}

// Other runs than the chosen ones are left out, so that fewer are done, and the results are the
// same.
TEST_F(CliExperiment, TakesWhatAnEarlierRunHasChosen) {
  const auto runs = [](const Result& result) { return std::ranges::count(result.err, '['); };
  const auto table = [](const Json& all, const std::string& title) {
    for (const Json& one : all.at("tables")) {
      if (contains(one.at("title").get<std::string>(), title)) return one.at("rows");
    }
    return Json();
  };
  const std::map<std::string, Words> titles = {
      {"xie", {"Figure 5: test errors", "Table 3"}},
      {"duchi", {"Figures 4-6: the best", "Figure 7: the best", "Figure 7: repetitions"}}};
  for (const auto& [name, tables] : titles) {
    const Result first = run(experiment({name, "--quick"}));
    ASSERT_EQ(first.exit, 0) << first;
    const std::string saved = "build/experiments/" + name + "-quick/results.json";
    const Result again = run(experiment(
        {name, "--quick", "--tuned", saved, "--work", name, "--results", name, "--figures", name}));
    ASSERT_EQ(again.exit, 0) << again;
    EXPECT_LT(runs(again), runs(first));
    EXPECT_FALSE(contains(again.err, " tune ")) << again;
    const Json other = Json::parse(dir.slurp(dir.path / name / "results.json"));
    for (const std::string& title : tables) {
      EXPECT_FALSE(table(other, title).empty());
      EXPECT_EQ(table(other, title), table(results(name), title)) << title;
    }
  }
  dir.write("other.json", "{}");
  const Result wrong = run(experiment({"xie", "--quick", "--tuned", "other.json"}));
  EXPECT_EQ(wrong.exit, 1) << wrong;
  EXPECT_TRUE(contains(wrong.err, "other.json: not the results.json of an experiment"));
}

// What a run leaves out is that of the earlier run.
TEST_F(CliExperiment, AddsAPartToWhatAnEarlierRunHasFound) {
  const auto without_options = [](Json all) {
    all.erase("options");
    return all;
  };
  const std::map<std::string, Words> parts = {
      {"xie", {"--only", "comp_vs_sci,rcv1", "--solvers", "smidas"}},
      {"duchi", {"--only", "digits,digits-2,digits-3"}}};
  for (const auto& [name, part] : parts) {
    const Result first = run(experiment({name, "--quick"}));
    ASSERT_EQ(first.exit, 0) << first;
    Words words = {
        name,        "--quick", "--tuned",   "build/experiments/" + name + "-quick/results.json",
        "--work",    name,      "--results", name,
        "--figures", name};
    words.insert(words.end(), part.begin(), part.end());
    const Result again = run(experiment(words));
    ASSERT_EQ(again.exit, 0) << again;
    const Json other = Json::parse(dir.slurp(dir.path / name / "results.json"));
    EXPECT_EQ(without_options(other), without_options(results(name)));
    EXPECT_EQ(other.at("options").size(), results(name).at("options").size());
    const std::string drawing = name == "xie" ? "xie-5-rcv1.svg" : "duchi-7-batch.svg";
    EXPECT_EQ(dir.slurp(dir.path / name / drawing),
              dir.slurp(dir.path / "build/experiments" / (name + "-quick") / drawing));
  }
}

TEST_F(CliExperiment, SaysWhichDataAreMissing) {
  const Result none = run(experiment({"shalev-shwartz", "--data", "nowhere"}));
  EXPECT_EQ(none.exit, 1) << none;
  EXPECT_TRUE(contains(none.err, "duke is left out: there is no nowhere/duke.svm.xz\n"));
  EXPECT_TRUE(contains(none.err, "experiment: nowhere: none of the data sets is here"));
  EXPECT_EQ(files(), Words{});

  std::filesystem::create_directory(dir.path / "some");
  dir.write("some/duke.svm.xz", kTiny);
  const Result one = run(experiment({"shalev-shwartz", "--data", "some"}));
  EXPECT_EQ(one.exit, 0) << one;
  EXPECT_EQ(one.err.find("duke is left out"), std::string::npos);
  EXPECT_TRUE(contains(one.out, "left out: arcene\nleft out: magic04s\nleft out: magic04d\n"));
}

TEST_F(CliExperiment, CanLeaveOutDataSets) {
  const Result one = run(experiment({"shalev-shwartz", "--quick", "--only", "duke,magic04s"}));
  EXPECT_EQ(one.exit, 0) << one;
  EXPECT_TRUE(contains(one.out, "left out: arcene\nleft out: magic04d\n"));
  EXPECT_EQ(results("shalev-shwartz").at("figures").size(), 8U);
  const Result wrong = run(experiment({"shalev-shwartz", "--quick", "--only", "dukes"}));
  EXPECT_EQ(wrong.exit, 2) << wrong;
  EXPECT_TRUE(contains(wrong.err, "no data set is called dukes"));
}

TEST_F(CliExperiment, RefusesSolversThatCannotBeRunAlone) {
  for (const auto& [name, solver] :
       std::map<std::string, std::string>{{"xie", "l1"}, {"duchi", "eg"}}) {
    const Result wrong = run(experiment({name, "--quick", "--solvers", solver}));
    EXPECT_EQ(wrong.exit, 2) << wrong;
    EXPECT_EQ(wrong.err,
              fmt::format("experiment: --solvers: {} cannot be run alone in {}\n", solver, name));
  }
}

TEST_F(CliExperiment, SaysWhatIsWrongWithAnArchive) {
  std::filesystem::create_directory(dir.path / "some");
  const auto error_of = [&](const std::string& content) {
    dir.write("some/20news-bydate.tar.xz", content);
    const Result result = run(experiment({"xie", "--data", "some"}));
    EXPECT_EQ(result.exit, 1) << result;
    return result.err;
  };
  for (const std::string& other : {std::string(600, 'x'), std::string()}) {
    EXPECT_TRUE(contains(error_of(other), "20news-bydate.tar.xz: Unrecognized archive format"));
  }

  std::string header(512, '\0');  // of a file of 8 bytes, which do not follow
  header.replace(0, 1, "a").replace(124, 11, "00000000010").replace(156, 1, "0");
  header.replace(257, 5, "ustar").replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  EXPECT_TRUE(contains(error_of(header), "20news-bydate.tar.xz: Truncated tar archive"));
}

TEST_F(CliExperiment, UnknownOnesAreRefused) {
  EXPECT_EQ(run(experiment({"nobody"})).exit, 2);
  EXPECT_EQ(run(experiment({})).exit, 2);
}
