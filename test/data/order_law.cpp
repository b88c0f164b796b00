// The order of rows: a permutation that follows from seed, pass and block boundaries alone.
#include "data/feed/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/feed/feeder.hpp"
#include "data/read/memory_rows.hpp"
#include "data/read/sources.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::order_law {
namespace {

using Ids = std::vector<std::uint64_t>;
using SourcePtr = std::shared_ptr<RowSource>;

constexpr std::size_t kRows = 40 * kBlockRows + 123;  // three windows, the last one not full

// Nothing but labels, so that there may be many.
SourcePtr labels_in_memory(std::size_t rows) {
  const std::vector<std::size_t> starts(rows + 1, 0);
  std::vector<double> labels(rows);
  for (std::size_t i = 0; i < rows; ++i) labels[i] = i % 3 == 0 ? 1 : -1;
  return memory_rows(starts, {}, {}, labels, std::make_shared<FeatureMap>());
}

RowView two_classes() {
  RowView view;
  view.labels = LabelMap::of_classes(-1, 1);
  return view;
}

// The ids of each pass.
std::vector<Ids> visit(const SourcePtr& source, const RowView& view, const Feeder::Plan& plan) {
  Feeder feeder(source, view, plan);
  std::vector<Ids> passes(1);
  for (Window window; feeder.next(window);) {
    EXPECT_EQ(window.pass, passes.size());
    for (const Row& row : window.rows) passes.back().push_back(row.id);
    if (window.ends_pass) passes.emplace_back();
  }
  EXPECT_TRUE(passes.back().empty()) << "every pass ends";
  passes.pop_back();
  return passes;
}

Ids sorted(Ids ids) {
  std::sort(ids.begin(), ids.end());
  return ids;
}

Ids up_to(std::size_t n) {
  Ids ids(n);
  std::iota(ids.begin(), ids.end(), 0u);
  return ids;
}

TEST(RowOrder, EachPassIsAPermutation) {
  for (const std::size_t rows :
       {std::size_t{0}, std::size_t{1}, std::size_t{1024}, kWindowBlocks * kBlockRows, kRows}) {
    const auto passes = visit(labels_in_memory(rows), two_classes(), {Order::shuffle, 7, 3});
    ASSERT_EQ(passes.size(), 3u);
    for (const Ids& pass : passes) EXPECT_EQ(sorted(pass), up_to(rows));
    if (rows > 1) {
      EXPECT_NE(passes[0], up_to(rows));
      EXPECT_NE(passes[0], passes[1]);
      EXPECT_NE(passes[1], passes[2]);
    }
  }
}

TEST(RowOrder, DependsOnSeedAndPassAlone) {
  const SourcePtr source = labels_in_memory(kRows);
  const auto once = visit(source, two_classes(), {Order::shuffle, 1, 2});
  const auto more = visit(labels_in_memory(kRows), two_classes(), {Order::shuffle, 1, 4});
  EXPECT_EQ(once[0], more[0]);
  EXPECT_EQ(once[1], more[1]);
  std::set<Ids> distinct(more.begin(), more.end());
  for (std::uint64_t seed = 2; seed < 6; ++seed) {
    distinct.insert(visit(source, two_classes(), {Order::shuffle, seed, 1})[0]);
  }
  EXPECT_EQ(distinct.size(), 8u);
}

TEST(RowOrder, RowsOfAWindowStayInIt) {
  const auto pass = visit(labels_in_memory(kRows), two_classes(), {Order::shuffle, 3, 1})[0];
  std::set<std::uint64_t> blocks;
  const std::size_t window = kWindowBlocks * kBlockRows;
  for (std::size_t i = 0; i < window; ++i) blocks.insert(pass[i] / kBlockRows);
  EXPECT_LE(blocks.size(), kWindowBlocks + 1) << "one of them may be the short last block";
  EXPECT_GT(*blocks.rbegin() - *blocks.begin(), kWindowBlocks) << "blocks come in random order";
}

TEST(RowOrder, APermutationIsFair) {
  // Where row 0 of five blocks lands: anywhere, about as often.
  const SourcePtr source = labels_in_memory(5);
  std::map<std::size_t, int> places;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto pass = visit(source, two_classes(), {Order::shuffle, seed, 1})[0];
    ++places[static_cast<std::size_t>(std::find(pass.begin(), pass.end(), 0u) - pass.begin())];
  }
  for (const auto& [place, count] : places) EXPECT_NEAR(count, 400, 80) << place;
}

