// The thread that reads ahead: what it hands over, what it reports, and that it lets go.
#include "data/feed/feeder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "data/read/sources.hpp"
#include "sparse/parallel.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::feeder_edge {
namespace {

// As many blocks of one row as asked for, made up as they are read; one of them may fail.
class MadeUp : public RowSource {
 public:
  explicit MadeUp(std::uint64_t blocks, std::uint64_t fails = UINT64_MAX) : fails_(fails) {
    survey_.blocks = blocks;
    survey_.rows = blocks;
  }
  BlockPtr block(std::size_t k) override {
    if (k == fails_) throw Error("made up: cannot read");
    if (k >= survey_.blocks) return nullptr;
    ++read_;
    auto block = std::make_shared<RowBlock>();
    block->starts.push_back(0);
    block->labels.push_back(k % 2 == 0 ? 1 : -1);
    block->ids.push_back(k);
    block->source_bytes = 10;
    return block;
  }
  const Survey* survey() const override {
    ++looks_;
    return pipe_ ? nullptr : &survey_;
  }
  std::string name() const override { return "made up"; }
  static std::shared_ptr<MadeUp> pipe(std::uint64_t blocks) {
    auto made_up = std::make_shared<MadeUp>(blocks);
    made_up->pipe_ = true;
    return made_up;
  }
  std::uint64_t read() const { return read_; }
  std::uint64_t looks() const { return looks_; }

 private:
  std::uint64_t fails_;
  bool pipe_ = false;
  std::atomic<std::uint64_t> read_ = 0;
  mutable std::atomic<std::uint64_t> looks_ = 0;  // at the survey
  Survey survey_;
};

RowView two_classes() {
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  return view;
}

TEST(Feeder, AFailureSurfacesAfterTheRowsBeforeIt) {
  constexpr std::uint64_t kBad = 2 * kWindowBlocks + 3;
  Feeder feeder(std::make_shared<MadeUp>(100, kBad), two_classes(), {});
  std::uint64_t rows = 0;
  Window window;
  EXPECT_EQ(error_of([&] {
              while (feeder.next(window)) rows += window.rows.size();
            }),
            "made up: cannot read");
  EXPECT_EQ(rows, kBad - 1) << "all but the window that waited for what comes behind it";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(error_of([&] { feeder.next(window); }), "made up: cannot read") << "again and again";
  }
}

TEST(Feeder, ALabelOfNeitherClassIsReportedWithItsRow) {
  RowView view;
  view.labels = LabelMap::of_classes(0, 1);
  Feeder feeder(MadeUp::pipe(100), view, {});
  Window window;
  ASSERT_TRUE(feeder.next(window));
  EXPECT_EQ(error_of([&] { feeder.next(window); }),
            "made up: row 1: label -1 is neither of the two classes 0 and 1");
}

TEST(Feeder, CanBeLeftAtAnyTime) {
  const auto endless = std::make_shared<MadeUp>(UINT64_MAX / 2);
  const Feeder::Plan plan{Order::sequential, 1, UINT64_MAX};
  for (int windows = 0; windows < 8; ++windows) {
    Feeder feeder(endless, two_classes(), plan);
    Window window;
    for (int i = 0; i < windows; ++i) ASSERT_TRUE(feeder.next(window));
  }
  // Also when nothing but empty passes could ever come.
  for (int i = 0; i < 20; ++i) Feeder feeder(std::make_shared<MadeUp>(0), two_classes(), plan);
  for (int i = 0; i < 20; ++i) Feeder feeder(std::make_shared<MadeUp>(9, 3), two_classes(), plan);
}

// Blocks that may wait: two windows, or a few blocks where each is a window.
std::uint64_t most_ahead(Order order) {
  return order == Order::shuffle ? 2 * kWindowBlocks : 4;
}

TEST(Feeder, CanBeLeftWhileItWaitsForRoom) {
  for (const Order order : {Order::sequential, Order::shuffle}) {
    const auto source = std::make_shared<MadeUp>(1000 * kWindowBlocks);
    const Feeder feeder(source, two_classes(), {order, 1, 1});
    // It may read so far ahead: what is behind that must wait.
    while (source->read() <= most_ahead(order)) std::this_thread::yield();
  }
}

TEST(Feeder, AWindowIsNeverEmptyUnlessThePassIs) {
  const auto windows = [](std::uint64_t blocks, Order order) {
    Feeder feeder(std::make_shared<MadeUp>(blocks), two_classes(), {order, 1, 1});
    std::uint64_t count = 0;
    for (Window window; feeder.next(window); ++count) EXPECT_EQ(window.rows.empty(), blocks == 0);
    return count;
  };
  const auto pieces = [](std::uint64_t blocks) {
    Feeder feeder(MadeUp::pipe(blocks), two_classes(), {});
    std::uint64_t count = 0;
    for (Window window; feeder.next(window);) count += window.rows.size() == 1 ? 1 : 0;
    return count;
  };
  for (const Order order : {Order::sequential, Order::shuffle}) EXPECT_EQ(windows(0, order), 1u);
  for (const std::uint64_t blocks :
       {std::size_t{1}, kWindowBlocks, kWindowBlocks + 1, 2 * kWindowBlocks}) {
    EXPECT_EQ(pieces(blocks), blocks) << "a pipe's block is passed on as it comes";
    EXPECT_EQ(windows(blocks, Order::sequential), blocks);
    EXPECT_EQ(windows(blocks, Order::shuffle), (blocks + kWindowBlocks - 1) / kWindowBlocks);
  }
}

