// Standard streams that are closed, full or not read: no message lands in a file, and no model is
// lost because a message could not be written.

#include "tools/program.hpp"

class CliStreams : public CliTest {
 protected:
  void SetUp() override {
    dir.write("a.svm", random_rows({.rows = 3000}));  // progress comes at 1,000 rows
    expected_ = train({"a.svm", "--trace", "expected.jsonl"});
  }

  // Where `thresh` stands for the program.
  Result shell(const std::string& line) const {
    Command c = command({"-c", "thresh() { \"$0\" \"$@\"; }; " + line, THRESH_BINARY});
    c.program = "/bin/sh";
    return run(c);
  }

  void trains_as_ever(const std::string& around) const {
    const Result result =
        shell(around +
              " thresh train a.svm --solver margin-perceptron --trace t.jsonl -o t.thresh "
              "2>&" +
              error_stream_ + " >out");
    EXPECT_EQ(result.exit, 0) << result;
    EXPECT_TRUE(ScratchDir::slurp(dir.file("t.thresh")) == expected_);
    EXPECT_EQ(lines("t.jsonl"), lines("expected.jsonl"));
  }

  std::size_t lines(const std::string& file) const {
    const std::string text = ScratchDir::slurp(dir.file(file));
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  std::string error_stream_ = "-";
  std::string expected_;
};

TEST_F(CliStreams, ClosedStandardErrorIsNotTakenByAFile) {
  trains_as_ever("");
  trains_as_ever("exec 0<&-;");
}

TEST_F(CliStreams, AFullStandardErrorLosesNoModel) {
  error_stream_ = "3";
  trains_as_ever("exec 3>/dev/full;");
}

TEST_F(CliStreams, AStandardErrorThatNobodyReadsLosesNoModel) {
  error_stream_ = "4";
  trains_as_ever("mkfifo pipe; exec 3<>pipe; exec 4>pipe; exec 3<&-;");
}

TEST_F(CliStreams, ClosedInputAndOutputAreErrors) {
  const Result input = shell("thresh train - -o t.thresh <&-");
  EXPECT_EQ(input.exit, 1);
  EXPECT_TRUE(contains(complaint(input), "Bad file descriptor"));
  const Result output = shell("thresh weights m.thresh >&-");
  EXPECT_EQ(output.exit, 1);
  EXPECT_EQ(complaint(output), "thresh: standard output: Bad file descriptor");
}
