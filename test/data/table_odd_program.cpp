// Tables as programs and people write them: other separators, marks, line ends and notations.

#include <fmt/format.h>

#include "tools/program.hpp"

namespace {

// 300 rows that size and colour decide; `end` ends each line, `comma` stands between cells.
std::string shop(const std::string& comma = ",", const std::string& end = "\n") {
  const Words cells = {"size", "colour", "price", "label"};
  std::string text = fmt::format("{}{}", fmt::join(cells, comma), end);
  for (int i = 0; i < 300; ++i) {
    const int size = (i * 37) % 100, price = (i * 53) % 89;
    const bool red = i % 3 == 0;
    text += fmt::format("{1}.25{0}{2}{0}{3}.5{0}{4}{5}", comma, size, red ? "red" : "blue", price,
                        size + (red ? 30 : 0) > 60 ? "yes" : "no", end);
  }
  return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace

class CliOddTable : public CliTest {
 protected:
  CliOddTable() { default_solver = ""; }

  std::vector<Weight> learned(const std::string& text, Words more = {}) {
    dir.write("t.csv", text);
    more.insert(more.begin(), {"train", "t.csv", "-q", "-o", "m.thresh", "--features", "2"});
    const Result result = thresh(more);
    EXPECT_EQ(result.exit, 0) << result;
    return weights();
  }
  std::string refused(const std::string& text, Words more = {}) {
    dir.write("t.csv", text);
    more.insert(more.begin(), {"train", "t.csv", "-q"});
    return bad(1, more);
  }
  std::string note(const std::string& text) {
    dir.write("t.csv", text);
    return thresh({"train", "t.csv", "--features", "2", "-o", "m.thresh"}).err;
  }
};

TEST_F(CliOddTable, GivesTheSameModelHoweverItIsWritten) {
  const std::vector<Weight> expected = learned(shop());
  ASSERT_EQ(expected.size(), 2U);
  EXPECT_EQ(learned("\xef\xbb\xbf" + shop()), expected) << "byte order mark";
  EXPECT_EQ(learned(shop(",", "\r\n")), expected);
  EXPECT_EQ(learned(shop(", ")), expected) << "blanks";
  EXPECT_EQ(learned(shop(",", "\n\n")), expected) << "empty lines";
  EXPECT_EQ(learned(shop(";"), {"--delimiter", ";"}), expected);
  EXPECT_EQ(learned(shop("|"), {"--delimiter", "|"}), expected);
  EXPECT_EQ(learned(shop("\t"), {"--delimiter", "tab"}), expected);
  EXPECT_EQ(learned(shop("\t"), {"--format", "tsv"}), expected);
  EXPECT_EQ(learned(shop(",", ",\n")), expected) << "an empty column";
  const std::string quoted = replaced(replaced(shop(), "red", "\"re,\n\"\"d\""), "blue", "\"b\"");
  const std::vector<Weight> of_quoted = learned(quoted);
  ASSERT_EQ(of_quoted.size(), 2U);
  EXPECT_EQ(of_quoted[0].value, expected[0].value);
}

TEST_F(CliOddTable, AHintTellsTheSeparator) {
  EXPECT_TRUE(contains(refused(shop(";")),
                       "'size;colour;price;label', would be the label (cells "
                       "seem to be separated by ';': use --delimiter ';')"));
  EXPECT_TRUE(contains(refused(shop("|")), "use --delimiter '|'"));
  EXPECT_TRUE(contains(refused(shop("\t")), "use --delimiter tab"));
  EXPECT_TRUE(contains(refused("label\nyes\nno\n"), "(see --delimiter)"));
}

TEST_F(CliOddTable, AHintTellsTheEncoding) {
  std::string wide = "\xff\xfe";
  for (const char c : shop()) wide += {c, '\0'};
  EXPECT_TRUE(contains(refused(wide), "t.csv: the file is UTF-16; iconv -f utf-16"));
  EXPECT_TRUE(contains(refused(replaced(shop(), "size",
                                        "gr\xf6\xdf"
                                        "e")),
                       "column 1 is not UTF-8 (iconv -f latin1"));
  EXPECT_TRUE(
      contains(refused(shop(",", "\r")), "t.csv:1: lines end with a carriage return alone"));
}

// People's numbers are words here. That must be said.
TEST_F(CliOddTable, NumbersInOtherNotationsAreNamed) {
  const auto table = [&](const auto& price) {
    std::string text = "size,price,label\n";
    for (int i = 0; i < 200; ++i) {
      text += fmt::format("{},\"{}\",{}\n", i % 17, price(i), i % 17 > 8 ? "yes" : "no");
    }
    return text;
  };
  const auto of = [](const char* form) {
    return [=](int i) { return fmt::format(fmt::runtime(form), 100 + i, i % 10); };
  };
  for (const char* form :
       {"{},{}", "1,{}.{}", "${}.{}", "{}.{}%", "\xe2\x82\xac {},{}", "-{},{}", "1.{},{}"}) {
    const std::string first = fmt::format(fmt::runtime(form), 100, 0);
    const std::string said = note(table(of(form)));
    EXPECT_TRUE(
        contains(said, fmt::format("left out: price (numbers as '{}', which are words here; "
                                   "1234.5 is a number)",
                                   first)))
        << said;
  }
  for (const char* form : {"10.{}.{}.1", "a{}{}", "{}:{}", "{}-x{}"}) {
    EXPECT_TRUE(contains(note(table(of(form))), "left out: price (ids, nearly unique)")) << form;
  }
}

TEST_F(CliOddTable, MistakesSayWhatToDo) {
  EXPECT_TRUE(contains(refused(replaced(shop(), "no\n", "\n")),
                       "no label in column label (--on-bad-row skip leaves such rows out)"));
  EXPECT_TRUE(contains(refused(shop(), {"--label", "colours"}),
                       "no column 'colours' for --label; the columns are 'size', 'colour', "
                       "'price', 'label'"));
  EXPECT_TRUE(contains(refused(shop(), {"--ignore", "OLO"}), "for --ignore; there is 'colour'"));
  EXPECT_TRUE(contains(refused(replaced(shop(), "size", "my size"), {"--numeric", "colour"}),
                       "use --categorical colour;"));
  EXPECT_TRUE(contains(refused(replaced(shop(), "colour", "my colour"), {"--numeric", "my colour"}),
                       "use --categorical 'my colour';"));
  dir.write("t.csv", shop());
  EXPECT_EQ(bad(2, {"train", "t.csv", "--label", "size", "--label", "price"}),
            "thresh: --label is given more than once");
  EXPECT_TRUE(
      contains(bad(2, {"train", "t.csv", "--seperator", ";"}), "did you mean --delimiter?"));
  learned(shop());
  dir.write("other.csv", "SIZE,COLOUR\n1,red\n");
  EXPECT_TRUE(contains(bad(1, {"predict", "m.thresh", "other.csv"}), "nor another; there is "));
  dir.write("other.csv", "a,b\n1,red\n");
  EXPECT_TRUE(contains(bad(1, {"predict", "m.thresh", "other.csv"}), "; the columns are 'a', 'b'"));
}

// One row, no rows, a target that never changes.
TEST_F(CliOddTable, HardlyAnyData) {
  EXPECT_TRUE(contains(refused("a,label\n1,x\n"), "every row has the label x"));
  EXPECT_TRUE(contains(refused("a,label\n"), "no rows"));
  EXPECT_TRUE(contains(refused(""), "no rows"));
  std::string same = "a,b,y\n";
  for (int i = 0; i < 50; ++i) same += fmt::format("{},{},5\n", i % 7, i % 3);
  EXPECT_TRUE(contains(refused(same), "every row has the label 5"));
  dir.write("t.csv", same);
  const Result result = thresh({"train", "t.csv", "--task", "regression", "-q", "-o", "m.thresh"});
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(weights().empty());
  EXPECT_EQ(lines_of(good({"predict", "m.thresh", "t.csv"}))[0], "5");
}
