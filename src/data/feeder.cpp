#include "data/feeder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "data/cache_source.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

// Ends the reading thread from wherever it is. Nobody is left to see it.
struct Abandoned {};

// Rows whose indices go through a hash table are better unpacked by all cores, block by block.
const CachedSource* packed_rows(const RowSource& source) {
  const auto* cached = dynamic_cast<const CachedSource*>(&source);
  return cached != nullptr && cached->is_direct() ? cached : nullptr;
}

}  // namespace

bool RowView::wants(std::uint64_t id) const {
  if (keep == Keep::all || (holdout == 0 && folds == 0)) return keep != Keep::held_out;
  // A row is held out by its number alone, whatever the order it is met in.
  Random random(seed, id);
  const bool held_out = folds > 0 ? random.below(folds) == fold : random.uniform() < holdout;
  return held_out == (keep == Keep::held_out);
}

double RowView::weight(const Row& row) const {
  const double own = weights ? weights->at(row.id) : row.weight;
  if (class_weights.empty()) return own;
  return own * class_weights[labels.many().empty() ? (row.label > 0 ? 1 : 0)
                                                   : static_cast<std::size_t>(row.label)];
}

Feeder::Feeder(std::shared_ptr<RowSource> source, RowView view, Plan plan)
    : source_(std::move(source)),
      view_(std::move(view)),
      plan_(plan),
      window_blocks_(plan.order == Order::shuffle ? kWindowBlocks : 1),
      packed_(packed_rows(*source_)),
      most_ahead_(packed_ != nullptr ? kPiecesAhead : std::max<std::size_t>(2 * window_blocks_, 4)),
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
    for (std::uint64_t pass = 1; pass <= plan_.passes; ++pass) run_pass(pass);
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
  if (packed_ != nullptr) return run_packed_pass(order, pass);
  Filling filling{order, pass, {}, 0, 0};
  if (survey != nullptr) {
    const auto read = [&](std::size_t k) { return source_->block(order.block(k)); };
    const auto take = [&](std::size_t, const BlockPtr& block) { add_block(block, filling); };
    parallel_in_order(survey->blocks, read, take);
  } else {
    for (std::size_t k = 0; const BlockPtr block = source_->block(k); ++k) {
      add_block(block, filling);
      push_window(filling, false);  // at once: the next block may be long in coming
    }
  }
  // Too few weights were met on the way; too many show only at the end.
  if (view_.weights) view_.weights->check_rows(filling.rows);
  push_window(filling, true);
}

void Feeder::add_block(const BlockPtr& block, Filling& filling) {
  // A full window waits for what comes behind it, which may be the end of the pass.
  if (filling.window.blocks.size() == window_blocks_) push_window(filling, false);
  filling.rows += block->rows() + block->bad_rows;
  filling.window.blocks.push_back(block);
  add_rows(*block, filling.window);
}

void Feeder::push_window(Filling& filling, bool ends_pass) {
  Window window = std::move(filling.window);
  filling.window = {};
  filling.order.arrange(filling.windows++, window.rows);
  window.pass = filling.pass;
  window.ends_pass = ends_pass;
  window.labels = view_.labels;
  push(std::move(window));
}

// What the label means; `line` is where the row stands, 0 if in no file.
double Feeder::target(const Row& row, std::uint64_t line) {
  try {
    return view_.labels.target(row.label);
  } catch (const Error& error) {
    const std::string where =
        line == 0 ? fmt::format(" row {}", row.id + 1) : fmt::format("{}", line);
    throw Error(fmt::format("{}:{}: {}", source_->name(), where, error.what()));
  }
}

// Whether the row takes part; if so its label and weight become what they mean. A row of weight
// zero does not exist: it neither moves nor shrinks anything.
bool Feeder::admit(Row& row, std::uint64_t line) {
  if (!view_.wants(row.id)) return false;
  row.label = target(row, line);
  row.weight = view_.weight(row);
  return row.weight > 0;
}

void Feeder::add_rows(const RowBlock& block, Window& window) {
  if (view_.weights && !block.weights.empty()) {
    throw Error(source_->name() + ": rows have weights of their own, so --weights cannot be used");
  }
  for (std::size_t i = 0; i < block.rows(); ++i) {
    Row row = block.row(i);
    if (admit(row, block.lines.empty() ? 0 : block.lines[i])) window.rows.push_back(row);
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

void Feeder::push(Window window) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return blocks_ahead() < most_ahead_ || abandoned_; });
  if (abandoned_) throw Abandoned();
  ready_.push_back(std::move(window));
  changed_.notify_all();
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
