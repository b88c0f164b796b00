// The archive: what goes in comes out, to the bit, and no bytes do harm.

#include "sparse/archive.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sparse/random.hpp"
#include "sparse/slot_list.hpp"
#include "sparse/top_heap.hpp"

namespace thresh {
namespace {

struct Inner {
  double number = 0;
  std::optional<std::string> text;

  template <class Archive>
  void archive(Archive& a) {
    a(number, text);
  }
};

struct Everything {
  bool flag = false;
  std::uint64_t count = 0;
  std::vector<double> numbers;
  std::vector<Inner> inner;
  std::map<std::string, std::uint64_t> map;
  ZeroedArray<double> array;
  std::deque<std::pair<std::uint32_t, float>> pairs;

  template <class Archive>
  void archive(Archive& a) {
    a.limit(1 << 20);
    a(flag, count, numbers, inner, map, array, pairs);
  }
};

Everything example() {
  Everything all;
  all.flag = true;
  all.count = 42;
  all.numbers = {1, -0.0, std::numeric_limits<double>::infinity(), 0x1p-1074};
  all.inner = {{1.5, std::nullopt}, {std::nan(""), "text"}};
  all.map = {{"a", 1}, {"b", 2}};
  all.array.ensure(5000);
  all.array[0] = 1;
  all.array[17] = -0.0;
  all.array[18] = 3;
  all.array[4999] = 2;
  all.pairs = {{3, 0.5F}};
  return all;
}

std::string bytes_of(Everything& all) {
  Archive a;
  a(all);
  return a.take();
}

TEST(ArchiveEdge, GivesBackEveryBit) {
  Everything before = example();
  const std::string bytes = bytes_of(before);
  EXPECT_LT(bytes.size(), 600U) << "zeros take no room";
  Everything after;
  Archive a(bytes);
  a(after);
  a.end();
  EXPECT_EQ(bytes_of(after), bytes);
  EXPECT_EQ(after.array.size(), 5000U);
  EXPECT_TRUE(std::signbit(after.array[17]));
  EXPECT_TRUE(std::signbit(after.numbers[1]));
  EXPECT_EQ(after.inner[1].text, "text");
  EXPECT_EQ(after.map["b"], 2U);
}

TEST(ArchiveEdge, RefusesEveryPrefix) {
  Everything before = example();
  const std::string bytes = bytes_of(before);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Everything after;
    Archive a(std::string_view(bytes).substr(0, length));
    EXPECT_THROW(a(after), Error) << length;
  }
  const std::string more = bytes + "x";
  Archive longer(more);
  Everything after;
  longer(after);
  EXPECT_THROW(longer.end(), Error);
}

// A changed count must not ask for memory that the bytes cannot fill.
TEST(ArchiveEdge, SurvivesEveryChangedByte) {
  Everything before = example();
  const std::string bytes = bytes_of(before);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      Everything after;
      Archive a(changed);
      try {
        a(after);
        a.end();
      } catch (const Error&) {
      }
    }
  }
}

TEST(ArchiveEdge, AHeapRefusesSlotsThatItDoesNotHave) {
  const FeatureMap features;
  TopHeap heap(features);
  heap.ensure_slots(10);
  heap.set(3, 2);
  heap.set(9, 1);
  Archive out;
  out(heap);
  const std::string bytes = out.take();
  TopHeap same(features);
  Archive in(bytes);
  in(same);
  in.end();
  EXPECT_EQ(same.smallest_slot(), 9U);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    TopHeap other(features);
    Archive a(changed);
    try {
      a(other);
      if (other.size() > 0) other.pop();
    } catch (const Error&) {
    }
  }
}

TEST(ArchiveEdge, AListRefusesSlotsThatItDoesNotHave) {
  SlotList list;
  list.ensure_slots(10);
  list.add(9);
  Archive out;
  out(list);
  const std::string bytes = out.take();
  SlotList shorter;
  shorter.ensure_slots(9);
  Archive in(bytes);
  EXPECT_THROW(in(shorter), Error);
}

}  // namespace
}  // namespace thresh
