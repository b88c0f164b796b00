// l0-sgd: Dhingra et al., Algorithm 5.
//
// Minimises mean L(a, y) subject to at most k non-zero weights. H(v, k) keeps the k largest |v_j|
// (on ties the lower index). For batch t with mean loss gradient g:
//
//     w <- H(w - eta_t g, k)
//
// Departures: rows come in shuffled passes; --order replacement draws them, as the paper does.
//
// Cost: O(n log k) per step for n non-zeros in the batch: only these can enter or leave, decided by
// a heap of the k magnitudes. A double and a 32-bit place per feature.
//
// Ranks that share the features have a heap each, and exchange the smallest of what is too much:
// one exchange per step, and another if something must go.

#include <algorithm>

#include "cluster/words.hpp"
#include "solvers/online/gradient_solver.hpp"
#include "sparse/top_heap.hpp"

namespace thresh {
namespace {

class L0Sgd : public GradientSolver<L0Sgd> {
 public:
  explicit L0Sgd(const SolverSetup& setup)
      : GradientSolver(setup, setup.count("batch")),
        k_(setup.max_nonzeros),
        kept_(*setup.features) {}

  static constexpr bool kCountsFreely = true;
  static constexpr bool kStaysWithin = true;

  void begin() override {
    state_.for_each_weight(
        [&](std::uint32_t slot, double weight) { kept_.set(slot, std::fabs(weight)); });
  }

  void ensure_slots(std::size_t n) override {
    GradientSolver::ensure_slots(n);
    kept_.ensure_slots(n);
  }

  // Prefetch: heap operations take too long to reach the next cache miss out of order.
  void touch(const Row& row) const {
    for (std::size_t i = 0; i < row.size; ++i) kept_.prefetch(row.slots[i]);
  }

  void step(const Gradient& gradient, double eta) {
    for (std::size_t i = 0; i < gradient.size; ++i) {
      const std::uint32_t slot = gradient.slots[i];
      set_weight(slot, state_.weights[slot] - eta * gradient.at(i));
      kept_.set(slot, std::fabs(state_.weights[slot]));
    }
    std::uint64_t surplus = kept_.size() - std::min<std::uint64_t>(k_, kept_.size());
    if (slice_sums() != nullptr && slice_sums()->shared()) surplus = surplus_of_all();
    for (; surplus > 0; --surplus) set_weight(kept_.pop(), 0);
  }

  void archive(Archive& a) override {
    if (!a.by_feature()) a(kept_);
    GradientSolver::archive(a);
    if (a.reads() && a.by_feature()) begin();
  }

 private:
  // How many of the smallest must go here, so that k are left on all ranks together.
  std::uint64_t surplus_of_all() {
    const std::uint64_t all = slice_sums()->everywhere(kept_.size());
    if (all <= k_) return 0;
    const std::uint64_t surplus = all - k_;
    std::vector<std::pair<std::uint32_t, double>> smallest;  // the only ones that may have to go
    while (kept_.size() > 0 && smallest.size() < surplus) {
      const double magnitude = kept_.smallest();
      smallest.emplace_back(kept_.pop(), magnitude);
    }
    Message mine;
    for (const auto& [slot, magnitude] : smallest) {
      put_word(magnitude, mine);
      put_word(slice_sums()->features().id(slot), mine);
      kept_.set(slot, magnitude);
    }
    return slice_sums()->smallest_here(surplus, mine);
  }

  std::uint64_t k_;
  TopHeap kept_;
};

}  // namespace

CatalogEntry l0_sgd() {
  CatalogEntry entry =
      entry_for_rows("l0-sgd", "Dhingra et al., Algorithm 5", "w = H(w - eta_t g, k)",
                     "O(n log k) for n non-zeros in the batch");
  entry.info.objective = "mean L(a, y) with at most k non-zeros";
  entry.info.unused = {"lambda"};
  entry.info.budget = BudgetUse::required;
  entry.info.plain_steps = true;
  entry.info.schedule = Schedule::sqrt;
  entry.info.options = {batch_option(), slices_option()};
  entry.info.example = "thresh train DATA --solver l0-sgd --features 500 --eta 1";
  entry.make = make_solver<L0Sgd>;
  return entry;
}

}  // namespace thresh
