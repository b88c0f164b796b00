// Passes of rows drawn with replacement, from any source but a cache (see packed_passes.hpp).
//
// All rows are read once, because any of them may be drawn next. They are held in memory as far as
// it reaches. The others go to a temporary file and are read back when they are drawn. The draws
// depend on neither.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/feed/order.hpp"
#include "data/feed/packed_passes.hpp"
#include "data/feed/window.hpp"
#include "files/temp_file.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class DrawnPasses {
 public:
  // `abandoned` ends the first reading early.
  DrawnPasses(RowSource& source, RowView view, const PassPlan& plan,
              const std::atomic<bool>& abandoned);

  // The next rows, or false after the last pass. They may point into this object.
  bool next(Window& window);

 private:
  struct StoredRow {
    Row row;               // without valid slots and values if it is in the file
    std::uint64_t at = 0;  // its place there
    bool in_memory = true;
  };
  bool open_window(Window& window);
  void read_all(Window& window);
  void add_block(const BlockPtr& block, Window& window, RowBlock& facts);
  std::uint64_t append(const Row& row);
  void take_rows(Window& window);
  void read_back(const StoredRow& stored, std::uint32_t* slots, double* values);

  RowSource& source_;
  RowView view_;
  PassPlan plan_;
  const std::atomic<bool>& abandoned_;
  BlockPool pool_;

  std::vector<StoredRow> all_rows_;
  std::vector<BlockPtr> held_;      // the blocks in memory
  std::uint64_t held_bytes_ = 0;    // by memory_of()
  std::unique_ptr<TempFile> file_;  // the other rows; null if all are in memory
  std::vector<char> bytes_;         // of a row, as read from it
  std::uint64_t slot_end_ = 0;

  std::uint64_t pass_;
  std::optional<RowDraws> draws_;  // of the pass
  std::vector<StoredRow> rows_;    // in the order of visits
  std::size_t at_ = 0;             // the first that was not handed over
};

}  // namespace thresh
