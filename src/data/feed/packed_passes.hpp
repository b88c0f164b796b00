// Passes over a cache. Only the positions of rows are shuffled. A row is unpacked shortly before
// its visit, next to its neighbours in the order, so that the learner reads memory sequentially and
// finds it in the processor's cache.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "data/cache/source.hpp"
#include "data/feed/order.hpp"
#include "data/feed/window.hpp"
#include "data/read/block_pool.hpp"

namespace thresh {

class PackedPasses {
 public:
  // `piece` limits the entries in a piece of a window. A longer row is a separate piece.
  PackedPasses(const CachedSource& source, RowView view, const PassPlan& plan, std::size_t piece);

  // The next piece, or false after the last pass. Facts about a whole window come with its first
  // piece.
  bool next(Window& piece);

 private:
  struct PackedRow {
    Row row;  // without its slots and values yet
    const PackedBlock* block;
    std::size_t place;
  };
  bool open_window(Window& piece);
  bool open_pass();
  bool draw_window(Window& piece);
  void add_block(const PackedBlock& block, Window& piece, RowBlock& facts);
  void unpack_rows(Window& piece);
  RowPlace next_place() const;
  std::shared_ptr<RowBlock> memory_for(std::size_t entries);

  const CachedSource& source_;
  RowView view_;
  PassPlan plan_;
  std::size_t piece_entries_;
  BlockPool pool_;

  std::uint64_t pass_ = 0;
  std::optional<PassOrder> order_;  // of the pass
  std::size_t windows_ = 0;         // opened in this pass
  std::size_t blocks_ = 0;          // of this pass in these windows
  std::uint64_t rows_met_ = 0;      // in this pass, wanted or not
  std::uint64_t met_before_ = 0;    // the same before this window
  std::uint64_t skipped_ = 0;       // rows of the next window that were shown before

  std::vector<PackedRow> all_rows_;  // with replacement: the rows to draw from
  std::optional<RowDraws> draws_;    // of the pass

  std::vector<PackedBlock> open_;  // of the window; with replacement: all
  std::vector<PackedRow> rows_;    // in the order of visits
  std::size_t at_ = 0;             // the first that is still packed
  std::uint64_t slot_end_ = 0;     // of the window
};

}  // namespace thresh
