// What an earlier run has chosen, found in its saved tables.

#include "common/tuned.hpp"

#include <gtest/gtest.h>

using namespace thresh::experiments;

namespace {

const Json kSaved = Json::parse(R"({"tables": [
  {"columns": ["task", "error"], "rows": [["a", 0.5]]},
  {"columns": ["task", "method", "step size"],
   "rows": [["a", "EG", "10, sqrt"], ["a", "projected", "3"], ["b", "EG", ""]]}]})");

}  // namespace

TEST(Tuned, ACellIsFoundByTheOthersOfItsRow) {
  EXPECT_EQ(saved_cell(kSaved, {{"task", "a"}, {"method", "projected"}}, "step size"), "3");
  EXPECT_EQ(saved_cell(kSaved, {{"task", "a"}}, "error"), 0.5);
  EXPECT_TRUE(saved_cell(kSaved, {{"task", "c"}}, "error").is_null());
  EXPECT_TRUE(saved_cell(kSaved, {{"job", "a"}}, "error").is_null());
  EXPECT_TRUE(saved_cell(nullptr, {{"task", "a"}}, "error").is_null());
}

TEST(Tuned, AGridHasTheStepAlone) {
  EXPECT_EQ(with_step(" eta=1,10 batch=5 schedule=constant,sqrt", "10, sqrt"),
            " eta=10 batch=5 schedule=sqrt");
  EXPECT_EQ(with_step("radius=3 eta=1,10", "3e-1"), " radius=3 eta=3e-1");
}

TEST(Tuned, AGridWithoutASavedStepStays) {
  DataSets none({}, "", true);
  const Context context{none, false, "", kSaved};
  const std::string grid = " eta=1,10 schedule=constant,sqrt";
  EXPECT_EQ(with_saved_step(context, {{"task", "a"}, {"method", "EG"}}, grid),
            " eta=10 schedule=sqrt");
  EXPECT_EQ(with_saved_step(context, {{"task", "b"}, {"method", "EG"}}, grid), grid);
  EXPECT_EQ(with_saved_step(context, {{"task", "c"}, {"method", "EG"}}, grid), grid);
}
