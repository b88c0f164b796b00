// A tree that was written and read goes on as the tree that was not, to the bit.

#include <gtest/gtest.h>

#include <random>

#include "projection/ball_tree.hpp"

namespace thresh {
namespace {

template <class Tree>
std::string bytes_of(Tree& tree) {
  Archive a;
  a(tree);
  return a.take();
}

template <class Tree>
Tree read_again(const std::string& bytes) {
  Tree tree;
  Archive a(bytes);
  a(tree);
  a.end();
  return tree;
}

// Values above the shift, some of them equal, come and go.
template <class Tree>
class Changing {
 public:
  explicit Changing(unsigned seed) : random_(seed) {}

  void change(Tree& tree, int times) {
    for (int i = 0; i < times; ++i) {
      if (!inside_.empty() && random_() % 3 == 0) {
        const std::size_t k = random_() % inside_.size();
        if (inside_[k].first > tree.shift()) tree.erase(inside_[k].first, inside_[k].second);
        inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        inside_.emplace_back(tree.shift() + static_cast<double>(random_() % 1000 + 1) / 300,
                             static_cast<double>(1 + random_() % 3));
        if (!kWeighted) inside_.back().second = 1;
        tree.insert(inside_.back().first, inside_.back().second);
      }
    }
    tree.project(50.3);
  }

 private:
  static constexpr bool kWeighted = std::is_same_v<Tree, WeightedBallTree>;
  std::mt19937 random_;
  std::vector<std::pair<double, double>> inside_;
};

template <class Tree>
class TreeArchive : public testing::Test {};
using Trees = testing::Types<BallTree, WeightedBallTree>;
TYPED_TEST_SUITE(TreeArchive, Trees);

TYPED_TEST(TreeArchive, GoesOnToTheBit) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    TypeParam tree;
    Changing<TypeParam> changing(seed);
    for (int round = 0; round < 5; ++round) {
      changing.change(tree, 200);
      const std::string bytes = bytes_of(tree);
      auto again = read_again<TypeParam>(bytes);
      ASSERT_EQ(bytes_of(again), bytes);
      TypeParam same = tree;
      Changing<TypeParam> same_changes = changing;
      Changing<TypeParam> again_changes = changing;
      same_changes.change(same, 200);
      again_changes.change(again, 200);
      ASSERT_EQ(bytes_of(again), bytes_of(same));
    }
  }
}

// Links and colours that are no red-black tree would lead to null pointers later.
TYPED_TEST(TreeArchive, ForgedBytesAreRefusedOrHarmless) {
  TypeParam tree;
  Changing<TypeParam> changing(1);
  changing.change(tree, 60);
  const std::string bytes = bytes_of(tree);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int value : {0, 1, 2, 0x7f, 0xff}) {
      std::string forged = bytes;
      forged[at] = static_cast<char>(value);
      try {
        auto read = read_again<TypeParam>(forged);
        for (int i = 0; i < 100; ++i) read.insert(read.shift() + 0.1 * (i + 1));
        read.project(1);
        read.project(0);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace thresh
