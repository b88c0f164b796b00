// Supplies windows of rows to the learner. A thread reads, parses, maps labels and weights, and
// orders rows, a bounded number of blocks ahead. On one core, a cache is unpacked when the learner
// asks instead.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "data/feed/drawn_passes.hpp"
#include "data/feed/order.hpp"
#include "data/feed/packed_passes.hpp"
#include "data/feed/window.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class Feeder {
 public:
  using Plan = PassPlan;

  Feeder(std::shared_ptr<RowSource> source, RowView view, Plan plan);
  ~Feeder();
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;

  // The next window, or false after the last pass. Rethrows errors of the reading thread.
  bool next(Window& window);

 private:
  struct Filling {  // a pass being assembled
    const PassOrder& order;
    std::uint64_t pass;
    Window window;
    std::size_t windows;
    std::uint64_t rows;
    std::uint64_t skipped;  // of the first window
  };
  void run();
  void run_pass(std::uint64_t pass);
  void add_block(const BlockPtr& block, Filling& filling);
  void push_window(Filling& filling, bool ends_pass);
  void add_rows(const RowBlock& block, Window& window);
  void push(Window window);
  bool unpack_next(Window& window);
  std::size_t blocks_ahead() const;

  std::shared_ptr<RowSource> source_;
  RowView view_;
  Plan plan_;
  std::unique_ptr<PackedPasses> packed_;  // if rows are unpacked one by one
  std::size_t most_ahead_;                // blocks, or pieces of windows
  DrawnPasses drawn_;  // used if rows are drawn and not unpacked; windows point into it

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Window> ready_;
  std::exception_ptr error_;
  bool finished_ = false;
  std::atomic<bool> abandoned_ = false;
  std::thread thread_;  // last: it uses all of the above; none if rows are unpacked on demand
};

// Visits every wanted row once, in file order, a window at a time.
void for_each_window(const std::shared_ptr<RowSource>& source, const RowView& view,
                     const std::function<void(const Window&)>& visit);

}  // namespace thresh
