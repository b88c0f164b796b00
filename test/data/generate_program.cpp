// thresh generate: data to order, the same for the same seed.

#include <algorithm>
#include <map>

#include "tools/program.hpp"

class CliGenerate : public CliTest {};

TEST_F(CliGenerate, SeedDecidesEveryByte) {
  for (const char* kind : {"corpus", "gaussian"}) {
    const Words base = {"generate", kind, "--rows", "50", "--features", "30"};
    const auto with = [&](Words more) {
      more.insert(more.begin(), base.begin(), base.end());
      return good(more);
    };
    EXPECT_EQ(with({"--seed", "4"}), with({"--seed", "4"}));
    EXPECT_NE(with({"--seed", "4"}), with({"--seed", "5"}));
    EXPECT_EQ(with({}), with({"--seed", "1"}));
    EXPECT_EQ(lines_of(with({})).size(), 50U);
  }
}

TEST_F(CliGenerate, CorpusIsSparseAndNamed) {
  const Json json =
      good_json({"generate", "corpus", "--rows", "400", "--features", "500", "--informative", "60",
                 "-o", "c.svm", "--names", "c.names", "--truth", "c.tsv", "--json"});
  const std::vector<SvmRow> rows = parse_rows(ScratchDir::slurp(dir.file("c.svm")));
  std::size_t nonzeros = 0, positives = 0;
  for (const SvmRow& row : rows) {
    nonzeros += row.entries.size();
    positives += row.label > 0 ? 1 : 0;
    EXPECT_TRUE(row.label == 1 || row.label == -1);
    EXPECT_TRUE(std::is_sorted(row.entries.begin(), row.entries.end()));
  }
  EXPECT_EQ(json.at("file"), "c.svm");
  EXPECT_EQ(json.at("rows"), rows.size());
  EXPECT_EQ(json.at("features"), 500);
  EXPECT_EQ(json.at("nonzeros"), nonzeros);
  EXPECT_EQ(json.at("positives"), positives);
  EXPECT_EQ(json.at("informative"), 60);
  Words names = lines_of(ScratchDir::slurp(dir.file("c.names")));
  EXPECT_EQ(names.size(), 500U);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(lines_of(ScratchDir::slurp(dir.file("c.tsv"))).size(), 60U);
}

TEST_F(CliGenerate, CorpusCanBeLearned) {
  good({"generate", "corpus", "--rows", "3000", "--features", "1000", "-q", "-o", "c.svm",
        "--names", "c.names"});
  const Json json = good_json({"train", "c.svm", "-o", "m.thresh", "--names", "c.names", "--passes",
                               "3", "--holdout", "20%", "--json", "-q"});
  EXPECT_LT(json.at("valid_error"), 0.3);
  for (const Weight& weight : weights()) EXPECT_FALSE(weight.name.empty());
}

TEST_F(CliGenerate, MoreRowsOnlyAppend) {
  const std::string few = good({"generate", "corpus", "--rows", "100", "--features", "50"});
  const std::string many = good({"generate", "corpus", "--rows", "300", "--features", "50"});
  EXPECT_TRUE(many.starts_with(few));
}

TEST_F(CliGenerate, GaussianIsDenseWithASparseTruth) {
  good({"generate", "gaussian", "--rows", "60", "--features", "20", "--zeros", "75%", "--truth",
        "w.tsv", "-o", "g.svm", "-q"});
  for (const SvmRow& row : parse_rows(ScratchDir::slurp(dir.file("g.svm")))) {
    EXPECT_EQ(row.entries.size(), 20U);
  }
  EXPECT_EQ(lines_of(ScratchDir::slurp(dir.file("w.tsv"))).size(), 5U);
}

TEST_F(CliGenerate, GaussianTruthExplainsNoiselessLabels) {
  good({"generate", "gaussian", "--rows", "200", "--features", "20", "--noise", "0%", "--truth",
        "w.tsv", "-o", "g.svm", "-q"});
  std::vector<Weight> truth;
  for (const std::string& line : lines_of(ScratchDir::slurp(dir.file("w.tsv")))) {
    const std::size_t tab = line.find('\t');
    truth.push_back({std::stoull(line.substr(0, tab)), "", std::stod(line.substr(tab + 1))});
  }
  for (const SvmRow& row : parse_rows(ScratchDir::slurp(dir.file("g.svm")))) {
    EXPECT_EQ(row.label > 0, dot(truth, row) > 0);
  }
}

TEST_F(CliGenerate, GaussianRegressionHasRealLabels) {
  const std::string text =
      good({"generate", "gaussian", "--task", "regression", "--rows", "40", "--features", "5"});
  std::size_t classes = 0;
  for (const SvmRow& row : parse_rows(text)) classes += row.label == 1 || row.label == -1 ? 1 : 0;
  EXPECT_EQ(classes, 0U);
}

