#include "data/feed/feeder.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>

#include "data/cache/source.hpp"
#include "data/read/bytes.hpp"
#include "data/read/sources.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

// Thrown to end the reading thread. Nobody reports it.
struct Abandoned {};

// Pieces of windows of packed rows. Few of them wait, so that they are still in the cache when the
// learner reads them. Pieces that need not wait are shorter and fit a nearer cache.
constexpr std::size_t kPiecesAhead = 4;
constexpr std::size_t kPieceAside = std::size_t{1} << 15;
constexpr std::size_t kPieceInPlace = std::size_t{1} << 12;

std::unique_ptr<PackedPasses> packed_passes(const RowSource& source, const RowView& view,
                                            const PassPlan& plan) {
  const CachedSource* cached = source.packed_rows();
  if (cached == nullptr) return nullptr;
  view.check_weights(source, source.survey()->weighted);
  return std::make_unique<PackedPasses>(*cached, view, plan,
                                        plan.unpack_aside ? kPieceAside : kPieceInPlace);
}

}  // namespace

Feeder::Feeder(std::shared_ptr<RowSource> source, RowView view, Plan plan)
    : source_(std::move(source)),
      view_(std::move(view)),
      plan_(plan),
      packed_(packed_passes(*source_, view_, plan)),
      most_ahead_(packed_ ? kPiecesAhead : std::max<std::size_t>(2 * plan.window_blocks(), 4)),
      drawn_(*source_, view_, plan, abandoned_) {
  if (packed_ && !plan.unpack_aside) return;
  try {
    thread_ = std::thread([this, limit = thread_limit()] {
      const ThreadLimit inherited(limit);
      run();
    });
  } catch (const std::system_error& error) {
    throw Error("cannot start a thread: " + error.code().message());
  }
}

Feeder::~Feeder() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Feeder::run() {
  std::exception_ptr error;
  try {
    if (packed_) {
      for (Window piece; packed_->next(piece); piece = {}) push(std::move(piece));
    } else if (plan_.order == Order::replacement) {
      for (Window drawn; drawn_.next(drawn);) push(std::move(drawn));
    } else {
      for (std::uint64_t pass = plan_.from.pass; pass <= plan_.passes; ++pass) run_pass(pass);
    }
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  error_ = error;
  finished_ = true;
  changed_.notify_all();
}

// Parsing is most of the work of a pass over text, so all cores share it.
void Feeder::run_pass(std::uint64_t pass) {
  const Survey* survey = source_->survey();
  const PassOrder order(plan_.order, plan_.seed, pass, survey != nullptr ? survey->blocks : 0);
  const RowPlace from = pass == plan_.from.pass ? plan_.from : RowPlace{pass, 0, 0, 0};
  Filling filling{order, pass, {}, from.window, from.met, from.row};
  if (survey != nullptr) {
    const std::size_t first =
        std::min<std::size_t>(survey->blocks, from.window * plan_.window_blocks());
    const auto read = [&](std::size_t k) { return source_->block(order.block(first + k)); };
    const auto take = [&](std::size_t, const BlockPtr& block) { add_block(block, filling); };
    parallel_in_order(survey->blocks - first, read, take);
  } else {
    source_->for_each_block([&](const BlockPtr& block) {
      add_block(block, filling);
      push_window(filling, false);  // at once, because the next block may take long
    });
  }
  // Missing weights were reported on the way. Surplus ones show only at the end.
  if (view_.weights) view_.weights->check_rows(filling.rows);
  push_window(filling, true);
}

void Feeder::add_block(const BlockPtr& block, Filling& filling) {
  // A full window waits for the next block, because the pass may end before that.
  if (filling.window.blocks.size() == plan_.window_blocks()) push_window(filling, false);
  filling.rows += block->rows() + block->bad_rows;
  filling.window.blocks.push_back(block);
  add_rows(*block, filling.window);
}

void Feeder::push_window(Filling& filling, bool ends_pass) {
  Window window = std::move(filling.window);
  filling.window = {};
  filling.order.arrange(filling.windows++, window.rows);
  if (filling.skipped > 0) {  // shown before; so were the bytes
    const std::size_t skipped = std::min<std::size_t>(filling.skipped, window.rows.size());
    window.rows.erase(window.rows.begin(),
                      window.rows.begin() + static_cast<std::ptrdiff_t>(skipped));
    window.source_bytes = 0;
    filling.skipped = 0;
  }
  window.next = {filling.pass, filling.windows, 0, filling.rows};
  if (ends_pass) window.next = {filling.pass + 1, 0, 0, 0};
  window.pass = filling.pass;
  window.ends_pass = ends_pass;
  window.labels = view_.labels;
  push(std::move(window));
}

void Feeder::add_rows(const RowBlock& block, Window& window) {
  check_stop(view_.stop, source_->name());
  view_.check_weights(*source_, !block.weights.empty());
  for (std::size_t i = 0; i < block.rows(); ++i) {
    Row row = block.row(i);
    const auto line = [&] { return block.lines.empty() ? 0 : block.lines[i]; };
    if (view_.admit(row, *source_, line)) window.rows.push_back(row);
  }
  window.slot_end = std::max(window.slot_end, block.slot_end);
  window.source_bytes += block.source_bytes;
}

std::size_t Feeder::blocks_ahead() const {
  std::size_t blocks = 0;
  // A window without blocks counts too; otherwise empty passes would pile up without limit.
  for (const Window& window : ready_) blocks += std::max<std::size_t>(1, window.blocks.size());
  return blocks;
}

void Feeder::push(Window window) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return blocks_ahead() < most_ahead_ || abandoned_; });
  if (abandoned_) throw Abandoned();
  ready_.push_back(std::move(window));
  changed_.notify_all();
}

// Unpacks in the caller's thread.
bool Feeder::unpack_next(Window& window) {
  if (error_) std::rethrow_exception(error_);
  try {
    return packed_->next(window);
  } catch (...) {
    error_ = std::current_exception();
    throw;
  }
}

bool Feeder::next(Window& window) {
  check_stop(view_.stop, source_->name());
  if (!thread_.joinable()) return unpack_next(window);
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
