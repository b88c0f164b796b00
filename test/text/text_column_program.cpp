// A column of text beside other columns: train --text.

#include <fmt/format.h>

#include "tools/program.hpp"

class CliTextColumn : public CliTest {
 protected:
  CliTextColumn() { default_solver = ""; }

  // Spam has "prize" or comes at night.
  static std::string mails(int first, int rows) {
    std::string text;
    for (int i = first; i < first + rows; ++i) {
      const bool prize = i % 3 == 0, night = i % 5 == 0;
      text += fmt::format("{},{},\"{} the {}, {}\",{}\n", night ? 2 : 10 + i % 9,
                          i % 2 == 0 ? "home" : "work", i % 4 < 2 ? "see" : "claim",
                          prize ? "prize" : "meeting", i % 7 < 3 ? "now" : "today",
                          prize || night ? "spam" : "ham");
    }
    return text;
  }
  static constexpr const char* kHead = "hour,place,message,kind\n";
  void write_mails() {
    dir.write("a.csv", kHead + mails(0, 400));
    dir.write("b.csv", kHead + mails(400, 200));
  }
  double error(const std::string& model, const std::string& data) {
    return good_json({"eval", model, data, "--json"}).at("error");
  }
};

TEST_F(CliTextColumn, IsReadBesideTheOthers) {
  write_mails();
  const Result told =
      thresh({"train", "a.csv", "-o", "m.thresh", "--text", "message", "--features", "3"});
  EXPECT_TRUE(contains(told.err, "different terms of text: message 7")) << told.err;
  EXPECT_EQ(told.exit, 0) << told.err;
}

