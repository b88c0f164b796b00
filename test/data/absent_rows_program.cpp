// Rows that are in the file but not shown, bad ones and those of weight zero: runs that plan ahead
// plan without them.

#include <fmt/format.h>

#include <sstream>

#include "tools/program.hpp"

namespace {

class CliAbsentRows : public CliTest {
 protected:
  CliAbsentRows() { default_solver = ""; }

  // Every fourth row is followed by one that is not shown.
  void SetUp() override {
    std::istringstream rows(few_decide(4000));
    std::string good, bad, counting, weightless;
    std::size_t number = 0;
    for (std::string row; std::getline(rows, row);) {
      const std::string label = row.substr(0, 2);
      // Every row has a feature of its own, so that sizes are many.
      const std::string entries = fmt::format("{} {}:0.01", row.substr(2), 100 + number);
      good += fmt::format("{}{}\n", label, entries);
      bad += fmt::format("{}{}\n", label, entries);
      counting += fmt::format("{} 1 |{}\n", label, entries);
      weightless += fmt::format("{} 1 |{}\n", label, entries);
      if (++number % 4 != 0) continue;
      bad += "+1 1:one\n";
      weightless += fmt::format("{} 0 |{}\n", label == "+1" ? "-1" : "+1", entries);
    }
    dir.write("good.svm", good);
    dir.write("bad.svm", bad);
    dir.write("counting.vw", counting);
    dir.write("weightless.vw", weightless);
  }

  // Of rows of one length: what is typical is measured on the first ones that are in the file.
  std::vector<Weight> learned(const std::string& data, Words options) const {
    options.insert(options.begin(), {"train", data, "--on-bad-row", "skip", "-o", "m.thresh", "-q",
                                     "--order", "sequential", "--normalize", "l2"});
    silent(options);
    return weights();
  }
};

void expect_same(const std::vector<Weight>& a, const std::vector<Weight>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].index, b[i].index);
    EXPECT_NEAR(a[i].value, b[i].value, 1e-9);
  }
}

TEST_F(CliAbsentRows, DoNotCountWhereARunIsPlanned) {
  const std::vector<Words> runs = {
      {"--features", "5"},
      {"--solver", "fobos", "--batch", "10", "--rounds", "--lambda", "1e-4", "--eta", "1"}};
  for (const Words& run : runs) {
    expect_same(learned("bad.svm", run), learned("good.svm", run));
    expect_same(learned("weightless.vw", run), learned("counting.vw", run));
  }
}

TEST_F(CliAbsentRows, LeaveNoSizeOut) {
  for (const char* data : {"good.svm", "bad.svm", "counting.vw", "weightless.vw"}) {
    SCOPED_TRACE(data);
    const Json json =
        good_json({"train", data, "--on-bad-row", "skip", "-o", "m.thresh", "--json", "-q"});
    EXPECT_EQ(json.at("frontier").size(), 8u);  // 10, 20, 50, ... 1000, all
    const Json folds = good_json(
        {"cv", data, "--on-bad-row", "skip", "--folds", "3", "--features", "5", "--json", "-q"});
    EXPECT_LT(folds.at("error").at("mean"), 0.1);
  }
}

}  // namespace
