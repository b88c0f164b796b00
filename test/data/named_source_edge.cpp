// Files in which features have names: ids, labels, weights, lines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "data/names/named_source.hpp"
#include "sparse/random.hpp"
#include "thresh/fit.hpp"
#include "tools/error_of.hpp"
#include "tools/pack.hpp"
#include "tools/scratch.hpp"

namespace thresh::named_source_edge {
namespace {

class Named : public testing::Test {
 protected:
  Problem open(const std::string& name, const std::string& content, ReadOptions options = {}) {
    return open_problem(dir.write(name, content), "", options);
  }
  std::string error(const std::string& name, const std::string& content, ReadOptions options = {}) {
    return error_of([&] { open(name, content, options); }).substr(dir.path.string().size() + 1);
  }

  // A row as a map from names to values.
  using Features = std::map<std::string, double>;
  struct Seen {
    double label;
    double weight;
    std::uint64_t line;
    Features features;
  };
  static std::vector<Seen> rows(const Problem& problem) {
    std::map<std::uint64_t, std::string> names;
    problem.vocabulary->for_each(
        [&](std::uint64_t id, std::string_view name) { names[id] = name; });
    std::vector<Seen> seen;
    for (std::size_t k = 0; const BlockPtr block = problem.train->block(k); ++k) {
      for (std::size_t i = 0; i < block->rows(); ++i) {
        const Row row = block->row(i);
        Seen& one = seen.emplace_back(Seen{row.label, row.weight, block->lines[i], {}});
        for (std::size_t e = 0; e < row.size; ++e) {
          one.features[names.at(problem.features->id(row.slots[e]))] = row.values[e];
        }
      }
    }
    return seen;
  }

  ScratchDir dir;
};

// A table is read twice: what its columns are, then its rows. In between another program puts
// `later` in its place.
std::size_t rows_if_replaced(ScratchDir& dir, const std::string& text, const std::string& later) {
  ReadOptions options;
  options.on_read = [&, replaced = false](std::uint64_t) mutable {
    if (!std::exchange(replaced, true)) {
      std::filesystem::rename(dir.write("later", later), dir.file("a.csv"));
    }
  };
  const Problem problem = open_problem(dir.write("a.csv", text), "", options);
  std::size_t rows = 0;
  for (std::size_t k = 0; const BlockPtr block = problem.train->block(k); ++k)
    rows += block->rows();
  return rows;
}

TEST_F(Named, ATableReplacedBetweenItsTwoReadingsIsReported) {
  const std::string text = "y,a,b\n1,0.5,x\n0,0.7,z\n1,0.1,x\n0,0.9,z\n";
  const std::string changed = dir.file("a.csv") + ": the file changed while it was being read";
  std::string other = text;
  std::ranges::replace(other, '7', '2');
  for (const std::string& later : {other, text.substr(0, text.size() - 9), std::string()}) {
    EXPECT_EQ(error_of([&] { rows_if_replaced(dir, text, later); }), changed) << later;
  }
  EXPECT_EQ(rows_if_replaced(dir, text, text), 4u);
  EXPECT_EQ(rows_if_replaced(dir, text, text + "1,0.3,x\n"), 4u) << "it has only grown";
}

TEST_F(Named, TheNameOfTheFileSaysWhatItIs) {
  EXPECT_EQ(format_of("a.vw"), Format::vw);
  EXPECT_EQ(format_of("x/a.csv.gz"), Format::csv);
  EXPECT_EQ(format_of("a.tsv.zst"), Format::tsv);
  EXPECT_EQ(format_of("a.csv.xz"), Format::csv);
  EXPECT_EQ(format_of("a.svm"), Format::libsvm);
  EXPECT_EQ(format_of("csv"), Format::libsvm);
  EXPECT_EQ(format_of("-"), Format::libsvm);
  EXPECT_EQ(format_of(dir.path.string()), Format::text);
  EXPECT_EQ(format_of("a.svm", Format::vw), Format::vw);
}

TEST_F(Named, VwRows) {
  const Problem problem = open("a.vw",
                               "1 2 'first|a:2 x:3 y |b x\r\n"
                               "\n"
                               "-1 tag| x:0.5 x:0.25 z:0\n"
                               "-1 1 0 |a x:-1 x:1");
  const std::vector<Seen> seen = rows(problem);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].features, (Features{{"a^x", 6}, {"a^y", 2}, {"b^x", 1}}));
  EXPECT_EQ(seen[1].features, (Features{{"x", 0.75}}));  // named twice: both count
  EXPECT_EQ(seen[2].features, Features{});
  EXPECT_EQ(seen[1].line, 3U);
  EXPECT_EQ(seen[0].weight, 1.5);  // of a mean of 4/3
  EXPECT_EQ(seen[1].weight, 0.75);
  EXPECT_EQ(problem.train->survey()->dimension, 5U);
  EXPECT_EQ(problem.train->survey()->labels.size(), 2U);
}

