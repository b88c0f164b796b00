#include "data/read/block_pool.hpp"

namespace thresh {

std::shared_ptr<RowBlock> BlockPool::take() {
  std::unique_ptr<RowBlock> block;
  {
    const std::lock_guard lock(free_->mutex);
    if (!free_->blocks.empty()) {
      block = std::move(free_->blocks.back());
      free_->blocks.pop_back();
    }
  }
  if (!block) block = std::make_unique<RowBlock>();
  return {block.release(), [free = free_, most = most_](RowBlock* used) {
            std::unique_ptr<RowBlock> owned(used);
            if (owned->slots.size() > most) return;
            const std::lock_guard lock(free->mutex);
            free->blocks.push_back(std::move(owned));
          }};
}

std::shared_ptr<RowBlock> BlockPool::take_empty() {
  std::shared_ptr<RowBlock> block = take();
  RowBlock empty;
  // Their memory stays.
  empty.starts = std::move(block->starts);
  empty.starts.resize(1);
  empty.slots = std::move(block->slots);
  empty.values = std::move(block->values);
  empty.labels = std::move(block->labels);
  empty.ids = std::move(block->ids);
  empty.slots.clear();
  empty.values.clear();
  empty.labels.clear();
  empty.ids.clear();
  *block = std::move(empty);
  return block;
}

}  // namespace thresh
