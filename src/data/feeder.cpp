#include "data/feeder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "thresh/error.hpp"

namespace thresh {

bool RowView::wants(std::uint64_t id) const {
  if (keep == Keep::all || holdout == 0) return keep != Keep::held_out;
  // A row is held out by its number alone, whatever the order it is met in.
  const bool held_out = Random(seed, id).uniform() < holdout;
  return held_out == (keep == Keep::held_out);
}

double RowView::weight(const Row& row) const {
  const double own = weights ? weights->at(row.id) : 1.0;
  if (labels.task() == Task::regression) return own;
  return own * (row.label > 0 ? positive_weight : negative_weight);
}

Feeder::Feeder(std::shared_ptr<RowSource> source, RowView view, Plan plan)
    : source_(std::move(source)),
      view_(std::move(view)),
      plan_(plan),
      window_blocks_(source_->survey() != nullptr ? kWindowBlocks : 1),
      thread_([this] { run(); }) {}

Feeder::~Feeder() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Feeder::run() {
  std::exception_ptr error;
  try {
    for (std::uint64_t pass = 1; pass <= plan_.passes && !abandoned_; ++pass) run_pass(pass);
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  error_ = error;
  finished_ = true;
  changed_.notify_all();
}

void Feeder::run_pass(std::uint64_t pass) {
  const Survey* survey = source_->survey();
  const PassOrder order(plan_.order, plan_.seed, pass, survey != nullptr ? survey->blocks : 0);
  std::uint64_t rows = 0;
  bool more = true;
  for (std::size_t number = 0; more; ++number) {
    Window window;
    window.pass = pass;
    more = fill(order, number, window);
    for (const BlockPtr& block : window.blocks) rows += block->rows() + block->bad_rows;
    // Too few weights were met on the way; too many show only at the end.
    if (!more && view_.weights) view_.weights->check_rows(rows);
    window.ends_pass = !more;
    window.labels = view_.labels;
    if (!push(std::move(window))) return;
  }
}

// Blocks begin .. end-1 of a pass, up to the first that does not exist. Parsing is most of the work
// of a pass over text, so two threads share it.
std::vector<BlockPtr> Feeder::read_blocks(const PassOrder& order, std::size_t begin,
                                          std::size_t end) {
  std::vector<BlockPtr> blocks(end - begin);
  std::vector<std::exception_ptr> errors(end - begin);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < blocks.size() && !abandoned_;) {
      try {
        blocks[i] = source_->block(order.block(begin + i));
      } catch (...) {
        errors[i] = std::current_exception();
        return;
      }
    }
  };
  if (blocks.size() > 1) {
    const std::jthread helper(work);
    work();
  } else {
    work();
  }
  // The same error every time, whichever thread was faster: every block before it has been read.
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  blocks.erase(std::find(blocks.begin(), blocks.end(), nullptr), blocks.end());
  return blocks;
}

// Fills window `number` of a pass; false if it is the last one.
bool Feeder::fill(const PassOrder& order, std::size_t number, Window& window) {
  const Survey* survey = source_->survey();
  const std::size_t blocks = survey != nullptr ? survey->blocks : SIZE_MAX;
  const std::size_t begin = number * window_blocks_;
  const std::size_t end = std::min(begin + window_blocks_, blocks);
  window.blocks = read_blocks(order, begin, end);
  for (const BlockPtr& block : window.blocks) add_rows(*block, window);
  order.arrange(number, window.rows);
  return window.blocks.size() == window_blocks_ && end < blocks;
}

double Feeder::target(const RowBlock& block, std::size_t row) {
  try {
    return view_.labels.target(block.labels[row]);
  } catch (const Error& error) {
    const std::string where = block.lines.empty() ? fmt::format(" row {}", block.ids[row] + 1)
                                                  : fmt::format("{}", block.lines[row]);
    throw Error(fmt::format("{}:{}: {}", source_->name(), where, error.what()));
  }
}

void Feeder::add_rows(const RowBlock& block, Window& window) {
  for (std::size_t i = 0; i < block.rows(); ++i) {
    Row row = block.row(i);
    if (!view_.wants(row.id)) continue;
    row.label = target(block, i);
    row.weight = view_.weight(row);
    // A row of weight zero does not exist: it neither moves nor shrinks anything.
    if (row.weight > 0) window.rows.push_back(row);
  }
  window.slot_end = std::max(window.slot_end, block.slot_end);
  window.source_bytes += block.source_bytes;
}

std::size_t Feeder::blocks_ahead() const {
  std::size_t blocks = 0;
  // A window without blocks counts too, or passes over nothing would pile up without end.
  for (const Window& window : ready_) blocks += std::max<std::size_t>(1, window.blocks.size());
  return blocks;
}

bool Feeder::push(Window window) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return blocks_ahead() < 2 * kWindowBlocks || abandoned_; });
  if (abandoned_) return false;
  ready_.push_back(std::move(window));
  changed_.notify_all();
  return true;
}

bool Feeder::next(Window& window) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || finished_; });
  if (!ready_.empty()) {
    window = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return true;
  }
  if (error_) std::rethrow_exception(error_);
  return false;
}

void for_each_window(const std::shared_ptr<RowSource>& source, const RowView& view,
                     const std::function<void(const Window&)>& visit) {
  Feeder feeder(source, view, {});
  for (Window window; feeder.next(window);) visit(window);
}

}  // namespace thresh
