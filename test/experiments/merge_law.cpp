// Results of a part of a plan, added to those of an earlier run.

#include "common/merge.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace thresh::experiments;

namespace {

const Json kEarlier = Json::parse(R"({
  "options": {"a": 1, "b": 1},
  "figures": [
    {"title": "one", "x": "steps", "y": "loss", "log_x": true, "log_y": false,
     "series": [{"name": "p", "x": [1, 2], "y": [3, null]}, {"name": "q", "x": [1], "y": [2]}]},
    {"title": "one", "x": "seconds", "y": "loss", "log_x": true, "log_y": true, "series": []}],
  "tables": [
    {"title": "errors", "columns": ["task", "error", "method"],
     "rows": [["s", 0.1, "p"], ["t", 0.2, "p"], ["t", 0.3, "q"], ["u", 0.4, "p"]]},
    {"title": "others", "columns": ["task"], "rows": [["s"]]}]})");

using Cells = std::vector<std::vector<Json>>;

// A run of method q on tasks t and v, which it finds twice each.
Report part_of_it() {
  Report report;
  report.options = {{"b", 2}, {"c", 3}};
  report.figures = {{"1", "one", "steps", "loss", true, false, {{"q", {1}, {9}}}}};
  report.tables = {{"errors",
                    "errors",
                    {"task", "error", "method"},
                    {{"t", 0.7, "q"}, {"t", 0.8, "q"}, {"v", 0.9, "q"}},
                    {"task", "method"}}};
  return report;
}

}  // namespace

TEST(Merge, NewRowsTakeThePlacesOfThoseWithTheirKeys) {
  Report report = part_of_it();
  add_saved(kEarlier, false, report);
  ASSERT_EQ(report.tables.size(), 2U);
  EXPECT_EQ(report.tables[0].rows, (Cells{{"s", 0.1, "p"},
                                          {"t", 0.2, "p"},
                                          {"t", 0.7, "q"},
                                          {"t", 0.8, "q"},
                                          {"u", 0.4, "p"},
                                          {"v", 0.9, "q"}}));
  EXPECT_EQ(report.tables[0].file, "errors");
  EXPECT_EQ(report.tables[1].rows, Cells{{"s"}});
  EXPECT_EQ(report.tables[1].file, "");
}

TEST(Merge, ATableWithoutKeysIsReplaced) {
  Report report = part_of_it();
  report.tables[0].keys.clear();
  add_saved(kEarlier, false, report);
  EXPECT_EQ(report.tables[0].rows, part_of_it().tables[0].rows);
}

TEST(Merge, FiguresAreToldApartByTitleAndAxis) {
  Report report = part_of_it();
  add_saved(kEarlier, false, report);
  ASSERT_EQ(report.figures.size(), 2U);
  EXPECT_EQ(report.figures[0].file, "1");
  EXPECT_EQ(report.figures[0].series.size(), 1U);
  EXPECT_EQ(report.figures[1].x, "seconds");
}

TEST(Merge, LinesOfOtherMethodsStay) {
  Report report = part_of_it();
  add_saved(kEarlier, true, report);
  const auto& series = report.figures[0].series;
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].name, "p");
  EXPECT_EQ(series[0].x, (std::vector<double>{1, 2}));
  EXPECT_TRUE(std::isnan(series[0].y[1]));
  EXPECT_EQ(series[1].y, std::vector<double>{9});
}

TEST(Merge, OptionsOfTheNewRunPrevail) {
  Report report = part_of_it();
  add_saved(kEarlier, false, report);
  EXPECT_EQ(report.options, Json::parse(R"({"a": 1, "b": 2, "c": 3})"));
}
