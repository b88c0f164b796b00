// Blocks of text: cut in the same places, however the bytes arrive.
#include "data/read/cutter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tools/error_of.hpp"
#include "tools/memory_bytes.hpp"
#include "tools/random_rows.hpp"

namespace thresh::cutter_edge {
namespace {

struct Cut {
  std::string text;
  std::uint64_t offset, first_line, first_row, entries;
  bool operator==(const Cut&) const = default;
};

// Each text is looked at when the next one has been cut, if it was handed over.
std::vector<Cut> cut(std::unique_ptr<ByteStream> bytes, bool hand_over = false) {
  BlockCutter cutter(std::move(bytes), "data");
  std::vector<Cut> cuts;
  std::vector<char> memory, kept;
  TextBlock before;
  for (TextBlock block; cutter.next(block); before = block) {
    if (hand_over && !cuts.empty()) cuts.back().text = before.text;
    cuts.push_back({std::string(hand_over ? "" : block.text), cutter.offset(), block.first_line,
                    block.first_row, block.entries});
    if (!hand_over) continue;
    kept.swap(memory);  // one is held, the one before is used again
    cutter.swap_memory(memory);
  }
  if (hand_over && !cuts.empty()) cuts.back().text = before.text;
  TextBlock block;
  EXPECT_FALSE(cutter.next(block)) << "an end stays an end";
  return cuts;
}

// The same from the definition, line by line.
std::vector<Cut> slow_cut(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  std::vector<Cut> cuts;
  std::uint64_t line_number = 1;
  std::uint64_t row = 0;
  for (std::size_t at = 0; at < text.size();) {
    Cut block{"", at, line_number, row, 0};
    while (at < text.size() && row - block.first_row < kBlockRows &&
           block.entries < kBlockEntries && block.text.size() < kBlockBytes) {
      const std::string line = text.substr(at, text.find('\n', at) + 1 - at);
      const std::string content = line.substr(0, line.find('#'));
      if (content.find_first_not_of(" \t\r\n") != std::string::npos) {
        block.entries +=
            static_cast<std::uint64_t>(std::count(content.begin(), content.end(), ':'));
        ++row;
      }
      block.text += line;
      at += line.size();
      ++line_number;
    }
    cuts.push_back(block);
  }
  return cuts;
}

std::string colons(std::size_t n) {
  return std::string(n, ':');
}

// Rows, blank lines and comments, some lines far longer than others.
std::string random_text(std::uint64_t seed, std::size_t lines) {
  Random random(seed);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    switch (random.below(12)) {
      case 0:
        text += std::string(random.below(40), " \t\r"[random.below(3)]);
        break;
      case 1:
        text += fmt::format("#:{}", random.next());
        break;
      default:
        text += fmt::format("1{}#::", colons(random.below(300) == 0 ? random.below(5000) : 3));
    }
    text += '\n';
  }
  return text;
}

TEST(BlockCutter, CutsAsDefined) {
  for (const std::size_t lines : {0, 1, 2, 1000, 1130, 5000, 200'000}) {
    std::string text = random_text(lines, lines);
    EXPECT_EQ(cut(std::make_unique<MemoryBytes>(text)), slow_cut(text)) << lines;
    EXPECT_EQ(cut(std::make_unique<MemoryBytes>(text), true), slow_cut(text)) << lines;
    if (text.empty()) continue;
    text.pop_back();  // no line feed at the end
    EXPECT_EQ(cut(std::make_unique<MemoryBytes>(text)), slow_cut(text)) << lines;
  }
}

TEST(BlockCutter, DoesNotCareHowTheBytesArrive) {
  const std::string text = random_text(1, 9000) + "1 2:3";
  const std::vector<Cut> expected = slow_cut(text);
  EXPECT_EQ(cut(std::make_unique<MemoryBytes>(text, [] { return 1; })), expected);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const auto piece = [&] { return random.below(std::uint64_t{1} << random.below(18)); };
    EXPECT_EQ(cut(std::make_unique<MemoryBytes>(text, piece)), expected) << seed;
    EXPECT_EQ(cut(std::make_unique<MemoryBytes>(text, piece), true), expected) << seed;
  }
}

TEST(BlockCutter, EveryPositionOfAPieceEndIsFine) {
  const std::string text = "1 1:1\r\n\n# x\n-1 2:2 # y\n1";
  const std::vector<Cut> expected = slow_cut(text);
  for (std::size_t first = 1; first < text.size(); ++first) {
    bool begun = false;
    const auto piece = [&] { return std::exchange(begun, true) ? text.size() : first; };
    EXPECT_EQ(cut(std::make_unique<MemoryBytes>(text, piece)), expected) << first;
  }
}

TEST(BlockCutter, ClosesABlockAtItsEntries) {
  const std::string half = fmt::format("1{}\n", colons(kBlockEntries / 2));
  const std::string text = half + half + half + "1:#:\n" + half + "1\n";
  const std::vector<Cut> cuts = cut(std::make_unique<MemoryBytes>(text));
  ASSERT_EQ(cuts.size(), 3u);
  EXPECT_EQ(cuts[0].text.size(), 2 * half.size());
  EXPECT_EQ(cuts[1].entries, kBlockEntries + 1);
  EXPECT_EQ(cuts[2].text, "1\n");
}

TEST(BlockCutter, NothingIsNoBlock) {
  EXPECT_TRUE(cut(std::make_unique<MemoryBytes>("")).empty());
  EXPECT_EQ(cut(std::make_unique<MemoryBytes>("\n")).size(), 1u) << "but blank text is";
}

// The same line again and again; remembers how much it was asked for.
class Repeating : public ByteStream {
 public:
  Repeating(std::string line, std::uint64_t bytes, std::size_t& largest)
      : line_(std::move(line)), left_(bytes), largest_(largest) {}
  std::size_t read(char* out, std::size_t n) override {
    largest_ = std::max(largest_, n);
    n = std::min<std::uint64_t>(n, left_);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = line_[at_];
      at_ = at_ + 1 == line_.size() ? 0 : at_ + 1;
    }
    left_ -= n;
    return n;
  }

