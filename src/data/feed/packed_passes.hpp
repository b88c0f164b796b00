// Passes over a cache. Only where rows are is shuffled; each is unpacked when its turn is near,
// next to those that are visited before and after it, so that the learner reads memory front to
// back and finds it in the processor's cache.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "data/cache/source.hpp"
#include "data/feed/order.hpp"
#include "data/feed/window.hpp"

namespace thresh {

// Blocks whose memory is used again when nobody holds them any more: fresh pages cost more than
// what is written to them. The blocks may outlive the pool. Those that grew beyond `most` entries,
// for a row of that length, are not kept.
class BlockPool {
 public:
  explicit BlockPool(std::size_t most) : most_(most) {}
  std::shared_ptr<RowBlock> take();

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<RowBlock>> blocks;
  };
  std::size_t most_;
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

class PackedPasses {
 public:
  // `piece` is how many entries a piece of a window may have; a longer row is a piece of its own.
  PackedPasses(const CachedSource& source, RowView view, const PassPlan& plan, std::size_t piece);

  // The next piece, or false after the last pass. What is known of a whole window goes with its
  // first piece.
  bool next(Window& piece);

 private:
  struct PackedRow {
    Row row;  // its slots and values are not there yet
    const PackedBlock* block;
    std::size_t place;
  };
  bool open_window(Window& piece);
  bool open_pass();
  void add_block(const PackedBlock& block, Window& piece, RowBlock& facts);
  void unpack_rows(Window& piece);
  std::shared_ptr<RowBlock> memory_for(std::size_t entries);

  const CachedSource& source_;
  RowView view_;
  PassPlan plan_;
  std::size_t piece_entries_;
  BlockPool pool_;

  std::uint64_t pass_ = 0;
  std::optional<PassOrder> order_;  // of the pass
  std::size_t windows_ = 0;         // of the pass that have been opened
  std::size_t blocks_ = 0;          // of the pass that are in them
  std::uint64_t rows_met_ = 0;      // in the pass, wanted or not

  std::vector<PackedBlock> open_;  // the window's
  std::vector<PackedRow> rows_;    // in their order
  std::size_t at_ = 0;             // the first that is still packed
  std::uint64_t slot_end_ = 0;     // of the window
};

}  // namespace thresh
