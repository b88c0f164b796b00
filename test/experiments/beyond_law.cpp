// Grids that grow at the end where their best value is.

#include "common/beyond.hpp"

#include <gtest/gtest.h>

using namespace thresh::experiments;

TEST(GridBeyond, GrowsWhereTheBestValueIsAnEnd) {
  EXPECT_EQ(grid_beyond("radius=3 eta=1,10 passes=5", "eta", "10"),
            "radius=3 eta=1,10,100 passes=5");
  EXPECT_EQ(grid_beyond("eta=1,10", "eta", "1"), "eta=1,10,0.1");
  EXPECT_EQ(grid_beyond("eta=1,10,0.1", "eta", "1e-1"), "eta=1,10,0.1,0.01");
  EXPECT_EQ(grid_beyond("radius=300,1000 eta=1,10", "radius", "1000"),
            "radius=300,1000,10000 eta=1,10");
}

TEST(GridBeyond, StaysWhereItIsNot) {
  EXPECT_EQ(grid_beyond("eta=1,10,100", "eta", "10"), std::nullopt);
  EXPECT_EQ(grid_beyond("eta=1 radius=1,2", "eta", "1"), std::nullopt);
  EXPECT_EQ(grid_beyond("radius=1,2", "eta", "1"), std::nullopt);
}