// Whole blocks may have none of their own.
TEST_F(Named, WeightsAreRelativeInEveryBlock) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += i < 2000 ? "1 |a x\n" : "-1 3 |a y\n";
  const std::vector<Seen> seen = rows(open("a.vw", text));
  ASSERT_EQ(seen.size(), 4000U);
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].weight, i < 2000 ? 0.5 : 1.5);
}

TEST_F(Named, TableRows) {
  const Problem problem = open("a.csv",
                               "\xef\xbb\xbf"
                               "age,colour,class\r\n"
                               "42,red,good\r\n"
                               ",\"blue, \"\"navy\"\"\",bad\r\n"
                               "NA,,good\r\n"
                               "1e2,red,ugly\r\n");
  const std::vector<Seen> seen = rows(problem);
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0].features, (Features{{"age", 42}, {"colour=red", 1}}));
  EXPECT_EQ(seen[1].features, (Features{{"age", 71}, {"colour=blue, \"navy\"", 1}}));
  EXPECT_EQ(seen[2].features, (Features{{"age", 71}}));
  EXPECT_EQ(seen[3].features, (Features{{"age", 100}, {"colour=red", 1}}));
  EXPECT_EQ(problem.train->survey()->label_names,
            (std::vector<std::string>{"bad", "good", "ugly"}));
  EXPECT_EQ(seen[0].label, 1);
  EXPECT_EQ(seen[1].label, 0);
  EXPECT_EQ(seen[3].label, 2);
  EXPECT_NE(problem.vocabulary->note.find("the label is column class"), std::string::npos);
}

TEST_F(Named, TheLabelMayBeAnyColumn) {
  ReadOptions options;
  const std::string text = "a,Target,c\n1,7,3\n";
  EXPECT_EQ(rows(open("a.csv", text)).at(0).label, 7);
  options.table.label = "c";
  EXPECT_EQ(rows(open("a.csv", text, options)).at(0).label, 3);
  options.table.label = "1";
  EXPECT_EQ(rows(open("a.csv", text, options)).at(0).label, 1);
  options.table.label = "d";
  EXPECT_TRUE(error("a.csv", text, options)
                  .starts_with("a.csv: no column 'd' for --label; the columns are "));
  options = {};
  options.table.header = false;
  options.table.categorical = {"2"};
  const auto seen = rows(open("a.csv", "5,6,7\n", options));
  EXPECT_EQ(seen.at(0).label, 7);
  EXPECT_EQ(seen.at(0).features, (Features{{"1", 5}, {"2=6", 1}}));
  options.table.delimiter = ';';
  EXPECT_EQ(rows(open("a.csv", "5;6;7\n", options)).at(0).label, 7);
  EXPECT_EQ(rows(open("a.tsv", "x\ty\n5\t1\n")).at(0).features, (Features{{"x", 5}}));
}

TEST_F(Named, LabelsAreNumbersOnlyIfAllAre) {
  EXPECT_EQ(rows(open("a.csv", "x,y\n1,10\n1,9\n1,+1e1\n")).at(2).label, 10);
  const Problem mixed = open("b.csv", "x,y\n1,10\n1,9\n1,x\n1,10.0\n");
  EXPECT_EQ(mixed.train->survey()->label_names, (std::vector<std::string>{"10", "9", "x"}));
  const auto seen = rows(mixed);
  EXPECT_EQ(seen.at(0).label, 0);
  EXPECT_EQ(seen.at(1).label, 1);
  EXPECT_EQ(seen.at(3).label, 0);
}

