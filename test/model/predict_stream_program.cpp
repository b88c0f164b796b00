// thresh predict on a pipe: every row is answered before the next one is written.

#include "tools/program.hpp"

struct Stream {
  const char* name;
  std::string training, training_file;
  std::string head;  // before the first row
  Words rows;        // each ends with a line feed
  Words answers;
};
void PrintTo(const Stream& stream, std::ostream* out) {
  *out << stream.name;
}

namespace {

std::string twenty(const std::string& row) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += row;
  return text;
}

std::vector<Stream> streams() {
  return {
      {"Libsvm",
       twenty("1 1:1\n-1 2:1\n"),
       "t.svm",
       "",
       {"0 1:1\n", "0 2:1\n", "0 1:2\n"},
       {"1\n", "-1\n", "1\n"}},
      {"Vw",
       twenty("1 | a\n-1 | b\n"),
       "t.vw",
       "",
       {"| a\n", "'x| b\n", "1 1 tag| a\n"},
       {"1\n", "x\t-1\n", "tag\t1\n"}},
      {"Table",
       "size,kind,label\n" + twenty("1,u,yes\n-1,v,no\n"),
       "t.csv",
       "size,kind\n",
       {"1,u\n", "-1,v\n", "2,\"u\nw\"\n"},
       {"yes\n", "no\n", "yes\n"}},
      {"Text",
       twenty("spam\tcheap watches\nham\tsee you\n"),
       "t.txt",
       "",
       {"cheap cheap\n", "see\n", "\n"},
       {"spam\n", "ham\n", ""}},
  };
}

}  // namespace

class CliPredictStream : public CliTest, public testing::WithParamInterface<Stream> {};

TEST_P(CliPredictStream, AnswersBeforeTheNextRow) {
  const Stream& s = GetParam();
  dir.write(s.training_file, s.training);
  Words training = {s.training_file, "--passes", "5"};
  if (s.training_file == "t.txt") training.insert(training.end(), {"--format", "text"});
  train(training);
  Command predict = command({"predict", "m.thresh", "-"});
  predict.input_pipe = true;
  Process process(predict);
  process.feed(s.head);
  std::string expected;
  std::size_t lines = 0;
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    process.feed(s.rows[i]);
    ++lines;
    ASSERT_TRUE(process.run_until([&] { return lines_of(process.out()).size() >= lines; }));
    if (!s.answers[i].empty()) {
      EXPECT_EQ(lines_of(process.out()).back() + "\n", s.answers[i]);
    }
  }
  process.close_input();
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(lines_of(result.out).size(), s.rows.size());
}

INSTANTIATE_TEST_SUITE_P(Formats, CliPredictStream, testing::ValuesIn(streams()),
                         [](const auto& one) { return std::string(one.param.name); });

class CliPredictPipe : public CliTest {};

// Half a row is no row yet, wherever the pipe cuts it.
TEST_F(CliPredictPipe, CutAnywhere) {
  dir.write("t.csv", "size,kind,label\n" + twenty("1,u,yes\n-1,v,no\n"));
  train({"t.csv"});
  const std::string text = "size,kind\n1,u\n\n-1,\"v\"\n1,\"\n\nu\"\n-1,v\n-1,v";
  dir.write("whole.csv", text);
  const std::string expected = good({"predict", "m.thresh", "whole.csv"});
  ASSERT_EQ(lines_of(expected).size(), 5U);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    Command predict = command({"predict", "m.thresh", "-"});
    predict.input_pipe = true;
    Process process(predict);
    process.feed(text.substr(0, cut));
    process.run_until([&] { return process.fed() == cut; });
    process.feed(text.substr(cut));
    process.close_input();
    EXPECT_EQ(process.finish().out, expected) << cut;
  }
}

// A block of rows is larger than what a pipe holds, and rows may be longer than a block.
TEST_F(CliPredictPipe, ManyAndLongRows) {
  const std::string rows = random_rows({.rows = 3000, .seed = 5});
  dir.write("a.svm", rows);
  train({"a.svm"});
  std::string longest = "0";
  for (int i = 1; i <= 60000; ++i) longest += " " + std::to_string(i) + ":1";
  const std::string all = rows + longest + "\n" + rows;
  dir.write("all.svm", all);
  const std::string expected = good({"predict", "m.thresh", "all.svm", "--output", "margin"});
  EXPECT_EQ(thresh_reading(all, {"predict", "m.thresh", "-", "--output", "margin"}).out, expected);
}

TEST_F(CliPredictPipe, OneLineARowWhateverCellsHold) {
  dir.write("t.csv", "name,size,label\n" + twenty("a,1,yes\nb,-1,\"no\\\"\n"));
  train({"t.csv", "--id", "name"});
  dir.write("new.csv", "name,size\n\"one\ntwo\",1\n,-1\n");
  EXPECT_EQ(good({"predict", "m.thresh", "new.csv"}), "one\\ntwo\tyes\n\tno\\\\\n");
  const Words json = lines_of(good({"predict", "m.thresh", "new.csv", "--json"}));
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(Json::parse(json[0]).at("id"), "one\ntwo");
  EXPECT_EQ(Json::parse(json[1]).at("label"), "no\\");
}

TEST_F(CliPredictPipe, BadRowsKeepTheirLines) {
  dir.write("t.svm", twenty("1 1:1\n-1 2:1\n"));
  train({"t.svm", "--passes", "5"});
  const std::string rows = "x\n0 1:1\n0 1:x\n0 y\n0 2:1\n0 2:\n";
  dir.write("bad.svm", rows);
  const Words options = {"predict", "m.thresh", "bad.svm", "--on-bad-row", "skip"};
  const Result result = thresh(options);
  EXPECT_EQ(result.out, "\n1\n\n\n-1\n\n");
  EXPECT_TRUE(contains(complaint(result), "4 bad rows"));
  Words json = options;
  json.insert(json.end(), {"--json", "-q"});
  const Words lines = lines_of(good(json));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(Json::parse(lines[0]).at("label").is_null());
}

// A cache has no names of rows, so it is not used.
TEST_F(CliPredictPipe, NamesInSpiteOfACache) {
  dir.write("t.vw", twenty("1 'u| a\n-1 | b\n"));
  train({"t.vw", "--cache"});
  ASSERT_TRUE(exists("t.vw.thresh-cache"));
  EXPECT_EQ(good({"predict", "m.thresh", "t.vw"}), twenty("u\t1\n-1\n"));
  dir.write("t.csv", "name,size,label\n" + twenty("a,1,yes\nb,-1,no\n"));
  train({"t.csv", "--id", "name", "--cache"});
  ASSERT_TRUE(exists("t.csv.thresh-cache"));
  EXPECT_EQ(good({"predict", "m.thresh", "t.csv"}), twenty("a\tyes\nb\tno\n"));
}