TEST_F(CliTextColumn, GivesModelsThatReadItThemselves) {
  write_mails();
  const Words learn{"train", "a.csv", "--text", "message", "-q", "--categorical", "hour"};
  const auto with = [&](Words more) {
    Words all = learn;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  good(with({"-o", "m.thresh", "--features", "4"}));
  EXPECT_LT(error("m.thresh", "b.csv"), 0.05);
  bool prize = false;
  for (const Weight& weight : weights()) prize |= weight.name == "message:prize";
  EXPECT_TRUE(prize);
  EXPECT_TRUE(contains(good({"explain", "m.thresh", "b.csv"}), "message:prize = "));
  // In any order, without the label, from a pipe, and without a column.
  dir.write("c.csv", "message,hour\n\"claim the prize, now\",12\n\"see the meeting, now\",12\n");
  EXPECT_EQ(good({"predict", "m.thresh", "c.csv"}), "spam\nham\n");
  const Result piped =
      thresh_reading(ScratchDir::slurp(dir.file("c.csv")), {"predict", "m.thresh", "-"});
  EXPECT_EQ(piped.out, "spam\nham\n");
  const Result none = thresh_reading("hour\n12\n", {"predict", "m.thresh", "-"});
  EXPECT_TRUE(contains(none.err, "counted as missing in every row: column message")) << none.err;
  // A file, a pipe, hashes, other values: all read their own rows.
  for (const Words& more : std::vector<Words>{{"--hash-bits", "18"},
                                              {"--norm", "none", "--no-idf", "--tf", "log"},
                                              {"--ngrams", "1:2", "--min-df", "2"},
                                              {"--chars", "3:4"},
                                              {"--stem", "english", "--stop-words", "english"}}) {
    Words all = with({"-o", "n.thresh", "--features", "6"});
    all.insert(all.end(), more.begin(), more.end());
    good(all);
    EXPECT_LT(error("n.thresh", "b.csv"), 0.05) << more[0];
  }
  good(with({"-o", "v.thresh", "--solver", "l1", "--lambda-ratio", "0.05", "--certify", "--norm",
             "none"}));
  EXPECT_TRUE(contains(good({"verify", "v.thresh", "a.csv"}), "the certificate holds"));
  good({"cv", "a.csv", "--text", "message", "--features", "3", "-q"});
  good({"frontier", "a.csv", "--text", "message", "--budgets", "1,3", "-q"});
  good(with({"-o", "w.thresh", "--valid", "b.csv"}));
}

TEST_F(CliTextColumn, FilesAndPipesGiveTheSameModel) {
  write_mails();
  const Words more{"--text", "message", "--features", "5", "-q"};
  Words file{"train", "a.csv", "-o", "m.thresh"};
  Words pipe{"train", "-", "--format", "csv", "-o", "p.thresh"};
  for (Words* all : {&file, &pipe}) all->insert(all->end(), more.begin(), more.end());
  good(file);
  EXPECT_EQ(thresh_reading(ScratchDir::slurp(dir.file("a.csv")), pipe).exit, 0);
  EXPECT_EQ(weights("p.thresh"), weights());
  EXPECT_EQ(good({"predict", "p.thresh", "b.csv"}), good({"predict", "m.thresh", "b.csv"}));
  // A cache has no texts, so none is used, though one is there.
  good({"train", "a.csv", "--cache", "--ignore", "message", "-q", "-o", "c.thresh"});
  EXPECT_EQ(good({"predict", "m.thresh", "a.csv"}),
            good({"predict", "m.thresh", "a.csv", "--no-cache"}));
}

TEST_F(CliTextColumn, WithoutItIsReportedWithTheOption) {
  std::string text = "note,n,y\n";
  for (int i = 0; i < 100; ++i)
    text += fmt::format("a long note about {},{},{}\n", i, i % 9, i % 2);
  dir.write("a.csv", text);
  const Result told = thresh({"train", "a.csv", "--features", "1", "-o", "m.thresh"});
  EXPECT_TRUE(contains(told.err, "note (free text; use --text \"note\")")) << told.err;
}

TEST_F(CliTextColumn, MistakesAreNamed) {
  write_mails();
  const auto refused = [&](int exit, Words more, const std::string& why) {
    more.insert(more.begin(), {"train", "a.csv", "-q"});
    const std::string line = bad(exit, more);
    EXPECT_TRUE(contains(line, why)) << line;
  };
  refused(1, {"--text", "Message"}, "a.csv: no column 'Message' for --text; there is 'message'");
  refused(2, {"--text", "message,message"}, "--text names column 'message' twice");
  refused(2, {"--text", "message", "--categorical", "message"},
          "given to --categorical and to --text");
  refused(2, {"--text", "kind", "--label", "kind"},
          "column 'kind' is given to --text and to --label");
  refused(1, {"--text", "message", "--min-df", "1000"},
          "a.csv: no term of column 'message' satisfies");
  refused(2, {"--ngrams", "1:2"},
          "--ngrams applies only to --format text and to tables with --text");
  std::string text = "gone,n,y\n";
  for (int i = 0; i < 50; ++i) text += fmt::format(",{},{}\n", i % 3, i % 2);
  dir.write("gone.csv", text);
  EXPECT_TRUE(contains(bad(1, {"train", "gone.csv", "--text", "gone", "-q"}),
                       "all cells of column 'gone' are missing, which --text names"));
  dir.write("x.svm", "1 1:1\n-1 2:1\n");
  EXPECT_TRUE(contains(bad(2, {"train", "x.svm", "--text", "n", "-q"}), "--text applies only"));
  EXPECT_TRUE(contains(bad(2, {"cache", "a.csv", "--text", "message", "-o", "c"}),
                       "a cache holds no text columns"));
  good({"train", "a.csv", "--text", "message", "-q", "--features", "3", "-o", "m.thresh"});
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "sql", "-o", "x"}), "text"));
  good({"cache", "a.csv", "-o", "a.cache", "-q"});
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "a.cache"}), "its columns differ"));
}

TEST_F(CliTextColumn, DamagedModelsAreRefused) {
  write_mails();
  good({"train", "a.csv", "--text", "message", "-q", "--features", "3", "-o", "m.thresh"});
  const std::string text = ScratchDir::slurp(dir.file("m.thresh"));
  EXPECT_TRUE(text.starts_with("thresh-model 6\n"));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\npacked ", "\npacked 9"},
           {"\nterms ", "\nterms 9"},
           {"\"unit\":\"words\"", "\"unit\":\"w\""},
           {"\"texts\":{\"message\"", "\"texts\":{\"massage\""},
           {"thresh-model 6", "thresh-model 5"}}) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    if (at == std::string::npos) continue;
    changed.replace(at, from.size(), to);
    dir.write("x.thresh", changed);
    bad(1, {"predict", "x.thresh", "a.csv"});
  }
}
