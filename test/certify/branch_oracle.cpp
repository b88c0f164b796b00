// Branch and bound for the best K features, and the bound that its tree proves, against fits of all
// subsets.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/cut_proof.hpp"
#include "certify/subset_case.hpp"
#include "polish/branch_search.hpp"
#include "thresh/certificate.hpp"
#include "thresh/threads.hpp"

namespace thresh::branch_oracle {
namespace {

using namespace subset_case;

// The rows with columns divided by the roots of rho, where the ridge is 1.
struct Scaled {
  explicit Scaled(const SubsetCase& c) : of(c), rows(matrix_of(c.data)), factors(c.rho()) {
    for (double& factor : factors) factor = 1 / std::sqrt(factor);
    rows.scale_columns(factors);
  }
  BranchSearch search() const {
    return {rows,
            of.data.y,
            LossFunction(of.problem.loss),
            of.problem.intercept,
            1,
            of.problem.features - of.problem.kept.size(),
            of.problem.kept};
  }
  // Of all columns, from weights for scaled ones.
  Dense model(const std::vector<std::uint32_t>& columns, const Vector& weights, double b) const {
    Dense at{Vector(of.data.features), b};
    for (std::size_t k = 0; k < columns.size(); ++k) {
      at.w[columns[k]] = weights[k] * factors[columns[k]];
    }
    return at;
  }
  // The kept columns alone are a model.
  double start() const {
    const SubsetSearch alone(rows, of.data.y, LossFunction(of.problem.loss), of.problem.intercept,
                             1, of.problem.kept);
    return alone.fit(of.problem.kept).model.objective * (1 + 1e-6);
  }
  // From there, without any bound.
  BranchTree run(double aim, std::size_t threads = 1) const {
    const ThreadLimit limit(threads);
    BranchEnd end;
    end.aim = aim;
    return search().run(start(), {}, -1e300, end);
  }

