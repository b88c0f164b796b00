// Example weights: one a line, relative to their mean.
#include "data/feed/row_weights.hpp"

#include <gtest/gtest.h>

#include "sparse/random.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::row_weights_edge {
namespace {

class Weights : public testing::Test {
 protected:
  std::string error(const std::string& text) {
    const std::string path = scratch_.write("w", text);
    const std::string message = error_of([&] { RowWeights weights(path); });
    return message.empty() ? message : message.substr(scratch_.path.string().size() + 1);
  }

  ScratchDir scratch_;
};

TEST_F(Weights, AreRelativeToTheirMean) {
  const RowWeights weights(scratch_.write("w", "1\n3\n# comment\n\n  0.5\t# half\r\n+1.5e0"));
  ASSERT_EQ(weights.rows(), 4u);
  const double expected[] = {1 / 1.5, 2, 0.5 / 1.5, 1};
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(weights.at(i), expected[i]);
  EXPECT_EQ(error_of([&] { weights.at(4); }),
            scratch_.file("w") + ": 4 weights, but the data has more rows");
}

TEST_F(Weights, MayBeManyAndZero) {
  Random random(1);
  std::string text;
  std::vector<double> expected;
  double sum = 0;
  double counting = 0;
  for (int i = 0; i < 300'000; ++i) {
    expected.push_back(static_cast<double>(random.below(4)));
    sum += expected.back();
    counting += expected.back() > 0 ? 1 : 0;
    text += static_cast<char>('0' + static_cast<int>(expected.back()));
    text += '\n';
  }
  const RowWeights weights(scratch_.write("w", text));
  ASSERT_EQ(weights.rows(), expected.size());
  const double mean = sum / counting;  // a row of weight zero is as good as none
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(weights.at(i), expected[i] / mean) << i;
  }
}

TEST_F(Weights, EveryFaultHasItsMessageAndLine) {
  for (const char* bad : {"x", "1 2", "1x", "+-1", "1,5", "0x1"}) {
    EXPECT_EQ(error(std::string("1\n\n#\n") + bad + "\n"), "w:4: weight is not a number") << bad;
  }
  for (const char* bad : {"-1", "nan", "inf", "1e999", "-0.001"}) {
    EXPECT_EQ(error(std::string("1\n") + bad), "w:2: weight is not a finite number >= 0") << bad;
  }
  EXPECT_EQ(error(""), "w: no weight is above zero");
  EXPECT_EQ(error("0\n-0\n0"), "w: no weight is above zero");
}

TEST_F(Weights, AMeanThatCannotBeDividedByIsAnError) {
  // Else all weights would be zero, and every row silently left out; or infinite.
  EXPECT_EQ(error("1e308\n1e308\n"), "w: the weights are too large to be compared with their mean");
  EXPECT_EQ(error("5e-324\n0\n0\n0\n"),
            "w: the weights are too small to be compared with their mean");
  EXPECT_EQ(error("1e307\n0\n1e307\n"), "");
  EXPECT_EQ(error("1e-300\n0\n"), "");
}

}  // namespace
}  // namespace thresh::row_weights_edge
