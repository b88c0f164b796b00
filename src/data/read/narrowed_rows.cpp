#include "data/read/narrowed_rows.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "data/read/bytes.hpp"
#include "data/read/sources.hpp"
#include "sparse/parallel.hpp"
#include "thresh/cluster.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Reads what a rank has of the rows of a block, row by row.
class Parts {
 public:
  explicit Parts(Message message) : message_(std::move(message)) {}

  // Adds the entries of the next row.
  void add_row(std::vector<std::pair<std::uint32_t, double>>& entries) {
    for (auto left = next<std::uint32_t>(); left > 0; --left) {
      const auto place = next<std::uint32_t>();
      entries.emplace_back(place, next<double>());
    }
  }

 private:
  template <class Number>
  Number next() {
    if (at_ + sizeof(Number) > message_.size()) {
      throw Error("ranks are at different places of the training");
    }
    Number number;
    std::memcpy(&number, message_.data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }

  Message message_;
  std::size_t at_ = 0;
};

template <class Number>
void put(Number number, Message& message) {
  const std::size_t at = message.size();
  message.resize(at + sizeof number);
  std::memcpy(message.data() + at, &number, sizeof number);
}

// The blocks in order, narrowed.
class NarrowedStream : public RowSource {
 public:
  NarrowedStream(const std::shared_ptr<RowSource>& source, FeatureMap& features,
                 const std::vector<std::uint64_t>& ids, std::size_t to,
                 const std::atomic<bool>* stop)
      : source_(source),
        comm_(features.share() ? features.share()->comm : nullptr),
        to_(to),
        stop_(stop) {
    for (std::uint32_t place = 0; place < ids.size(); ++place) {
      const std::uint32_t slot = features.slot(ids[place]);
      if (slot == FeatureMap::kUnknown) continue;  // it is another rank's
      if (slot >= place_of_slot_.size()) place_of_slot_.resize(slot + std::size_t{1}, kNone);
      place_of_slot_[slot] = place;
    }
  }

  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return source_->name(); }
  BlockPtr block(std::size_t /*k*/) override {
    throw Error(name() + ": narrowed in one pass only");
  }

  // Takes nothing on other ranks than `to`.
  void for_each_block(const std::function<void(const BlockPtr&)>& take) override {
    struct Block {
      BlockPtr rows;
      Message mine;
    };
    const auto read = [&](std::size_t k) {
      check_stop(stop_, name());
      BlockPtr rows = source_->block(k);
      Message mine = message_of(*rows);
      return Block{std::move(rows), std::move(mine)};
    };
    parallel_in_order(source_->survey()->blocks, read, [&](std::size_t, Block block) {
      if (comm_ != nullptr && comm_->rank() != to_) return comm_->send(to_, block.mine);
      take(merged(*block.rows, std::move(block.mine)));
    });
  }

 private:
  // Of each row: how many of its entries have places, and these.
  Message message_of(const RowBlock& block) const {
    Message message;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row row = block.row(i);
      const std::size_t count_at = message.size();
      std::uint32_t count = 0;
      put(count, message);
      for (std::size_t k = 0; k < row.size; ++k) {
        const std::uint32_t slot = row.slots[k];
        const std::uint32_t place = slot < place_of_slot_.size() ? place_of_slot_[slot] : kNone;
        if (place == kNone) continue;
        put(place, message);
        put(row.values[k], message);
        ++count;
      }
      std::memcpy(message.data() + count_at, &count, sizeof count);
    }
    return message;
  }

  BlockPtr merged(const RowBlock& from, Message mine) {
    std::vector<Parts> parts;
    parts.emplace_back(std::move(mine));
    for (std::size_t r = 0; comm_ != nullptr && r < comm_->size(); ++r) {
      if (r != to_) parts.emplace_back(comm_->receive(r));
    }
    auto block = std::make_shared<RowBlock>();
    block->labels = from.labels;
    block->ids = from.ids;
    block->weights = from.weights;
    block->lines = from.lines;
    block->lines.resize(from.rows());  // rows in memory have none
    block->dimension = from.dimension;
    block->source_bytes = from.source_bytes;
    block->bad_rows = from.bad_rows;
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (std::size_t i = 0; i < from.rows(); ++i) {
      entries.clear();
      for (Parts& each : parts) each.add_row(entries);
      std::ranges::sort(entries, {}, &std::pair<std::uint32_t, double>::first);
      for (const auto& [place, value] : entries) {
        block->slots.push_back(place);
        block->values.push_back(value);
        block->slot_end = std::max(block->slot_end, place + std::uint64_t{1});
      }
      block->starts.push_back(block->slots.size());
    }
    return block;
  }

  std::shared_ptr<RowSource> source_;
  Comm* comm_;  // null: one process has all features
  std::size_t to_;
  const std::atomic<bool>* stop_;
  std::vector<std::uint32_t> place_of_slot_;
};

class NarrowedRows : public RowSource {
 public:
  NarrowedRows(RowSource& stream, const Survey& survey) : rows_(stream), survey_(survey) {}

  BlockPtr block(std::size_t k) override { return rows_.block(k); }
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return rows_.name(); }

 private:
  SpooledSource rows_;
  Survey survey_;
};

}  // namespace

std::shared_ptr<RowSource> narrowed_rows(const std::shared_ptr<RowSource>& source,
                                         FeatureMap& features,
                                         const std::vector<std::uint64_t>& ids, std::size_t to,
                                         const std::atomic<bool>* stop) {
  NarrowedStream stream(source, features, ids, to, stop);
  if (!features.share() || features.share()->comm->rank() == to) {
    return std::make_shared<NarrowedRows>(stream, *source->survey());
  }
  stream.for_each_block([](const BlockPtr&) {});
  return nullptr;
}

}  // namespace thresh
