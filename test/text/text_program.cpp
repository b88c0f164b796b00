// Raw text through the whole program: vectorize, train, predict, eval.

#include <filesystem>
#include <fstream>

#include "tools/program.hpp"

namespace {

// Messages of two kinds, some of them in latin-1, some empty. In all tests more than a block.
std::string messages(int first, int last) {
  const Words good = {"meeting", "lunch", "tomorrow", "Thanks", "see", "you", "caf\xe9"};
  const Words bad = {"WIN", "free", "prize", "call", "now", "0800", "\xf0\x9f\x98\x80"};
  std::string lines;
  for (int i = first; i < last; ++i) {
    const bool spam = i % 3 == 0;
    lines += spam ? "spam\t" : "ham\t";
    for (int k = 0; k < i % 8; ++k) {
      const int word = i * 31 + k * k * 17;
      lines += (word % 5 == 0 ? (spam ? good : bad) : (spam ? bad : good))[(word / 5) % 7] + " ";
    }
    lines += "\n";
  }
  return lines;
}

// Lines with three columns or two of which the second is no whole number: weights, not terms.
Words weight_lines(const std::string& model) {
  Words lines;
  std::istringstream in(model);
  bool terms = false;
  std::size_t skip = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("terms ")) skip = std::stoul(line.substr(6)) + 1;
    if (line.starts_with("packed ")) {  // 72 bytes a line
      skip = (std::stoul(line.substr(line.rfind(' '))) + 71) / 72 + 1;
    }
    terms = skip > 0;
    if (skip > 0) --skip;
    const bool head = line.starts_with("thresh-model") || line.starts_with("{");
    if (!terms && !head && !line.starts_with("end ")) lines.push_back(line);
  }
  return lines;
}

std::size_t term_count(const std::string& model) {
  const std::size_t plain = model.find("\nterms "), packed = model.find("\npacked ");
  if (packed != std::string::npos) return std::stoul(model.substr(packed + 8));
  return plain == std::string::npos ? 0 : std::stoul(model.substr(plain + 7));
}

class TextCli : public CliTest {
 protected:
  TextCli() {
    dir.write("train.txt", messages(0, 2500));
    dir.write("test.txt", messages(2500, 2600));
  }
  // Learns from rows that `vectorize` wrote, and from the texts themselves, with the same options.
  void expect_same_either_way(const Words& text_options) {
    Words vectorize = {"vectorize",         "train.txt", "-o",    "train.svm", "--also",
                       "test.txt=test.svm", "--names",   "names", "-q"};
    vectorize.insert(vectorize.end(), text_options.begin(), text_options.end());
    silent(vectorize);
    const std::string by_rows = train({"train.svm", "--names", "names"}, "rows.thresh");
    Words learn = {"train.txt", "--format", "text"};
    learn.insert(learn.end(), text_options.begin(), text_options.end());
    const std::string by_text = train(learn, "text.thresh");
    EXPECT_EQ(weight_lines(by_text), weight_lines(by_rows));
    EXPECT_FALSE(weight_lines(by_text).empty());
    EXPECT_EQ(good({"predict", "text.thresh", "test.txt", "--output", "margin"}),
              good({"predict", "rows.thresh", "test.svm", "--output", "margin"}));
    EXPECT_EQ(good({"eval", "text.thresh", "test.txt"}),
              good({"eval", "text.thresh", "test.svm", "--format", "libsvm"}));
  }
};

TEST_F(TextCli, RowsOrTextsGiveTheSameModel) {
  expect_same_either_way({});
  expect_same_either_way({"--ngrams", "1:2", "--min-df", "2", "--stop-words", "english"});
  expect_same_either_way({"--chars", "2:4", "--tf", "log", "--max-df", "50%"});
  expect_same_either_way({"--norm", "none", "--keep-case", "--no-idf", "--min-length", "1"});
  expect_same_either_way({"--norm", "none"});
}

TEST_F(TextCli, HashedTermsToo) {
  expect_same_either_way({"--hash-bits", "18"});
  expect_same_either_way({"--hash-bits", "5", "--norm", "none", "--ngrams", "1:2"});
  expect_same_either_way({"--hash-bits", "18", "--no-idf"});
  EXPECT_EQ(term_count(dir.slurp(dir.file("text.thresh"))), 0) << "nothing has to be known";
}

TEST_F(TextCli, PredictionsAreWordsAndLabelsMayBeMissing) {
  train({"train.txt", "--format", "text"});
  dir.write("new.txt", "free prize call now\n\nham\tfree prize call now\nmeeting tomorrow\n");
  EXPECT_EQ(good({"predict", "m.thresh", "new.txt"}), "spam\nham\nspam\nham\n");
  EXPECT_EQ(thresh_reading("see you at the meeting\n", {"predict", "m.thresh", "-"}).out, "ham\n");
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "new.txt"}), "new.txt:1: no label"));
  dir.write("other.txt", "junk\tfree\n");
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "other.txt"}), "other.txt:1: label 'junk'"));
}

TEST_F(TextCli, OnlyWhatAModelNeedsTravelsInIt) {
  const std::string whole = train({"train.txt", "--format", "text", "--features", "5"});
  EXPECT_GT(term_count(whole), weight_lines(whole).size()) << "lengths of rows need all terms";
  const std::string part =
      train({"train.txt", "--format", "text", "--features", "5", "--norm", "none"});
  EXPECT_EQ(term_count(part), weight_lines(part).size());
}

