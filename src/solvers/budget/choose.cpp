#include "solvers/budget/choose.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "solvers/budget/pivots.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

// Swaps end by themselves in exact arithmetic, because each lowers Q. This limit is for rounding.
constexpr std::size_t kMostSwaps = 100;  // per model

// A feature that may enter or leave, and what Q would gain or lose.
struct Offer {
  std::size_t feature;
  double worth;
};

// A model in a search. It tracks the cheapest feature to drop and the best one to add.
class Contender {
 public:
  Contender(const Choice& choice, double scale)
      : curvature_(*choice.model),
        candidates_(curvature_.candidates().size()),
        model_(pivots_of(curvature_, scale)),
        kept_(choice.kept),
        signs_(choice.signs) {
    if (curvature_.learns_intercept()) model_->turn(candidates_);
    for (std::size_t i = 0; i < candidates_; ++i) {
      if (choice.current[i] != 0 || kept_[i] != 0) model_->turn(i);
    }
    look();
  }

  std::size_t candidates() const { return candidates_; }
  std::size_t inside() const {
    std::size_t features = 0;
    for (std::size_t i = 0; i < candidates_; ++i) features += model_->inside(i) ? 1 : 0;
    return features;
  }
  const std::optional<Offer>& least() const { return least_; }
  const std::optional<Offer>& most() const { return most_; }

  // Adds feature i, or drops it if it is inside.
  void turn(std::size_t i) {
    model_->turn(i);
    look();
  }

  SparseWeights weights() const {
    SparseWeights inside;
    for (std::size_t i = 0; i < candidates_; ++i) {
      if (!model_->inside(i) || has_wrong_sign(i)) continue;
      inside.slots.push_back(curvature_.candidates()[i]);
      inside.weights.push_back(model_->weight(i) * curvature_.unit());
    }
    if (curvature_.learns_intercept()) inside.intercept = model_->weight(candidates_);
    return inside;
  }

 private:
  // Outside, a weight is what the model would draw it to.
  bool has_wrong_sign(std::size_t i) const {
    return !signs_.empty() && signs_[i] * model_->weight(i) < 0;
  }

  void look() {
    least_.reset();
    most_.reset();
    for (std::size_t i = 0; i < candidates_; ++i) {
      const bool wrong = has_wrong_sign(i);
      if (wrong && !model_->inside(i)) continue;
      // One of the wrong sign leaves first.
      const double worth = wrong ? -1 : model_->worth(i);
      if (!model_->inside(i)) {
        if (!most_ || worth > most_->worth) most_ = {i, worth};
      } else if (kept_[i] == 0 && (!least_ || worth < least_->worth)) {
        least_ = {i, worth};
      }
    }
  }

  const Curvature& curvature_;
  std::size_t candidates_;
  std::unique_ptr<Pivots> model_;
  const std::vector<char>& kept_;
  const std::vector<double>& signs_;
  std::optional<Offer> least_, most_;
};

// Drops, adds and swaps features of all models until there are k and no single swap helps.
class Search {
 public:
  explicit Search(std::vector<Contender>& contenders) : contenders_(contenders) {}

  void run(std::size_t k) {
    std::size_t inside = 0;
    std::size_t candidates = 0;
    for (const Contender& each : contenders_) {
      inside += each.inside();
      candidates += each.candidates();
    }
    k = std::min(k, candidates);
    for (; inside > k; --inside) drop();
    for (; inside < k; ++inside) add();
    const std::size_t most_swaps = kMostSwaps * contenders_.size();
    for (std::size_t swap = 0; swap < most_swaps && k < candidates; ++swap) {
      const Turned added = add();
      if (drop() != added) continue;
      // A feature may mask a better one, which shows only after it is dropped.
      const Turned dropped = drop();
      if (dropped.by == nullptr || add() == dropped) return;
    }
  }

 private:
  struct Turned {
    Contender* by = nullptr;  // null: none
    std::size_t feature = 0;
    bool operator==(const Turned&) const = default;
  };

  Turned drop() { return turn_first(&Contender::least, std::less<>()); }
  Turned add() { return turn_first(&Contender::most, std::greater<>()); }

  template <class Before>
  Turned turn_first(const std::optional<Offer>& (Contender::*offer)() const, Before before) {
    Contender* first = nullptr;
    for (Contender& each : contenders_) {
      if (!(each.*offer)()) continue;
      if (first == nullptr || before((each.*offer)()->worth, (first->*offer)()->worth)) {
        first = &each;
      }
    }
    if (first == nullptr) return {};
    const std::size_t feature = (first->*offer)()->feature;
    first->turn(feature);
    return {first, feature};
  }

  std::vector<Contender>& contenders_;
};

}  // namespace

std::vector<SparseWeights> choose(std::uint64_t k, const std::vector<Choice>& choices,
                                  double scale) {
  if (!choices.front().units.empty()) return {choose_units(k, choices.front(), scale)};
  std::vector<std::optional<Contender>> made(choices.size());
  parallel_for(choices.size(), [&](std::size_t c) { made[c].emplace(choices[c], scale); });
  std::vector<Contender> contenders;
  contenders.reserve(made.size());
  for (std::optional<Contender>& each : made) contenders.push_back(std::move(*each));
  Search(contenders).run(k);
  std::vector<SparseWeights> chosen;
  chosen.reserve(contenders.size());
  for (const Contender& each : contenders) chosen.push_back(each.weights());
  return chosen;
}

}  // namespace thresh
