#include "data/feed/drawn_passes.hpp"

#include <fmt/format.h>

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/read/bytes.hpp"
#include "data/read/sources.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

// Entries that are read back together. A longer row comes alone.
constexpr std::size_t kPieceEntries = std::size_t{1} << 15;

// A row in the file is this checksum, its slots and its values.
std::uint64_t checksum(const std::uint32_t* slots, const double* values, std::size_t size,
                       std::uint64_t id) {
  const std::uint64_t of_slots = XXH3_64bits_withSeed(slots, size * sizeof *slots, id);
  return XXH3_64bits_withSeed(values, size * sizeof *values, of_slots);
}

}  // namespace

DrawnPasses::DrawnPasses(RowSource& source, RowView view, const PassPlan& plan,
                         const std::atomic<bool>& abandoned)
    : source_(source),
      view_(std::move(view)),
      plan_(plan),
      abandoned_(abandoned),
      pool_(kPieceEntries),
      pass_(plan.from.pass - 1) {}

bool DrawnPasses::next(Window& window) {
  window = {};
  if (at_ == rows_.size() && !open_window(window)) return false;
  take_rows(window);
  const std::size_t left = rows_.size() - at_;
  window.slot_end = slot_end_;
  window.pass = pass_;
  window.ends_pass = left == 0 && draws_->left() == 0;
  window.next = {pass_, 0, draws_->drawn() - left, 0};
  if (window.ends_pass) window.next = {pass_ + 1, 0, 0, 0};
  window.labels = view_.labels;
  return true;
}

bool DrawnPasses::open_window(Window& window) {
  if (!draws_ || draws_->left() == 0) {
    if (pass_ >= plan_.passes) return false;
    ++pass_;
    const bool first = !draws_;
    if (first) read_all(window);
    draws_.emplace(plan_.seed, pass_, all_rows_.size());
    if (first) draws_->skip(plan_.from.row);
    if (first && (pass_ > 1 || plan_.from.row > 0)) window.source_bytes = 0;  // counted before
  }
  draws_->fill(rows_, all_rows_);
  at_ = 0;
  return true;
}

void DrawnPasses::read_all(Window& window) {
  std::uint64_t rows = 0;
  auto facts = std::make_shared<RowBlock>();  // of all blocks
  const auto read = [&](std::size_t k) { return source_.block(k); };
  parallel_in_order(source_.survey()->blocks, read, [&](std::size_t, const BlockPtr& block) {
    check_stop(&abandoned_, source_.name());
    check_stop(plan_.stop, source_.name());
    rows += block->rows() + block->bad_rows;
    add_block(block, window, *facts);
  });
  if (view_.weights) view_.weights->check_rows(rows);
  if (file_) file_->flush();
  window.blocks.push_back(std::move(facts));
}

void DrawnPasses::add_block(const BlockPtr& block, Window& window, RowBlock& facts) {
  view_.check_weights(source_, !block->weights.empty());
  const std::uint64_t bytes = memory_of(*block);
  const bool fits = bytes <= plan_.memory - held_bytes_;
  if (fits) {
    held_bytes_ += bytes;
    held_.push_back(block);
  } else if (!file_) {
    file_ = std::make_unique<TempFile>();
  }
  for (std::size_t i = 0; i < block->rows(); ++i) {
    StoredRow stored{block->row(i)};
    const auto line = [&] { return block->lines.empty() ? 0 : block->lines[i]; };
    if (!view_.admit(stored.row, source_, line)) continue;
    if (!fits) {
      stored.at = append(stored.row);
      stored.in_memory = false;
    }
    all_rows_.push_back(stored);
  }
  facts.dimension = std::max(facts.dimension, block->dimension);
  facts.bad_rows += block->bad_rows;
  slot_end_ = std::max(slot_end_, block->slot_end);
  window.source_bytes += block->source_bytes;
}

std::uint64_t DrawnPasses::append(const Row& row) {
  const std::uint64_t at = file_->size();
  const std::uint64_t sum = checksum(row.slots, row.values, row.size, row.id);
  file_->append(&sum, sizeof sum);
  file_->append(row.slots, row.size * sizeof *row.slots);
  file_->append(row.values, row.size * sizeof *row.values);
  return at;
}

// Hands over the next rows, up to the end of the window or of a piece.
void DrawnPasses::take_rows(Window& window) {
  const auto in_file = [&](std::size_t i) {
    return rows_[i].in_memory ? std::size_t{0} : rows_[i].row.size;
  };
  std::size_t entries = 0;
  std::size_t end = at_;
  const auto fits = [&] {
    return plan_.piece_rows > 0 ? end - at_ < plan_.piece_rows
                                : entries + in_file(end) <= kPieceEntries;
  };
  while (end < rows_.size() && (end == at_ || fits())) {
    entries += in_file(end++);
  }
  const auto memory = pool_.take();
  if (memory->slots.size() < entries) {
    memory->slots.resize(entries);
    memory->values.resize(entries);
  }
  std::uint32_t* slots = memory->slots.data();
  double* values = memory->values.data();
  window.rows.reserve(end - at_);
  for (; at_ < end; ++at_) {
    Row row = rows_[at_].row;
    if (!rows_[at_].in_memory) {
      read_back(rows_[at_], slots, values);
      row.slots = slots;
      row.values = values;
      slots += row.size;
      values += row.size;
    }
    window.rows.push_back(row);
  }
  window.blocks.push_back(memory);
}

void DrawnPasses::read_back(const StoredRow& stored, std::uint32_t* slots, double* values) {
  const std::size_t size = stored.row.size;
  std::uint64_t sum = 0;
  bytes_.resize(sizeof sum + size * (sizeof *slots + sizeof *values));
  file_->pread(bytes_.data(), bytes_.size(), stored.at);
  const char* from = bytes_.data();
  const auto take = [&](void* to, std::size_t bytes) {
    std::copy_n(from, bytes, static_cast<char*>(to));
    from += bytes;
  };
  take(&sum, sizeof sum);
  take(slots, size * sizeof *slots);
  take(values, size * sizeof *values);
  if (checksum(slots, values, size, stored.row.id) != sum) throw_damaged_spool(source_.name());
}

}  // namespace thresh
