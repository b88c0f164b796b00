// Sizes tried from small to large, for as long as more features help.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "select/paired.hpp"
#include "thresh/fit.hpp"
#include "thresh/select.hpp"

namespace thresh {

// Ascending budgets in the groups that are tried one after another: up to 20,000 features, then up
// to ten times as many, and so on.
std::vector<std::vector<std::uint64_t>> size_groups(const std::vector<std::uint64_t>& budgets);

// Whether sizes beyond those tried may have a lower loss on the held-out rows: the largest one has,
// by more than a standard error of the difference, a lower one than the best of the others.
bool still_falls(const Frontier& tried);

// Whether to try them: they may have a lower loss, and of those tried no smaller one is chosen.
bool wants_larger(const Frontier& tried, const SizedResult& chosen);

// Adds a group of larger sizes, judged on the same rows.
void add_larger(Frontier larger, Frontier& all);

// How many features occur in the rows, held-out ones included.
// Throws Interrupted once `stop` is true.
std::uint64_t count_features(const Problem& problem, const std::atomic<bool>* stop = nullptr);

// Replaces a model by the next smaller one if the extra features do not help. By ascending budget.
void use_the_best_within(Frontier& frontier);

// By more than a standard error of the difference, if the scores of the rows are known.
bool is_clearly_better(const SizedResult& a, const SizedResult& b, Measure by);

}  // namespace thresh