  const SubsetCase& of;
  SupportMatrix rows;
  Vector factors;
};

// The nodes in their order, with bounds.
void add_nodes(const BranchTree& tree, const Scaled& scaled, std::uint32_t number, Proof& proof) {
  const BranchTree::Node& node = tree.nodes[number];
  ProofNode& to = proof.nodes.emplace_back();
  to.bound = node.bound;
  if (node.point) {
    const Dense at = scaled.model(node.point->columns, node.point->weights, node.point->intercept);
    to.has_point = true;
    to.intercept = at.b;
    for (std::uint32_t j = 0; j < at.w.size(); ++j) {
      if (at.w[j] != 0) to.weights.emplace_back(j, at.w[j]);
    }
  }
  if (!node.branch) return;
  to.branch = *node.branch;
  add_nodes(tree, scaled, node.in, proof);
  add_nodes(tree, scaled, node.out, proof);
}

Proof proof_of(const BranchTree& tree, const Scaled& scaled) {
  Proof proof;
  proof.bound = tree.bound;
  add_nodes(tree, scaled, 0, proof);
  return proof;
}

BoundTree bound_tree(const Proof& proof, double total) {
  BoundTree found;
  for (const ProofNode& node : proof.nodes) {
    BoundNode& to = found.nodes.emplace_back();
    if (node.branch) to.branch = static_cast<std::uint32_t>(*node.branch);
    if (!node.has_point) continue;
    to.point.emplace().intercept = node.intercept;
    to.point->weights.assign(node.weights.begin(), node.weights.end());
  }
  found.claimed = proof.bound / total * (1 - 1e-9);
  return found;
}

BoundTree bound_tree(const BranchTree& tree, const Scaled& scaled) {
  return bound_tree(proof_of(tree, scaled), scaled.of.total());
}

std::size_t points_in(const Proof& proof) {
  return static_cast<std::size_t>(std::count_if(proof.nodes.begin(), proof.nodes.end(),
                                                [](const ProofNode& n) { return n.has_point; }));
}

Dense constant(const SubsetCase& c) {
  return {Vector(c.data.features), 0};
}

constexpr int kProblems = 4;  // of each draw

RC_GTEST_PROP(Branch, FindsTheBestSubsetAndProvesIt, ()) {
  for (int i = 0; i < kProblems; ++i) {
    const SubsetCase c = any_case();
    const Best best = best_of_all(c);
    const Scaled scaled(c);
    const double aim = *rc::gen::element(1e-4, 1e-3, 0.05);
    const BranchTree tree = scaled.run(aim);
    RC_ASSERT(tree.end == BranchTree::End::aim);
    const double bound = tree.bound / c.total();
    RC_ASSERT(bound <= best.objective * (1 + kFit));
    const double found = (tree.better ? tree.better->model.objective : scaled.start()) / c.total();
    RC_ASSERT(found >= best.objective * (1 - kFit));
    RC_ASSERT(found * (1 - aim) <= bound * (1 + 1e-12));
    RC_ASSERT(found <= best.objective * (1 + kFit) / (1 - aim));
    RC_CLASSIFY(tree.nodes.size() > 9, "divided often");
  }
}

// What the tree proves in long double is what the search said, and no subset is below.
RC_GTEST_PROP(Branch, TheTreeProvesTheBound, ()) {
  for (int i = 0; i < kProblems; ++i) {
    const SubsetCase c = any_case();
    const Best best = best_of_all(c);
    const Scaled scaled(c);
    const BoundTree tree = bound_tree(scaled.run(0.01), scaled);
    const SubsetBound proved = bound_of(c, best.at, constant(c), tree);
    RC_ASSERT(proved.bound <= best.objective * (1 + kFit));
    RC_ASSERT(proved.bound >= tree.claimed);
    RC_ASSERT(proved.bound >= best.objective * 0.99 * (1 - kFit));
  }
}

// A cut proof is one, of what it says; nodes that it divides are those with the lowest bounds.
RC_GTEST_PROP(Branch, ACutProofProvesItsBound, ()) {
  for (int i = 0; i < kProblems; ++i) {
    const SubsetCase c = any_case();
    const Best best = best_of_all(c);
    const Scaled scaled(c);
    const Proof whole = proof_of(scaled.run(1e-3), scaled);
    const std::size_t points = *rc::gen::inRange<std::size_t>(1, points_in(whole) + 2);
    const Proof cut = cut_proof(whole, points);
    RC_ASSERT(points_in(cut) <= points);
    RC_ASSERT(cut.bound <= whole.bound);
    if (points >= points_in(whole)) RC_ASSERT(cut.bound == whole.bound);
    for (const ProofNode& node : cut.nodes) RC_ASSERT(node.branch || node.bound >= cut.bound);
    const BoundTree tree = bound_tree(cut, c.total());
    const SubsetBound proved = bound_of(c, best.at, constant(c), tree);
    RC_ASSERT(proved.bound <= best.objective * (1 + kFit));
    RC_ASSERT(proved.bound >= tree.claimed);
    RC_CLASSIFY(cut.nodes.size() > 2 && cut.nodes.size() < whole.nodes.size(), "cut");
  }
}

// Between a bound and what it proves, every claim proves the same; so certificates need no search
// for the bound to claim.
RC_GTEST_PROP(Branch, WhatIsProvedProvesItself, ()) {
  for (int i = 0; i < kProblems; ++i) {
    const SubsetCase c = any_case();
    const Best best = best_of_all(c);
    const Scaled scaled(c);
    BoundTree tree = bound_tree(scaled.run(0.01), scaled);
    tree.claimed *= 1 - *rc::gen::element(0.0, 1e-6, 1e-3);
    const SubsetBound proved = bound_of(c, best.at, constant(c), tree);
    for (const double share : {0.0, 0.5, 1.0}) {
      BoundTree again = tree;
      again.claimed += share * static_cast<double>(proved.bound * (1 - 1e-14L) - tree.claimed);
      RC_ASSERT(bound_of(c, best.at, constant(c), again).bound == proved.bound);
    }
  }
}

// Even a tree that proves nothing like it: whatever is claimed, what is found is true.
RC_GTEST_PROP(Branch, NoTreeProvesMoreThanIsTrue, ()) {
  const SubsetCase c = any_case();
  const Best best = best_of_all(c);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  BoundTree tree;
  tree.claimed = best.objective * (0.5 + random.uniform());
  std::size_t open = 1;
  while (open > 0) {
    BoundNode& node = tree.nodes.emplace_back();
    --open;
    if (random.uniform() < 0.5) {
      double lowest = 0;
      Dense at = random.uniform() < 0.5 ? relaxed(c, lowest) : best.at;
      for (double& w : at.w) w *= 1 + 0.2 * random.normal();
      SlotPoint& point = node.point.emplace();
      point.intercept = c.problem.intercept ? at.b : 0;
      for (std::uint32_t j = 0; j < at.w.size(); ++j) point.weights.emplace_back(j, at.w[j]);
    }
    if (tree.nodes.size() < 30 && random.uniform() < 0.6) {
      node.branch = static_cast<std::uint32_t>(random.below(c.data.features));
      open += 2;
    }
  }
  const SubsetBound proved = bound_of(c, best.at, constant(c), tree);
  RC_ASSERT(proved.bound <= best.objective * (1 + kFit));
  // Nor does screening: it is about models as good as the given one, here the best.
  for (const std::uint32_t j : proved.proved_in) RC_ASSERT((best.features >> j & 1U) != 0);
}

RC_GTEST_PROP(Branch, ScreeningIsTrueOfEveryModelAsGood, ()) {
  const SubsetCase c = any_case();
  std::vector<Best> all;
  for_each_subset(c, [&](const Best& each) { all.push_back(each); });
  std::sort(all.begin(), all.end(),
            [](const Best& a, const Best& b) { return a.objective < b.objective; });
  const std::size_t rank = std::min(all.size() - 1, *rc::gen::inRange<std::size_t>(0, 4));
  const Scaled scaled(c);
  const BoundTree tree = bound_tree(scaled.run(0.01), scaled);
  const SubsetBound found = bound_of(c, all[rank].at, constant(c), tree);
  std::uint32_t in_some = 0;  // features of models that are as good
  for (const Best& other : all) {
    if (other.objective > found.objective) break;
    in_some |= other.features;
    for (const std::uint32_t j : found.proved_in) RC_ASSERT((other.features >> j & 1U) != 0);
  }
  RC_ASSERT(found.proved_out + static_cast<std::uint64_t>(std::popcount(in_some)) <=
            c.data.features);
  RC_CLASSIFY(!found.proved_in.empty());
}

RC_GTEST_PROP(Branch, TheTreeDoesNotDependOnTheNumberOfCores, ()) {
  const SubsetCase c = any_case();
  const Scaled scaled(c);
  const BranchTree one = scaled.run(1e-4), four = scaled.run(1e-4, 4);
  RC_ASSERT(one.nodes.size() == four.nodes.size());
  RC_ASSERT(one.bound == four.bound);
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    const BranchTree::Node &a = one.nodes[i], &b = four.nodes[i];
    RC_ASSERT(a.bound == b.bound && a.branch == b.branch && a.in == b.in && a.out == b.out);
    RC_ASSERT(a.point.has_value() == b.point.has_value());
    if (a.point) RC_ASSERT(a.point->weights == b.point->weights);
  }
}

// A search that ends at once has its root's bound, and one that was given no time a true one.
RC_GTEST_PROP(Branch, WhatIsFoundEarlyIsTrue, ()) {
  const SubsetCase c = any_case();
  const Best best = best_of_all(c);
  const Scaled scaled(c);
  BranchEnd end;
  end.aim = 1e-4;
  end.memory = *rc::gen::element<std::size_t>(0, 3000, 10'000);
  if (*rc::gen::arbitrary<bool>()) end.until = std::chrono::steady_clock::now();
  const BranchTree tree =
      scaled.search().run(best.objective * c.total() * (1 + 1e-6), {}, -1e300, end);
  RC_ASSERT(tree.bound <= best.objective * c.total() * (1 + kFit));
  const BoundTree nodes = bound_tree(tree, scaled);
  RC_ASSERT(bound_of(c, best.at, constant(c), nodes).bound >= nodes.claimed - 1e-9);
}

TEST(Branch, ATreeThatLacksNodesIsNone) {
  const SubsetCase c = [] {
    Random random(5);
    SubsetCase made{columns_of(Kind::normal, 30, 6, random), {}};
    made.problem.ridge = 0.03;
    made.problem.features = 2;
    return made;
  }();
  const BoundNode leaf, inner{1U, std::nullopt};
  for (const std::vector<BoundNode>& nodes : {std::vector{inner},
                                              {inner, leaf},
                                              {inner, inner, leaf, leaf},
                                              {leaf, leaf},
                                              {inner, leaf, leaf, leaf}}) {
    EXPECT_THROW(bound_of(c, constant(c), constant(c), {nodes, 0.1}), CertificateError);
  }
  EXPECT_NO_THROW(bound_of(c, constant(c), constant(c), {{inner, leaf, leaf}, 0.1}));
}

}  // namespace
}  // namespace thresh::branch_oracle
