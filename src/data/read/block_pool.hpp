// Memory of blocks that is used again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "thresh/rows.hpp"

namespace thresh {

// Reuses the memory of blocks that are no longer referenced, because new pages cost more than
// writing to them. Blocks may outlive the pool. Blocks that grew beyond `most` entries, for a long
// row, are not reused.
class BlockPool {
 public:
  explicit BlockPool(std::size_t most) : most_(most) {}
  // A block with what it last held.
  std::shared_ptr<RowBlock> take();
  // A block without rows.
  std::shared_ptr<RowBlock> take_empty();

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<RowBlock>> blocks;
  };
  std::size_t most_;
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace thresh