TEST(Feeder, ReadsOnlySoFarAhead) {
  for (const Order order : {Order::sequential, Order::shuffle}) {
    const auto source = std::make_shared<MadeUp>(100 * kWindowBlocks);
    Feeder feeder(source, two_classes(), {order, 1, 1});
    std::uint64_t taken = 0;
    for (Window window; feeder.next(window);) {
      taken += window.rows.size();
      // So many wait and one window is being made; behind them come the blocks that were read
      // before their turn: four a core may lie there, and each core may hold one more.
      const std::uint64_t window_blocks = order == Order::shuffle ? kWindowBlocks : 1;
      EXPECT_LE(source->read(), taken + most_ahead(order) + window_blocks + 5 * cores());
    }
    EXPECT_EQ(taken, 100 * kWindowBlocks);
  }
}

TEST(Feeder, PassesOverNothingDoNotPileUp) {
  const auto nothing = std::make_shared<MadeUp>(0);
  Feeder feeder(nothing, two_classes(), {Order::sequential, 1, UINT64_MAX});
  Window window;
  for (std::uint64_t taken = 1; taken < 2000; ++taken) {
    ASSERT_TRUE(feeder.next(window));
    ASSERT_LE(nothing->looks(), 1 + 2 * (taken + 2 * kWindowBlocks + 1)) << "two a pass";
    std::this_thread::yield();
  }
}

TEST(Feeder, WindowsAddUpToTheSource) {
  ScratchDir scratch;
  const std::string path = scratch.write("data", random_rows(1, 20 * kBlockRows, 3).text());
  const auto source =
      std::make_shared<TextSource>(path, ReadOptions{}, std::make_shared<FeatureMap>());
  for (const Order order : {Order::sequential, Order::shuffle}) {
    std::uint64_t bytes = 0;
    std::uint64_t slot_end = 0;
    std::uint64_t blocks = 0;
    Feeder feeder(source, two_classes(), {order, 1, 1});
    for (Window window; feeder.next(window);) {
      bytes += window.source_bytes;
      blocks += window.blocks.size();
      slot_end = std::max(slot_end, window.slot_end);
      for (const Row& row : window.rows) {
        for (std::size_t i = 0; i < row.size; ++i) ASSERT_LT(row.slots[i], window.slot_end);
      }
    }
    EXPECT_EQ(bytes, source->survey()->bytes);
    EXPECT_EQ(blocks, source->survey()->blocks);
    EXPECT_LE(slot_end, source->survey()->dimension);
  }
}

TEST(Feeder, EndsWhenItIsStopped) {
  std::atomic<bool> stop = false;
  RowView view = two_classes();
  view.stop = &stop;
  std::uint64_t rows = 0;
  const auto visit = [&](const Window& window) {
    rows += window.rows.size();
    stop = true;
  };
  const auto source = std::make_shared<MadeUp>(100 * kBlockRows);
  EXPECT_THROW(for_each_window(source, view, visit), Interrupted);
  EXPECT_LE(rows, kWindowBlocks * kBlockRows) << "the first window";
}

TEST(Feeder, LabelsAndWeightsAreMapped) {
  ScratchDir scratch;
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i % 5) + "\n";
  RowView view = two_classes();
  view.weights = std::make_shared<RowWeights>(scratch.write("w", text));
  view.class_weights = {0.5, 10};
  std::map<std::uint64_t, double> weights;
  for_each_window(std::make_shared<MadeUp>(100), view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      EXPECT_EQ(row.label, row.id % 2 == 0 ? 1 : -1);
      weights[row.id] = row.weight;
    }
  });
  EXPECT_EQ(weights.size(), 80u) << "a row of weight zero does not exist";
  for (const auto& [id, weight] : weights) {
    EXPECT_DOUBLE_EQ(weight, static_cast<double>(id % 5) / 2.5 * (id % 2 == 0 ? 10 : 0.5)) << id;
  }
}

TEST(Feeder, AWeightTooFewOrTooManyIsAnError) {
  ScratchDir scratch;
  RowView view = two_classes();
  const std::string path = scratch.write("w", "1\n1\n");
  view.weights = std::make_shared<RowWeights>(path);
  const auto error = [&](std::uint64_t rows) {
    return error_of([&] { for_each_window(std::make_shared<MadeUp>(rows), view, [](auto&) {}); });
  };
  EXPECT_EQ(error(3), path + ": 2 weights, but the data has more rows");
  EXPECT_EQ(error(2), "");
  EXPECT_EQ(error(1), path + ": 2 weights for 1 rows");
}

TEST(Feeder, TellsTheLabelsOfAPipeAsTheyBecomeKnown) {
  RowView view;
  view.labels = LabelMap::of_classes(std::nullopt, 1);
  Feeder feeder(MadeUp::pipe(2), view, {});
  Window window;
  ASSERT_TRUE(feeder.next(window));
  EXPECT_FALSE(window.labels.both_known());
  ASSERT_TRUE(feeder.next(window));
  EXPECT_TRUE(window.labels.both_known());
  EXPECT_EQ(window.labels.negative(), -1);
}

}  // namespace
}  // namespace thresh::feeder_edge