TEST_F(TextCli, AFolderIsReadAsText) {
  int number = 0;
  std::istringstream in(messages(0, 60));
  for (std::string line; std::getline(in, line); ++number) {
    const std::size_t tab = line.find('\t');
    const auto folder = dir.path / "mail" / line.substr(0, tab);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / std::to_string(1000 + number)) << line.substr(tab + 1) << "\n";
  }
  train({"mail"});
  dir.write("t", "ham\tmeeting lunch see you\nspam\tfree prize call now\n");
  EXPECT_EQ(good_json({"eval", "m.thresh", "t", "--json"}).at("rows"), 2);
  EXPECT_EQ(good_json({"eval", "m.thresh", "mail", "--json"}).at("rows"), 60);
}

TEST_F(TextCli, APipeIsReadTwice) {
  const std::string from_file = train({"train.txt", "--format", "text"});
  const Result piped = thresh_reading(
      messages(0, 2500),
      {"train", "-", "--format", "text", "-o", "p.thresh", "-q", "--solver", default_solver});
  EXPECT_EQ(piped.exit, 0) << piped;
  EXPECT_EQ(dir.slurp(dir.file("p.thresh")), from_file);
}

TEST_F(TextCli, AModelGoesOnFromWhereItWas) {
  train({"train.txt", "--format", "text", "--passes", "1"});
  train({"test.txt", "--format", "text", "--from", "m.thresh", "--passes", "1"}, "n.thresh");
  EXPECT_EQ(term_count(dir.slurp(dir.file("n.thresh"))),
            term_count(dir.slurp(dir.file("m.thresh"))));
  EXPECT_EQ(good_json({"eval", "n.thresh", "test.txt", "--json"}).at("rows"), 100);
}

TEST_F(TextCli, TextsAreForModelsOfTexts) {
  dir.write("a.vw", "1 | a b\n-1 | c\n");
  train({"a.vw"});
  EXPECT_EQ(bad(2, {"predict", "m.thresh", "test.txt", "--format", "text"}),
            "thresh: --format text: the model was trained on vw data");
  train({"train.txt", "--format", "text"});
  EXPECT_EQ(bad(2, {"predict", "m.thresh", "a.vw", "--format", "vw"}),
            "thresh: --format vw: the model was trained on text data");
}

TEST_F(TextCli, SelectionWorksOnTexts) {
  good({"cv", "train.txt", "--format", "text", "--solver", "cd", "--folds", "3"});
  good({"frontier", "train.txt", "--format", "text", "--budgets", "2,5", "--test", "test.txt"});
  good({"tune", "train.txt", "--format", "text", "--solver", "ftrl", "--grid", "eta=0.1,1", "-o",
        "t.thresh"});
}

TEST_F(TextCli, VectorizeWritesWhatItFound) {
  dir.write("t", "b\tOne two\na\ttwo three\n");
  const Json report = good_json({"vectorize", "t", "-o", "r", "--names", "n", "--vocabulary", "v",
                                 "--labels", "l", "--no-idf", "--norm", "none", "--json"});
  EXPECT_EQ(dir.slurp(dir.file("r")), "1 1:1 3:1\n0 2:1 3:1\n");
  EXPECT_EQ(dir.slurp(dir.file("n")), "one\nthree\ntwo\n");
  EXPECT_EQ(dir.slurp(dir.file("v")), "1\t1\tone\n2\t1\tthree\n3\t2\ttwo\n");
  EXPECT_EQ(dir.slurp(dir.file("l")), "a\nb\n");
  EXPECT_EQ(report.at("features"), 3);
  EXPECT_EQ(report.at("labels"), (Json{"a", "b"}));
}

TEST_F(TextCli, BadUsageIsOneLine) {
  const auto refused = [&](Words options) {
    Words all = {"train", "train.txt", "--features", "3"};
    all.insert(all.end(), options.begin(), options.end());
    return bad(2, all);
  };
  EXPECT_EQ(refused({"--ngrams", "1:2"}),
            "thresh: --ngrams applies only to --format text and to tables with --text");
  EXPECT_EQ(refused({"--format", "text", "--ngrams", "2:1"}),
            "thresh: --ngrams 2:1: write SHORTEST:LONGEST, such as 1:2");
  EXPECT_EQ(refused({"--format", "text", "--min-df", "1.5"}),
            "thresh: --min-df 1.5: write a number of documents or a share, such as 2 or 50%");
  EXPECT_EQ(refused({"--format", "text", "--normalize", "l2"}),
            "thresh: --normalize does not apply to texts; use --norm");
  EXPECT_EQ(refused({"--format", "text", "--chars", "3", "--stop-words", "english"}),
            "thresh: stop words do not apply to character n-grams");
  EXPECT_EQ(bad(2, {"vectorize", "train.txt", "-o", "x", "--also", "test.txt"}),
            "thresh: --also test.txt: write TEXT=OUTPUT");
  EXPECT_FALSE(exists("x"));
  EXPECT_EQ(bad(2, {"vectorize", "train.txt", "-o", "./train.txt"}),
            "thresh: the rows would overwrite the text: ./train.txt");
}

}  // namespace
