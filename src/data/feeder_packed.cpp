// A pass over a cache. Only where rows are is shuffled; each is unpacked when its turn is near,
// next to those that are visited before and after it, so that the learner reads memory front to
// back and finds it in the processor's cache.

#include "data/cache_source.hpp"
#include "data/feeder.hpp"

namespace thresh {

std::shared_ptr<RowBlock> BlockPool::take() {
  std::unique_ptr<RowBlock> block;
  {
    const std::lock_guard lock(free_->mutex);
    if (!free_->blocks.empty()) {
      block = std::move(free_->blocks.back());
      free_->blocks.pop_back();
    }
  }
  if (!block) block = std::make_unique<RowBlock>();
  return {block.release(), [free = free_](RowBlock* used) {
            const std::lock_guard lock(free->mutex);
            free->blocks.emplace_back(used);
          }};
}

struct Feeder::PackedRow {
  Row row;  // its slots and values are not there yet
  const PackedBlock* block;
  std::size_t place;
};

void Feeder::run_packed_pass(const PassOrder& order, std::uint64_t pass) {
  const std::size_t blocks = source_->survey()->blocks;
  std::uint64_t rows_met = 0;
  std::size_t windows = 0;
  std::size_t k = 0;
  do {
    const std::size_t end = std::min(blocks, k + window_blocks_);
    std::vector<PackedBlock> packed;
    for (; k < end; ++k) packed.push_back(packed_->packed(order.block(k)));
    Window window;
    window.pass = pass;
    auto facts = std::make_shared<RowBlock>();  // what the blocks say of themselves
    std::vector<PackedRow> rows;
    for (const PackedBlock& block : packed) {
      for (std::size_t i = 0; i < block.rows(); ++i) {
        Row row{nullptr, nullptr, block.size(i), block.label(i), 1.0, block.id(i)};
        if (admit(row, block.line(i))) rows.push_back({row, &block, i});
      }
      const BlockHead& head = block.head();
      rows_met += head.rows + head.bad_rows;
      facts->dimension = std::max(facts->dimension, head.dimension);
      facts->bad_rows += head.bad_rows;
      window.slot_end = std::max(window.slot_end, head.id_end);
      window.source_bytes += head.source_bytes;
    }
    window.blocks.push_back(std::move(facts));
    order.arrange(windows++, rows);
    // Too few weights were met on the way; too many show only at the end.
    if (k == blocks && view_.weights) view_.weights->check_rows(rows_met);
    push_pieces(rows, std::move(window), k == blocks);
  } while (k < blocks);
}

// Hands the rows over a piece at a time. What `window` knows of all of them goes with the first.
void Feeder::push_pieces(const std::vector<PackedRow>& rows, Window window, bool ends_pass) {
  constexpr std::size_t kPieceEntries = std::size_t{1} << 15;
  constexpr std::size_t kNear = 8;
  std::size_t begin = 0;
  do {
    std::size_t entries = 0;
    std::size_t end = begin;
    while (end < rows.size() && (end == begin || entries + rows[end].row.size <= kPieceEntries)) {
      entries += rows[end++].row.size;
    }
    const auto memory = pool_.take();
    if (memory->slots.size() < entries + kUnpackRoom) {
      memory->slots.resize(std::max(entries, kPieceEntries) + kUnpackRoom);
      memory->values.resize(memory->slots.size());
    }
    std::uint32_t* slots = memory->slots.data();
    double* values = memory->values.data();
    window.rows.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kNear < rows.size()) rows[i + kNear].block->prefetch(rows[i + kNear].place);
      Row row = rows[i].row;
      row.slots = slots;
      row.values = values;
      row.size = packed_->unpack(*rows[i].block, rows[i].place, slots, values);
      slots += row.size;
      values += row.size;
      window.rows.push_back(row);
    }
    window.blocks.push_back(memory);
    window.ends_pass = ends_pass && end == rows.size();
    window.labels = view_.labels;
    Window next;
    next.pass = window.pass;
    next.slot_end = window.slot_end;
    push(std::move(window));
    window = std::move(next);
    begin = end;
  } while (begin < rows.size());
}

}  // namespace thresh