TEST(RowOrder, IsTheSameForEverySource) {
  ScratchDir scratch;
  const RandomRows rows = random_rows(1, 18 * kBlockRows + 5, 3);
  const std::string path = scratch.write("data", rows.text());
  const auto map = [] { return std::make_shared<FeatureMap>(); };
  const auto memory = memory_rows(rows.starts, rows.indices, rows.values, rows.labels, map());
  const auto text = std::make_shared<TextSource>(path, ReadOptions{}, map());
  StreamSource stream(path, {}, map());
  const auto spooled = std::make_shared<SpooledSource>(stream);
  const auto retaining = std::make_shared<RetainingSource>(text, 100'000);
  for (const Order order : {Order::shuffle, Order::sequential}) {
    const auto expected = visit(memory, two_classes(), {order, 5, 2});
    EXPECT_EQ(visit(text, two_classes(), {order, 5, 2}), expected);
    EXPECT_EQ(visit(spooled, two_classes(), {order, 5, 2}), expected);
    EXPECT_EQ(visit(retaining, two_classes(), {order, 5, 2}), expected);
  }
}

TEST(RowOrder, SequentialIsTheOrderOfTheFile) {
  const auto passes = visit(labels_in_memory(kRows), two_classes(), {Order::sequential, 9, 2});
  ASSERT_EQ(passes.size(), 2u);
  for (const Ids& pass : passes) EXPECT_EQ(pass, up_to(kRows));
}

TEST(RowOrder, APipeIsReadOnceInItsOrder) {
  ScratchDir scratch;
  for (const std::size_t count : {std::size_t{0}, std::size_t{10}, kWindowBlocks * kBlockRows,
                                  kWindowBlocks * kBlockRows + 1}) {
    const std::string path = scratch.write("data", random_rows(2, count, 1).text());
    const auto stream =
        std::make_shared<StreamSource>(path, ReadOptions{}, std::make_shared<FeatureMap>());
    EXPECT_EQ(visit(stream, two_classes(), {}), std::vector<Ids>{up_to(count)}) << count;
  }
}

TEST(RowOrder, HeldOutAndTrainingRowsPartitionTheRows) {
  const SourcePtr source = labels_in_memory(kRows);
  for (const double holdout : {0.0, 0.1, 0.5, 0.999}) {
    RowView view = two_classes();
    view.holdout = holdout;
    view.seed = 4;
    const auto kept = [&](RowView::Keep keep, Order order, std::uint64_t seed) {
      view.keep = keep;
      return sorted(visit(source, view, {order, seed, 1})[0]);
    };
    const Ids training = kept(RowView::Keep::training, Order::sequential, 1);
    const Ids held_out = kept(RowView::Keep::held_out, Order::sequential, 1);
    EXPECT_EQ(kept(RowView::Keep::training, Order::shuffle, 2), training);
    EXPECT_EQ(kept(RowView::Keep::held_out, Order::shuffle, 3), held_out);
    EXPECT_EQ(kept(RowView::Keep::all, Order::shuffle, 3), up_to(kRows));
    Ids both;
    std::merge(training.begin(), training.end(), held_out.begin(), held_out.end(),
               std::back_inserter(both));
    EXPECT_EQ(both, up_to(kRows));
    const double share = static_cast<double>(held_out.size()) / static_cast<double>(kRows);
    EXPECT_NEAR(share, holdout, 4 * std::sqrt(holdout * (1 - holdout) / double{kRows}));
    view.seed = 5;
    if (holdout > 0) {
      EXPECT_NE(kept(RowView::Keep::held_out, Order::sequential, 1), held_out);
    }
  }
}

}  // namespace
}  // namespace thresh::order_law
