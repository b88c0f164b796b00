#include "data/feed/packed_passes.hpp"

#include <algorithm>

namespace thresh {

PackedPasses::PackedPasses(const CachedSource& source, RowView view, const PassPlan& plan,
                           std::size_t piece)
    : source_(source),
      view_(std::move(view)),
      plan_(plan),
      piece_entries_(piece),
      pool_(piece + kUnpackRoom),
      pass_(plan.from.pass - 1) {}

bool PackedPasses::next(Window& piece) {
  piece.rows.clear();
  piece.blocks.clear();
  piece.source_bytes = 0;
  if (at_ == rows_.size() && !open_window(piece)) return false;
  unpack_rows(piece);
  piece.slot_end = slot_end_;
  piece.pass = pass_;
  const bool all = draws_ ? draws_->left() == 0 : blocks_ == source_.survey()->blocks;
  piece.ends_pass = at_ == rows_.size() && all;
  piece.next = next_place();
  piece.labels = view_.labels;
  return true;
}

RowPlace PackedPasses::next_place() const {
  const bool window_ends = at_ == rows_.size();
  if (draws_) {
    if (window_ends && draws_->left() == 0) return {pass_ + 1, 0, 0, 0};
    return {pass_, 0, draws_->drawn() - (rows_.size() - at_), 0};
  }
  if (window_ends && blocks_ == source_.survey()->blocks) return {pass_ + 1, 0, 0, 0};
  return window_ends ? RowPlace{pass_, windows_, 0, rows_met_}
                     : RowPlace{pass_, windows_ - 1, at_, met_before_};
}

bool PackedPasses::open_window(Window& piece) {
  if (plan_.order == Order::replacement) return draw_window(piece);
  const std::size_t blocks = source_.survey()->blocks;
  if ((!order_ || blocks_ == blocks) && !open_pass()) return false;
  const std::size_t end = std::min(blocks, blocks_ + plan_.window_blocks());
  open_.clear();
  rows_.clear();
  at_ = 0;
  slot_end_ = 0;
  met_before_ = rows_met_;
  for (; blocks_ < end; ++blocks_) open_.push_back(source_.packed(order_->block(blocks_)));
  auto facts = std::make_shared<RowBlock>();  // from the heads of the blocks
  for (const PackedBlock& block : open_) add_block(block, piece, *facts);
  piece.blocks.push_back(std::move(facts));
  order_->arrange(windows_++, rows_);
  // Missing weights were reported on the way. Surplus ones show only at the end.
  if (blocks_ == blocks && view_.weights) view_.weights->check_rows(rows_met_);
  if (skipped_ > 0) {  // shown before; so were the bytes
    at_ = std::min<std::size_t>(skipped_, rows_.size());
    piece.source_bytes = 0;
    skipped_ = 0;
  }
  return true;
}

// Drawn rows may be anywhere, so all blocks stay open.
bool PackedPasses::draw_window(Window& piece) {
  if (!draws_ || draws_->left() == 0) {
    if (pass_ >= plan_.passes) return false;
    auto facts = std::make_shared<RowBlock>();
    const bool first = !draws_;
    if (pass_++, first) {
      const std::size_t blocks = source_.survey()->blocks;
      for (std::size_t k = 0; k < blocks; ++k) open_.push_back(source_.packed(k));
      for (const PackedBlock& block : open_) add_block(block, piece, *facts);
      if (view_.weights) view_.weights->check_rows(rows_met_);
      all_rows_.swap(rows_);
    }
    draws_.emplace(plan_.seed, pass_, all_rows_.size());
    if (first) draws_->skip(plan_.from.row);
    if (first && (pass_ > 1 || plan_.from.row > 0)) piece.source_bytes = 0;  // counted before
    piece.blocks.push_back(std::move(facts));
  }
  draws_->fill(rows_, all_rows_);
  at_ = 0;
  return true;
}

bool PackedPasses::open_pass() {
  if (pass_ >= plan_.passes) return false;
  const bool first = !order_;
  order_.emplace(plan_.order, plan_.seed, ++pass_, source_.survey()->blocks);
  const RowPlace from = first ? plan_.from : RowPlace{};
  windows_ = from.window;
  blocks_ = std::min<std::size_t>(source_.survey()->blocks, from.window * plan_.window_blocks());
  rows_met_ = from.met;
  skipped_ = from.row;
  return true;
}

void PackedPasses::add_block(const PackedBlock& block, Window& piece, RowBlock& facts) {
  for (std::size_t i = 0; i < block.rows(); ++i) {
    Row row{nullptr, nullptr, block.size(i), block.label(i), source_.weight(block, i), block.id(i)};
    if (view_.admit(row, source_, [&] { return block.line(i); })) rows_.push_back({row, &block, i});
  }
  const BlockHead& head = block.head();
  rows_met_ += head.rows + head.bad_rows;
  facts.dimension = std::max(facts.dimension, head.dimension);
  facts.bad_rows += head.bad_rows;
  slot_end_ = std::max(slot_end_, head.id_end);
  piece.source_bytes += head.source_bytes;
}

void PackedPasses::unpack_rows(Window& piece) {
  constexpr std::size_t kNear = 8;
  std::size_t entries = 0;
  std::size_t end = at_;
  while (end < rows_.size() && (end == at_ || entries + rows_[end].row.size <= piece_entries_)) {
    entries += rows_[end++].row.size;
  }
  const auto memory = memory_for(entries);
  std::uint32_t* slots = memory->slots.data();
  double* values = memory->values.data();
  piece.rows.reserve(end - at_);
  for (; at_ < end; ++at_) {
    if (at_ + kNear < rows_.size()) rows_[at_ + kNear].block->prefetch(rows_[at_ + kNear].place);
    Row row = rows_[at_].row;
    row.slots = slots;
    row.values = values;
    row.size = source_.unpack(*rows_[at_].block, rows_[at_].place, slots, values);
    slots += row.size;
    values += row.size;
    piece.rows.push_back(row);
  }
  piece.blocks.push_back(memory);
}

std::shared_ptr<RowBlock> PackedPasses::memory_for(std::size_t entries) {
  auto memory = pool_.take();
  if (memory->slots.size() < entries + kUnpackRoom) {
    memory->slots.resize(std::max(entries, piece_entries_) + kUnpackRoom);
    memory->values.resize(memory->slots.size());
  }
  return memory;
}

}  // namespace thresh
