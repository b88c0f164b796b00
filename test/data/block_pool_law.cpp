// Memory of blocks that is used again, unless a giant row has made it large.

#include <gtest/gtest.h>

#include "data/feed/packed_passes.hpp"

namespace thresh::block_pool_law {
namespace {

// The memory that a block has which is taken after one of this size was given back.
std::size_t left_by(std::size_t entries, std::size_t most) {
  BlockPool pool(most);
  pool.take()->slots.resize(entries);
  return pool.take()->slots.size();
}

TEST(BlockPool, MemoryIsUsedAgainUpToALimit) {
  EXPECT_EQ(left_by(100, 100), 100u);
  EXPECT_EQ(left_by(101, 100), 0u);
}

TEST(BlockPool, BlocksMayOutliveIt) {
  std::shared_ptr<RowBlock> block;
  {
    BlockPool pool(10);
    block = pool.take();
  }
  block->slots.resize(5);
  block.reset();
}

}  // namespace
}  // namespace thresh::block_pool_law
