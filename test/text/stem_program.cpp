// --stem in the program: training, the model, prediction and refusals.

#include "tools/program.hpp"

class CliStem : public CliTest {};

TEST_F(CliStem, PredictionStemsAsTrainingDid) {
  dir.write("a.tsv",
            "yes\twinning prizes\nno\tmeeting friends\nyes\twins prize\nno\tmeets friend\n");
  silent({"train", "a.tsv", "--format", "text", "--stem", "english", "--solver",
          "margin-perceptron", "-q", "-o", "m.thresh"});
  EXPECT_TRUE(contains(ScratchDir::slurp(dir.file("m.thresh")), R"("stem":"english")"));
  dir.write("new.txt", "winner won prized wins\nmeetings with friendly friends\n");
  EXPECT_EQ(good({"predict", "m.thresh", "new.txt"}), "yes\nno\n");
  silent({"train", "a.tsv", "--format", "text", "--solver", "margin-perceptron", "-q", "-o",
          "plain.thresh"});
  EXPECT_FALSE(contains(ScratchDir::slurp(dir.file("plain.thresh")), "stem"));
  good({"vectorize", "a.tsv", "--stem", "porter", "-o", "v.svm", "--names", "v.names", "-q"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("v.names")), "friend\nmeet\nprize\nwin\n");
}

TEST_F(CliStem, RefusesWhatItCannotDo) {
  dir.write("a.tsv", "yes\tx y\nno\tz\n");
  const auto refused = [&](Words more) {
    Words all = {"train", "a.tsv", "-o", "m.thresh"};
    all.insert(all.end(), more.begin(), more.end());
    return bad(2, all);
  };
  EXPECT_TRUE(contains(refused({"--format", "text", "--stem", "klingon"}), "--stem klingon: use "));
  EXPECT_TRUE(contains(refused({"--format", "text", "--stem", "english", "--chars", "3"}),
                       "--stem does not apply"));
  dir.write("b.svm", kTiny);
  EXPECT_TRUE(
      contains(bad(2, {"train", "b.svm", "--stem", "english"}), "applies only to --format text"));
}