TEST_F(Named, BadRowsAreNamedOrSkipped) {
  const std::string text = "x,y\n1,a\n\n2\nword,b\n3,b\n";
  EXPECT_EQ(error("a.csv", "n,x,y\n1,2,a\n\"1\n\",2\n"),
            "a.csv:3: 2 cells in a table of 3 columns");
  ReadOptions skip;
  skip.skip_bad_rows = true;
  const Problem problem = open("b.csv", text, skip);
  EXPECT_EQ(problem.train->survey()->bad_rows, 1U);
  EXPECT_EQ(rows(problem).size(), 3U);  // a word among the first rows makes x categorical
  EXPECT_EQ(error("a.vw", "1 | a\n1 2 3 | a\n"), "a.vw:2: a base other than 0 is not supported");
  EXPECT_EQ(error("a.vw", "1 | a\n1| a\n"),
            "a.vw:2: no label (a blank must separate it from the |)");
  EXPECT_EQ(error("a.vw", "1 1:2 3:4\n"),
            "a.vw:1: no | before the features (is this VW text? see --format)");
  EXPECT_EQ(error("a.csv", "x,y\n1,\"a\nb"), "a.csv:2: a quote is opened and not closed");
  EXPECT_EQ(error("a.csv", "x,y\n1,a\x01\n"), "a.csv:2: label 'a?' is not plain UTF-8 text");
  EXPECT_EQ(error("a.csv", "x,x\n1,a\n"),
            "a.csv:1: two columns are called 'x' (if the first line holds data, use --no-header)");
}

TEST_F(Named, AWordAmongNumbersIsAnErrorAndNotAnotherMeaning) {
  std::string text = "x,y\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("{},{}\n", i, i % 2);
  EXPECT_EQ(error("a.csv", text + "many,1\n"),
            "a.csv:3002: 'many' in column x is not a finite number (for a categorical column, use "
            "--categorical x; if it means nothing, --na 'many')");
  ReadOptions options;
  options.table.categorical = {"x"};
  EXPECT_EQ(rows(open("a.csv", text + "many,1\n", options)).back().features,
            (Features{{"x=many", 1}}));
}

TEST_F(Named, CellsMayHoldLineFeedsAndLinesAreStillCounted) {
  std::string text = "\n\"the\nname\",y\n";
  for (int i = 0; i < 3000; ++i) text += fmt::format("\"a\n{}\",{}\n", i % 5, i % 2);
  const Problem problem = open("a.csv", text);
  EXPECT_EQ(problem.train->survey()->rows, 3000U);
  const std::vector<Seen> seen = rows(problem);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].line, 4 + 2 * i);
    EXPECT_EQ(seen[i].features, (Features{{fmt::format("the\nname=a\n{}", i % 5), 1}}));
  }
  const BlockPtr second = problem.train->block(1);
  EXPECT_EQ(second->ids.front(), 1024U);  // the header is no row
}

TEST_F(Named, NothingIsNoRows) {
  for (const char* text : {"", "\n\n", "\r\n"}) {
    for (const char* name : {"a.vw", "a.csv"}) {
      EXPECT_EQ(open(name, text).train->survey()->rows, 0U);
    }
  }
  EXPECT_EQ(open("a.csv", "x,y\n").train->survey()->rows, 0U);
}

// Many blocks, many threads, compressed or not: what comes out is the same.
TEST_F(Named, IdsFollowTheOrderOfTheFile) {
  Random random(3);
  std::string text;
  std::vector<std::string> expected;
  std::set<std::string> met;
  for (int i = 0; i < 20'000; ++i) {
    text += i % 2 == 0 ? "1 |" : "-1 |";
    for (int k = 0; k < 5; ++k) {
      const std::string name = fmt::format("w{}", random.below(1 + static_cast<std::uint64_t>(i)));
      text += " " + name;
      if (met.insert(name).second) expected.push_back(name);
    }
    text += '\n';
  }
  for (const auto& [name, content] : std::map<std::string, std::string>{
           {"a.vw", text}, {"a.vw.gz", pack::gzip(text)}, {"a.vw.xz", pack::xz(text)}}) {
    const Problem problem = open(name, content);
    EXPECT_GT(problem.train->survey()->blocks, 8U);
    std::vector<std::string> names;
    problem.vocabulary->for_each([&](std::uint64_t id, std::string_view word) {
      EXPECT_EQ(id, names.size());
      names.emplace_back(word);
    });
    EXPECT_EQ(names, expected);
  }
}

}  // namespace
}  // namespace thresh::named_source_edge
