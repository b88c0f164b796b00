#include "solvers/budget/choose.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "solvers/budget/pivots.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

// Swaps come to an end by themselves, since each one lowers Q; rounding must not undo that.
constexpr std::size_t kMostSwaps = 100;  // for each model

using Feature = std::optional<std::size_t>;

// A model in a search: at hand are the feature inside that costs least to lose and the one outside
// that gains most.
class Contender {
 public:
  Contender(const Choice& choice, double scale)
      : curvature_(*choice.model),
        candidates_(curvature_.candidates().size()),
        model_(pivots_of(curvature_, scale)),
        kept_(choice.kept) {
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
  Feature least() const { return least_; }
  Feature most() const { return most_; }
  double worth(Feature feature) const { return model_->worth(*feature); }

  // Lets feature i in or out.
  void turn(std::size_t i) {
    model_->turn(i);
    look();
  }

  SparseWeights weights() const {
    SparseWeights inside;
    for (std::size_t i = 0; i < candidates_; ++i) {
      if (!model_->inside(i)) continue;
      inside.slots.push_back(curvature_.candidates()[i]);
      inside.weights.push_back(model_->weight(i) * curvature_.unit());
    }
    if (curvature_.learns_intercept()) inside.intercept = model_->weight(candidates_);
    return inside;
  }

 private:
  void look() {
    least_.reset();
    most_.reset();
    double low = 0;
    double high = 0;
    for (std::size_t i = 0; i < candidates_; ++i) {
      const double worth = model_->worth(i);
      if (!model_->inside(i)) {
        if (most_ && !(worth > high)) continue;
        most_ = i;
        high = worth;
      } else if (kept_[i] == 0 && (!least_ || worth < low)) {
        least_ = i;
        low = worth;
      }
    }
  }

  const Curvature& curvature_;
  std::size_t candidates_;
  std::unique_ptr<Pivots> model_;
  const std::vector<char>& kept_;
  Feature least_, most_;
};

// Drops, adds and swaps features of all contenders until there are k and no single swap helps.
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
      // Where one stands in for a better one, that shows only once it is gone.
      const Turned dropped = drop();
      if (dropped.by == nullptr || add() == dropped) return;
    }
  }

 private:
  struct Turned {
    Contender* by = nullptr;  // of nobody
    Feature feature;
    bool operator==(const Turned&) const = default;
  };

  // The one that costs least to lose.
  Turned drop() {
    Turned least;
    for (Contender& each : contenders_) {
      if (!each.least()) continue;
      if (least.by == nullptr || each.worth(each.least()) < least.by->worth(least.feature)) {
        least = {&each, each.least()};
      }
    }
    return turn(least);
  }

  // The one that gains most.
  Turned add() {
    Turned most;
    for (Contender& each : contenders_) {
      if (!each.most()) continue;
      if (most.by == nullptr || each.worth(each.most()) > most.by->worth(most.feature)) {
        most = {&each, each.most()};
      }
    }
    return turn(most);
  }

  static Turned turn(const Turned& which) {
    if (which.by != nullptr) which.by->turn(*which.feature);
    return which;
  }

  std::vector<Contender>& contenders_;
};

}  // namespace

std::vector<SparseWeights> choose(std::uint64_t k, const std::vector<Choice>& choices,
                                  double scale) {
  std::vector<std::optional<Contender>> made(choices.size());
  parallel_for(choices.size(), [&](std::size_t c) { made[c].emplace(choices[c], scale); });
  std::vector<Contender> contenders;
  for (std::optional<Contender>& each : made) contenders.push_back(std::move(*each));
  Search(contenders).run(k);
  std::vector<SparseWeights> chosen;
  for (const Contender& each : contenders) chosen.push_back(each.weights());
  return chosen;
}

}  // namespace thresh