 private:
  std::string line_;
  std::size_t at_ = 0;
  std::uint64_t left_;
  std::size_t& largest_;
};

TEST(BlockCutter, ALongStretchWithoutRowsDoesNotPileUp) {
  for (const std::string& line : {fmt::format("{:511}\n", ""), fmt::format("#{:510}\n", "")}) {
    std::size_t largest = 0;
    BlockCutter cutter(std::make_unique<Repeating>(line, 5 * kBlockBytes, largest), "data");
    TextBlock block;
    for (std::uint64_t k = 0; k < 5; ++k) {
      ASSERT_TRUE(cutter.next(block));
      EXPECT_EQ(block.text.size(), kBlockBytes);
      EXPECT_EQ(block.first_line, 1 + k * kBlockBytes / line.size());
      EXPECT_EQ(block.first_row, 0u);
      EXPECT_EQ(cutter.offset(), k * kBlockBytes);
    }
    EXPECT_FALSE(cutter.next(block));
    EXPECT_LE(largest, 2 * kBlockBytes) << "the buffer holds a block and some, never the file";
  }
}

TEST(LineShape, ARowEndsWhereItsCommentBegins) {
  const auto row = [](std::string_view line) {
    const LineShape shape = line_shape(line.data(), line.data() + line.size());
    return shape.is_row ? std::string(line.data(), shape.end) : "none";
  };
  EXPECT_EQ(row("1 1:1 # a"), "1 1:1 ");
  EXPECT_EQ(row(""), "none");
  EXPECT_EQ(row("#b"), "none");
  EXPECT_EQ(row(" 2\t\r"), " 2\t\r");
  EXPECT_EQ(row("3#"), "3");
}

TEST(BlockCutter, AFailingStreamIsReported) {
  struct Failing : ByteStream {
    std::size_t read(char*, std::size_t) override { throw Error("data: broken"); }
  };
  EXPECT_EQ(error_of([] { cut(std::make_unique<Failing>()); }), "data: broken");
}

}  // namespace
}  // namespace thresh::cutter_edge