TEST_F(CliGenerate, ReportsUnlessTheRowsAreTheOutput) {
  const std::string report = good({"generate", "corpus", "--rows", "9", "-o", "c.svm"});
  EXPECT_TRUE(contains(report, "c.svm: 9 rows"));
  EXPECT_EQ(good({"generate", "corpus", "--rows", "9", "-o", "c.svm", "-q"}), "");
  EXPECT_EQ(good({"generate", "corpus", "--rows", "9"}), ScratchDir::slurp(dir.file("c.svm")));
}

TEST_F(CliGenerate, ImpossibleRequestsAreUsageErrors) {
  for (const Words& wrong : std::vector<Words>{{"corpus", "--rows", "0"},
                                               {"gaussian", "--features", "0"},
                                               {"corpus", "--noise", "5"},
                                               {"corpus", "--noise", "101%"},
                                               {"corpus", "--noise", "-1%"},
                                               {"gaussian", "--zeros", "200%"},
                                               {"gaussian", "--rows", "x"},
                                               {"gaussian", "--task", "foo"}}) {
    Words arguments = {"generate"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    arguments.insert(arguments.end(), {"-o", "x.svm"});
    bad(2, arguments);
    EXPECT_EQ(files(), Words{}) << wrong[1];
  }
}

TEST_F(CliGenerate, FullDiskIsNoticed) {
  EXPECT_TRUE(
      contains(bad(1, {"generate", "corpus", "--rows", "9", "-o", "/dev/full"}), "/dev/full"));
  Command redirected = command({"generate", "gaussian", "--rows", "9", "--features", "9"});
  redirected.output_file = "/dev/full";
  EXPECT_EQ(run(redirected).exit, 1);
}

TEST_F(CliGenerate, SingleStepKnowsItsSize) {
  const Json json = good_json(
      {"generate", "single-step", "--rows", "20", "--norm", "3", "-o", "s.svm", "--json"});
  EXPECT_EQ(json.at("features"), 800);
  EXPECT_EQ(json.at("nonzeros"), 16000);
  EXPECT_EQ(parse_rows(ScratchDir::slurp(dir.file("s.svm"))).size(), 20U);
  EXPECT_TRUE(contains(bad(2, {"generate", "single-step", "--norm", "1"}), "--norm must be"));
}

TEST_F(CliGenerate, ConvertAddsNoiseBehindTheFeatures) {
  dir.write("a.svm", "1 1:2 3:0.5\n-1 2:1\n");
  good({"convert", "a.svm", "--add-noise", "7:dense", "--seed", "5", "-o", "d.svm"});
  const std::vector<SvmRow> rows = parse_rows(ScratchDir::slurp(dir.file("d.svm")));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].entries.size(), 9U);
  EXPECT_EQ(rows[1].entries.size(), 8U);
  EXPECT_EQ(rows[0].entries[1].first, 3U);
  EXPECT_EQ(rows[0].entries.back().first, 10U);
  const Json json =
      good_json({"convert", "a.svm", "--add-noise", "400:sparse", "-o", "s.svm", "--json"});
  EXPECT_EQ(json.at("features"), 403);
  EXPECT_LT(parse_rows(ScratchDir::slurp(dir.file("s.svm")))[0].entries.size(), 80U);
  for (const char* text : {"7", "x:dense", "7:thick", ":dense"}) {
    EXPECT_TRUE(contains(bad(2, {"convert", "a.svm", "--add-noise", text, "-o", "x.svm"}),
                         "write N:sparse or N:dense"));
  }
}

// The rows of a test file get the features that were chosen on the training file.
TEST_F(CliGenerate, ConvertMakesTheSameProbesForOtherRows) {
  dir.write("a.svm", "1 1:2 2:3\n-1 1:1 2:5\n1 1:7 2:1\n");
  dir.write("b.svm", "1 1:11 2:13\n");
  good({"convert", "a.svm", "--probes", "3", "-o", "pa.svm"});
  good({"convert", "b.svm", "--probes", "3", "--probes-of", "a.svm", "-o", "pb.svm"});
  const auto first = parse_rows(ScratchDir::slurp(dir.file("pa.svm")))[0].entries;
  const auto other = parse_rows(ScratchDir::slurp(dir.file("pb.svm")))[0].entries;
  ASSERT_EQ(first.size(), 6U);
  ASSERT_EQ(other.size(), 6U);
  std::map<double, int> counts;
  for (const auto& [index, value] : other) ++counts[value];
  EXPECT_EQ(counts, (std::map<double, int>{{11, 2}, {13, 2}, {143, 2}}));
  // Of each feature the column with the value of its own row is at the same place in both.
  for (const auto& [mine, theirs] : {std::pair{2.0, 11.0}, {3.0, 13.0}, {6.0, 143.0}}) {
    bool together = false;
    for (std::size_t j = 0; j < 6; ++j) {
      together |= first[j].second == mine && other[j].second == theirs;
    }
    EXPECT_TRUE(together) << mine;
  }
  EXPECT_TRUE(contains(bad(2, {"convert", "a.svm", "--probes", "4", "-o", "x.svm"}), "not 4"));
}
