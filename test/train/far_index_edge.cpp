// One large index must not make all arrays large: solvers look through them again and again.

#include <gtest/gtest.h>

#include "sparse/feature_map.hpp"
#include "thresh/fit.hpp"
#include "tools/scratch.hpp"

namespace thresh::far_index_edge {
namespace {

TEST(FarIndex, OfASmallFileGetsANearSlot) {
  const ScratchDir dir;
  for (const std::uint64_t index : {std::uint64_t{1} << 26, std::uint64_t{1} << 28}) {
    dir.write("a.svm", "1 1:1 " + std::to_string(index) + ":1\n-1 2:1\n");
    const Problem problem = open_problem(dir.file("a.svm"));
    const std::uint32_t slot = problem.features->slot(index - 1);
    EXPECT_LE(slot, std::uint32_t{1} << 16);
    EXPECT_EQ(problem.features->id(slot), index - 1);
    EXPECT_EQ(problem.features->slot(1), 1U);
  }
}

}  // namespace
}  // namespace thresh::far_index_edge
