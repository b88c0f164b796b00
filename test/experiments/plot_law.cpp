// Drawings of figures: values lie where their axes say, names do not cover each other.

#include "common/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <regex>
#include <sstream>

using namespace thresh::experiments;

namespace {

using Places = std::vector<std::pair<double, double>>;

std::vector<Places> lines_of(const std::string& svg) {
  static const std::regex line("<polyline[^>]*points=\"([^\"]*)\"");
  std::vector<Places> lines;
  for (std::sregex_iterator it(svg.begin(), svg.end(), line), end; it != end; ++it) {
    std::istringstream points((*it)[1]);
    Places places;
    char comma = 0;
    for (double x = 0, y = 0; points >> x >> comma >> y;) places.emplace_back(x, y);
    lines.push_back(places);
  }
  return lines;
}

Figure figure_of(std::vector<Series> series, bool log) {
  Figure figure;
  figure.log_x = figure.log_y = log;
  figure.series = std::move(series);
  return figure;
}

}  // namespace

TEST(Plot, EqualRatiosAreEqualDistancesOnALogAxisAndEqualStepsOnALinearOne) {
  const Series series{"a", {1, 10, 100}, {5, 0.5, 0.05}, false};
  const Places log = lines_of(draw(figure_of({series}, true))).at(0);
  EXPECT_NEAR(log[1].first - log[0].first, log[2].first - log[1].first, 0.21);
  EXPECT_NEAR(log[1].second - log[0].second, log[2].second - log[1].second, 0.21);
  EXPECT_LT(log[0].first, log[1].first);
  EXPECT_LT(log[0].second, log[1].second);  // larger values are higher up
  const Places linear = lines_of(draw(figure_of({series}, false))).at(0);
  EXPECT_NEAR((linear[2].first - linear[1].first) / (linear[1].first - linear[0].first), 10, 0.1);
}

TEST(Plot, LeavesOutWhatHasNoPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Series> series = {{"some", {0, 1, 2, 3, 4}, {1, 2, nan, -1, 3}, false},
                                      {"nothing", {1, 2}, {nan, nan}, false}};
  const std::string svg = draw(figure_of(series, true));
  ASSERT_EQ(lines_of(svg).size(), 1U);
  EXPECT_EQ(lines_of(svg)[0].size(), 2U);
  EXPECT_EQ(svg.find("nothing"), std::string::npos);
  EXPECT_EQ(lines_of(draw(figure_of(series, false)))[0].size(), 4U);
  EXPECT_TRUE(lines_of(draw(figure_of({}, true))).empty());
}

TEST(Plot, NamesKeepTheirDistance) {
  for (const double value : {1e-6, 0.5, 1e6}) {
    std::vector<Series> series;
    for (int i = 0; i < 25; ++i) {
      series.push_back({"line" + std::to_string(i), {1, 2}, {1, value}, false});
    }
    const std::string svg = draw(figure_of(series, true));
    static const std::regex name("<text x=\"[^\"]*\" y=\"([^\"]*)\"[^>]*>line");
    std::vector<double> places;
    for (std::sregex_iterator it(svg.begin(), svg.end(), name), end; it != end; ++it) {
      places.push_back(std::stod((*it)[1]));
    }
    ASSERT_EQ(places.size(), 25U);
    std::sort(places.begin(), places.end());
    EXPECT_GT(places.front(), 0);
    EXPECT_LT(places.back(), 560);
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 16.8);
  }
}

TEST(Figure, ThinCurvesKeepTheirEnds) {
  Series series{"a", {}, {}, false};
  for (int i = 0; i < 1000; ++i) {
    series.x.push_back(i);
    series.y.push_back(2 * i);
  }
  const Series thin = thinned(series);
  EXPECT_EQ(thin.x.size(), 200U);
  EXPECT_EQ(thin.x.front(), 0);
  EXPECT_EQ(thin.x.back(), 999);
  for (std::size_t i = 0; i < thin.x.size(); ++i) EXPECT_EQ(thin.y[i], 2 * thin.x[i]);
}

TEST(Figure, CsvQuotesWhatNeedsIt) {
  const Table table{"t", "T", {"a", "b,c"}, {{"say \"so\"", nullptr}, {1.23456789, 7}}};
  EXPECT_EQ(to_csv(table), "a,\"b,c\"\n\"say \"\"so\"\"\",\n1.23457,7\n");
}
