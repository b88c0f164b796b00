// Runs ahead of the learner: reads, parses, maps labels and weights and puts rows in order in a
// thread of its own, a bounded number of blocks ahead.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "data/labels.hpp"
#include "data/order.hpp"
#include "data/row_weights.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Which rows of a source are wanted, and what their labels and weights mean.
struct RowView {
  LabelMap labels;
  std::shared_ptr<const RowWeights> weights;  // null: all one
  std::vector<double> class_weights;          // of -1 and +1, or of class 0, 1, ...; empty: all one
  double holdout = 0;       // share of rows held out, chosen by seed and row number
  std::uint64_t folds = 0;  // if not 0: the rows of one of so many folds are held out instead
  std::uint64_t fold = 0;
  std::uint64_t seed = 0;
  enum class Keep { all, training, held_out } keep = Keep::all;

  bool wants(std::uint64_t id) const;
  double weight(const Row& row) const;
};

// Some rows, ready to be visited in this order, and the blocks they live in.
struct Window {
  std::vector<Row> rows;
  std::vector<BlockPtr> blocks;
  std::uint64_t slot_end = 0;
  std::uint64_t source_bytes = 0;
  std::uint64_t pass = 0;  // counted from 1
  bool ends_pass = false;
  LabelMap labels;  // as known after these rows
};

class CachedSource;

// Blocks whose memory is used again when nobody holds them any more: fresh pages cost more than
// what is written to them. The blocks may outlive the pool.
class BlockPool {
 public:
  std::shared_ptr<RowBlock> take();

 private:
  struct Free {
    std::mutex mutex;
    std::vector<std::unique_ptr<RowBlock>> blocks;
  };
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

class Feeder {
 public:
  // Pieces of a window of packed rows that wait for the learner: few, so that they are still in the
  // processor's cache when it comes to them.
  static constexpr std::size_t kPiecesAhead = 4;

  struct Plan {
    Order order = Order::sequential;
    std::uint64_t seed = 0;
    std::uint64_t passes = 1;
  };

  Feeder(std::shared_ptr<RowSource> source, RowView view, Plan plan);
  ~Feeder();
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;

  // The next window, or false after the last pass. Rethrows what the reading thread met.
  bool next(Window& window);

 private:
  struct Filling {  // a pass in the making
    const PassOrder& order;
    std::uint64_t pass;
    Window window;
    std::size_t windows;
    std::uint64_t rows;
  };
  void run();
  void run_pass(std::uint64_t pass);
  // The same for rows from a cache (feeder_packed.cpp).
  struct PackedRow;
  void run_packed_pass(const PassOrder& order, std::uint64_t pass);
  void push_pieces(const std::vector<PackedRow>& rows, Window window, bool ends_pass);
  void add_block(const BlockPtr& block, Filling& filling);
  void push_window(Filling& filling, bool ends_pass);
  double target(const Row& row, std::uint64_t line);
  bool admit(Row& row, std::uint64_t line);
  void add_rows(const RowBlock& block, Window& window);
  void push(Window window);
  std::size_t blocks_ahead() const;

  std::shared_ptr<RowSource> source_;
  RowView view_;
  Plan plan_;
  std::size_t window_blocks_;   // in file order each block is passed on as it comes
  const CachedSource* packed_;  // the source, if its rows are to be unpacked one by one
  std::size_t most_ahead_;      // blocks, or pieces of windows
  BlockPool pool_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Window> ready_;
  std::exception_ptr error_;
  bool finished_ = false;
  std::atomic<bool> abandoned_ = false;
  std::thread thread_;  // last: it uses all of the above
};

// Every wanted row once, in file order, a window at a time.
void for_each_window(const std::shared_ptr<RowSource>& source, const RowView& view,
                     const std::function<void(const Window&)>& visit);

}  // namespace thresh
