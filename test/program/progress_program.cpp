// Progress on standard error: a table with doubling steps, or one live line on a terminal.

#include "tools/program.hpp"

class CliProgress : public CliTest {
 protected:
  void SetUp() override { dir.write("a.svm", random_rows({.rows = 10000})); }

  // The numbers of one column of the table.
  static Words column(const std::string& table, std::size_t number) {
    Words cells;
    for (const std::string& line : lines_of(table)) {
      std::istringstream words(line);
      std::string cell;
      for (std::size_t i = 0; i <= number; ++i) words >> cell;
      cells.push_back(cell);
    }
    return cells;
  }
};

TEST_F(CliProgress, RowsAtDoublingExamples) {
  const Result result = thresh({"train", "a.svm", "--passes", "4"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(column(result.err, 1),
            (Words{"examples", "1000", "2000", "4000", "8000", "16000", "32000"}));
  EXPECT_EQ(column(result.err, 0), (Words{"pass", "1", "1", "1", "1", "2", "4"}));
  EXPECT_EQ(result.err.find('\r'), std::string::npos);
  EXPECT_EQ(result.err.find('\033'), std::string::npos);
}

// A solver that has all rows in memory reads no text.
TEST_F(CliProgress, TheRateIsOfTextOrOfEntries) {
  const std::string text = thresh({"train", "a.svm", "--solver", "fobos"}).err;
  EXPECT_TRUE(contains(text, " MB/s\n"));
  EXPECT_FALSE(contains(text, "entries"));
  const std::string memory = thresh({"train", "a.svm", "--solver", "l1", "--lambda", "1e-5"}).err;
  EXPECT_TRUE(contains(memory, " M entries/s\n"));
  EXPECT_FALSE(contains(memory, "MB/s"));
}

TEST_F(CliProgress, StreamHasThemToo) {
  const Result result =
      thresh_reading(random_rows({.rows = 10000}),
                     {"train", "-", "--order", "sequential", "--passes", "1", "--positive", "1"});
  EXPECT_EQ(column(result.err, 1), (Words{"examples", "1000", "2000", "4000", "8000"}));
}

TEST_F(CliProgress, JsonStaysAlone) {
  const Result result = thresh({"train", "a.svm", "--json"});
  EXPECT_TRUE(Json::accept(result.out));
  EXPECT_NE(result.err, "");
}

TEST_F(CliProgress, FewRowsNeedNoTable) {
  dir.write("tiny.svm", kTiny);
  EXPECT_EQ(thresh({"train", "tiny.svm"}).err, "");
}

TEST_F(CliProgress, LiveLineOnATerminal) {
  Command live = command({"train", "a.svm", "--passes", "5"});
  live.terminal = true;
  const Result result = run(live);
  EXPECT_EQ(result.exit, 0) << result;
  for (const char* part :
       {"\r\033[K", "pass 1/5", "rows/s", "MB/s", "error", "non-zeros", "left"}) {
    EXPECT_TRUE(contains(result.err, part));
  }
  EXPECT_EQ(result.err.find('\n'), std::string::npos) << "more than one line";
  EXPECT_TRUE(result.err.ends_with("\r\033[K")) << "the line is not wiped at the end";
  EXPECT_TRUE(contains(result.out, "model: "));
}

TEST_F(CliProgress, QuietOnATerminal) {
  Command live = command({"train", "a.svm", "--quiet"});
  live.terminal = true;
  const Result result = run(live);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, "");
}

TEST_F(CliProgress, ErrorsOnATerminalStayOneLine) {
  dir.write("bad.svm", random_rows({.rows = 10000}) + "+1 1:x\n");
  Command live = command({"train", "bad.svm"});
  live.terminal = true;
  const Result result = run(live);
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(contains(result.err, "thresh: bad.svm:10001: "));
}
