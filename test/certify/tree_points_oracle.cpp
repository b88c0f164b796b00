// The dual points of a proof, many at once, against one after the other; and what ends them early.

#include "certify/tree_points.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/subset_case.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"

namespace thresh::tree_points_oracle {
namespace {

using namespace subset_case;

// Rows and what all points share.
struct Opened {
  explicit Opened(const SubsetCase& c)
      : problem(problem_of(c.data)),
        rows{problem.train, problem.features, {}, std::nullopt},
        features(c.problem) {
    rows.view.labels =
        c.problem.loss == Loss::squared ? LabelMap::regression() : LabelMap::of_classes(-1, 1);
    for_each([&](const Row& row, double y) { features.add(row, y); },
             [&](std::size_t end) { features.ensure(end); });
    features.finish();
  }
  template <class Add, class Ensure>
  void for_each(const Add& add, const Ensure& ensure) const {
    for_each_window(rows.source, rows.view, [&](const Window& window) {
      ensure(window.slot_end);
      for (const Row& row : window.rows) add(row, rows.target(row));
    });
  }
  PointFacts alone(const SlotPoint& point) const {
    PointSums sums(features, point);
    for_each([&](const Row& row, double y) { sums.add(row, y); },
             [&](std::size_t end) { sums.ensure(end); });
    return sums.facts();
  }

  Problem problem;
  TrainingRows rows;
  FeatureFacts features;
};

std::vector<BoundNode> random_nodes(std::size_t count, std::size_t features, Random& random) {
  std::vector<BoundNode> nodes(count);
  for (BoundNode& node : nodes) {
    if (random.uniform() < 0.3) continue;
    node.point.emplace().intercept = random.normal();
    for (std::uint32_t j = 0; j < features + 2; ++j) {  // some do not occur
      if (random.uniform() < 0.4) node.point->weights.emplace_back(j, random.normal());
    }
  }
  return nodes;
}

RC_GTEST_PROP(TreePoints, EqualOnePointAfterTheOther, ()) {
  const SubsetCase c = any_case();
  const Opened opened(c);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto count = *rc::gen::inRange<std::size_t>(1, 200);
  const std::vector<BoundNode> nodes = random_nodes(count, c.data.features, random);
  std::vector<std::size_t> places;
  std::vector<std::uint32_t> slots;
  for (std::size_t place = 0; place < opened.features.slots().size(); ++place) {
    if (random.uniform() < 0.3) continue;
    places.push_back(place);
    slots.push_back(opened.features.slots()[place]);
  }
  const ThreadLimit limit(*rc::gen::element<std::size_t>(1, 3));
  const ProofLimits none;
  TreePoints points(opened.features, opened.rows, nodes, slots, none);
  for (std::size_t node = 0; node < count; ++node) {
    if (!nodes[node].point) continue;
    const auto found = points.facts_of(node);
    const PointFacts expected = opened.alone(*nodes[node].point);
    RC_ASSERT(found->conjugate == expected.conjugate);
    RC_ASSERT(found->gains.size() == slots.size());
    for (std::size_t k = 0; k < slots.size(); ++k) {
      RC_ASSERT(found->gains[k].least == expected.gains[places[k]].least);
      RC_ASSERT(found->gains[k].most == expected.gains[places[k]].most);
    }
  }
}

class TreePointsEnd : public testing::Test {
 protected:
  static SubsetCase some() {
    Random random(5);
    SubsetCase made{columns_of(Kind::normal, 30, 6, random), {}};
    made.problem.ridge = 0.03;
    made.problem.features = 2;
    return made;
  }
  void read_all(const ProofLimits& limits) {
    TreePoints points(opened_.features, opened_.rows, nodes_, opened_.features.slots(), limits);
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].point) points.facts_of(node);
    }
  }

  SubsetCase case_ = some();
  Opened opened_{case_};
  Random random_{6};
  std::vector<BoundNode> nodes_ = random_nodes(2000, 6, random_);
};

TEST_F(TreePointsEnd, OnceTheTimeCannotBeEnough) {
  ProofLimits limits;
  limits.until = std::chrono::steady_clock::now();
  try {
    read_all(limits);
    FAIL() << "it went on";
  } catch (const ProofTooLarge& found) {
    EXPECT_EQ(found.points, 64U);  // so many are always read
  }
  limits.until = std::chrono::steady_clock::now() + std::chrono::hours(1);
  std::uint64_t last = 0;
  limits.told = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, all);
    last = done;
  };
  EXPECT_NO_THROW(read_all(limits));
  EXPECT_GT(last, 64U);
}

TEST_F(TreePointsEnd, OnceInterrupted) {
  const std::atomic<bool> stop = true;
  ProofLimits limits;
  limits.stop = &stop;
  EXPECT_THROW(read_all(limits), Interrupted);
}

}  // namespace
}  // namespace thresh::tree_points_oracle
