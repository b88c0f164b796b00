// Memory of blocks that is used again, unless a giant row has made it large.

#include <gtest/gtest.h>

#include "data/read/block_pool.hpp"

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

TEST(BlockPool, AnEmptyBlockHasNothingOfTheLastOne) {
  BlockPool pool(100);
  const double* memory = nullptr;
  {
    const auto used = pool.take();
    used->starts = {0, 2};
    used->slots = {3, 4};
    used->values = {1, 2};
    used->labels = {1};
    used->ids = {7};
    used->weights = {2};
    used->lines = {1};
    used->names = {"a"};
    used->slot_end = 5;
    used->dimension = used->source_bytes = used->bad_rows = 9;
    memory = used->values.data();
  }
  const auto block = pool.take_empty();
  EXPECT_EQ(block->rows(), 0u);
  EXPECT_EQ(block->starts, std::vector<std::size_t>{0});
  EXPECT_TRUE(block->slots.empty() && block->values.empty() && block->ids.empty());
  EXPECT_TRUE(block->weights.empty() && block->lines.empty() && block->names.empty());
  EXPECT_EQ(block->slot_end + block->dimension + block->source_bytes + block->bad_rows, 0u);
  EXPECT_EQ(block->values.data(), memory);
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
