// Which rows of a table are held out together: --group, and --time for the latest.

#include <fmt/format.h>

#include "tools/program.hpp"

class CliTableSplit : public CliTest {
 protected:
  CliTableSplit() { default_solver = ""; }

  // Each patient has a label and a marker of their own: rows of a patient tell all about the
  // others.
  static std::string patients() {
    std::string text = "patient,when,marker,size,sick\n";
    for (int i = 0; i < 600; ++i) {
      const int patient = i % 60;
      text += fmt::format("p{},{}-{:02}-01,m{},{},{}\n", patient, 2000 + i / 60, 1 + i % 12,
                          patient, i % 7, (patient * 7919) % 13 < 6 ? "yes" : "no");
    }
    return text;
  }
  double error(Words more) {
    more.insert(more.begin(), {"cv", "p.csv", "--label", "sick", "--solver", "budget", "--features",
                               "60", "--json"});
    return good_json(more).at("error").at("mean");
  }
};

TEST_F(CliTableSplit, AGroupIsInOneFold) {
  dir.write("p.csv", patients());
  EXPECT_LT(error({"--ignore", "patient,when"}), 0.05) << "other rows of the patient tell";
  EXPECT_GT(error({"--group", "patient", "--ignore", "when"}), 0.3);
  EXPECT_TRUE(contains(bad(2, {"train", "p.csv", "--group", "patient", "--time", "when", "-q"}),
                       "--group and --time exclude each other"));
  good({"cache", "p.csv", "-o", "p.cache", "-q"});
  EXPECT_TRUE(
      contains(bad(2, {"train", "p.cache", "--group", "patient", "-q"}), "groups and times"));
}

TEST_F(CliTableSplit, TheLatestRowsAreHeldOut) {
  // The label changes its meaning in the last fifth of the time. Rows are not in the order of time.
  std::string text = "when,x,y\n";
  for (int i = 0; i < 1000; ++i) {
    const int day = (i * 617) % 1000;
    const bool late = day >= 800;
    text += fmt::format("{},{},{}\n", day, i % 2, (i % 2 == 1) != late ? 1 : 0);
  }
  dir.write("t.csv", text);
  const auto valid = [&](Words more) {
    more.insert(more.begin(), {"train", "t.csv", "--holdout", "20%", "--json", "-o", "m.thresh",
                               "--solver", "ftrl"});
    return good_json(more);
  };
  const Json latest = valid({"--time", "when"});
  EXPECT_EQ(latest.at("valid_error"), 1) << "all late rows, and no other";
  const Json any = valid({"--ignore", "when"});
  EXPECT_LT(any.at("valid_error"), 0.4);
  EXPECT_TRUE(contains(thresh({"train", "t.csv", "--time", "when", "-o", "m.thresh"}).out,
                       "200 rows held out"));
  dir.write("bad.csv", "when,x,y\n1,1,0\nsoon,2,1\n");
  EXPECT_TRUE(contains(bad(1, {"train", "bad.csv", "--time", "when", "--features", "1", "-q"}),
                       "bad.csv:3: time 'soon' in column when is neither a date"));
}
