// The catalog as the program shows it: every example runs, and the documentation says the same.

#include <fstream>
#include <sstream>

#include "tools/program.hpp"

class CliSolvers : public CliTest {};

TEST_F(CliSolvers, EveryExampleTrains) {
  dir.write("rows.svm", random_rows({}));
  for (const Json& solver : good_json({"solvers", "--json"})) {
    const std::string example = solver.at("example");
    std::istringstream words(example);
    Words arguments;
    for (std::string word; words >> word;) arguments.push_back(word == "DATA" ? "rows.svm" : word);
    ASSERT_EQ(arguments.at(0), "thresh") << example;
    arguments.erase(arguments.begin());
    arguments.insert(arguments.end(), {"-o", "m.thresh", "--quiet"});
    silent(arguments);
    ASSERT_TRUE(exists("m.thresh")) << example;
  }
}

TEST_F(CliSolvers, TextSaysWhatJsonSays) {
  const std::string text = good({"solvers"});
  for (const Json& solver : good_json({"solvers", "--json"})) {
    for (const char* key :
         {"name", "paper", "objective", "update", "steps", "cost", "needs", "example"}) {
      EXPECT_TRUE(contains(text, solver.at(key).get<std::string>()));
    }
    for (const Json& option : solver.at("options")) {
      EXPECT_TRUE(contains(text, "--" + option.at("name").get<std::string>()));
    }
  }
}

TEST_F(CliSolvers, MarkdownAndJsonExcludeEachOther) {
  bad(2, {"solvers", "--json", "--markdown"});
}

// To mend it: put the output of `thresh solvers --markdown` between the marks again.
TEST_F(CliSolvers, DocumentationShowsTheCatalog) {
  std::ifstream file(THRESH_SOURCE_DIR "/docs/solvers.md");
  std::string blocks;
  bool within = false;
  for (std::string line; std::getline(file, line);) {
    within = within || line.starts_with("<!-- solver ");
    if (within) blocks += line + "\n";
    within = within && line != "<!-- end -->";
  }
  EXPECT_EQ(blocks, good({"solvers", "--markdown"}));
}
