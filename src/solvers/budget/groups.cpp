#include "solvers/budget/groups.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "solvers/budget/choose.hpp"
#include "solvers/budget/pivots.hpp"

namespace thresh {
namespace {

constexpr std::size_t kMeasured = 8;  // units whose turn is tried, of those that look best
constexpr int kMostExchanges = 100;
constexpr double kRoundingOfQ = 1e-9;  // an exchange must lower Q by more than this share of it

class UnitSearch {
 public:
  UnitSearch(std::uint64_t k, const Choice& choice, double scale)
      : k_(k),
        choice_(choice),
        model_(pivots_of(*choice.model, scale)),
        inside_(choice.units.size()),
        kept_(choice.units.size()) {
    if (choice.model->learns_intercept()) model_->turn(choice.model->candidates().size());
    for (std::size_t u = 0; u < choice.units.size(); ++u) {
      bool current = false;
      for (const std::size_t i : unit(u).places) {
        current |= choice.current[i] != 0;
        if (choice.kept[i] != 0) kept_[u] = 1;
      }
      if (current || kept_[u] != 0) turn(u);
    }
  }

  void run() {
    while (used_ > k_) {
      const auto least = cheapest({});
      if (!least) break;
      turn(*least);
    }
    fill({});
    for (int i = 0; i < kMostExchanges && (enter_instead() || leave_for_better()); ++i) {
    }
  }

  SparseWeights weights() const {
    SparseWeights found;
    for (std::size_t u = 0; u < inside_.size(); ++u) {
      if (inside_[u] == 0) continue;
      for (const std::size_t i : unit(u).places) {
        found.slots.push_back(choice_.model->candidates()[i]);
        found.weights.push_back(model_->weight(i) * choice_.model->unit());
      }
    }
    if (choice_.model->learns_intercept()) {
      found.intercept = model_->weight(choice_.model->candidates().size());
    }
    return found;
  }

 private:
  const Unit& unit(std::size_t u) const { return choice_.units[u]; }

  // Returns how much lower Q is after it.
  double turn(std::size_t u) {
    const bool leaves = inside_[u] != 0;
    double gain = 0;
    for (const std::size_t i : unit(u).places) {
      gain += leaves ? -model_->worth(i) : model_->worth(i);
      model_->turn(i);
    }
    used_ = leaves ? used_ - unit(u).size : used_ + unit(u).size;
    inside_[u] = leaves ? 0 : 1;
    lowered_ += gain;
    turned_.push_back(u);
    return gain;
  }

  // Turns back all after the first `turns`.
  void undo(std::size_t turns) {
    while (turned_.size() > turns) {
      const std::size_t last = turned_.back();
      turn(last);
      turned_.pop_back();
      turned_.pop_back();
    }
  }

  double measure(std::size_t u) {
    const double before = lowered_;
    const std::size_t turns = turned_.size();
    const double gain = turn(u);
    undo(turns);
    lowered_ = before;
    return gain;
  }

  // A feature gains about this if it enters alone.
  double apparent(std::size_t u) const {
    double sum = 0;
    for (const std::size_t i : unit(u).places) sum += model_->worth(i);
    return sum / static_cast<double>(unit(u).size);
  }

  // Of the units inside or outside, the best by gain a feature, of those that look best.
  std::vector<std::pair<double, std::size_t>> best_of(bool inside, std::uint64_t room,
                                                      std::optional<std::size_t> but) {
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t u = 0; u < inside_.size(); ++u) {
      if ((inside_[u] != 0) != inside || u == but || unit(u).size > room) continue;
      if (inside && kept_[u] != 0) continue;
      all.emplace_back(inside ? -apparent(u) : apparent(u), u);
    }
    const auto better = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    const std::size_t some = std::min(all.size(), kMeasured);
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some), all.end(),
                      better);
    all.resize(some);
    for (auto& [gain, u] : all) gain = measure(u) / static_cast<double>(unit(u).size);
    std::sort(all.begin(), all.end(), better);
    return all;
  }

  std::optional<std::size_t> cheapest(std::optional<std::size_t> but) {
    const auto found = best_of(true, std::numeric_limits<std::uint64_t>::max(), but);
    return found.empty() ? std::nullopt : std::optional(found.front().second);
  }

  // Adds the best units for which there is room.
  void fill(std::optional<std::size_t> but) {
    for (;;) {
      const auto found = best_of(false, used_ < k_ ? k_ - used_ : 0, but);
      if (found.empty() || !(found.front().first > 0)) return;
      turn(found.front().second);
    }
  }

  // Whether what was done since is worth it. If not, it is undone.
  bool keep(double before, std::size_t turns) {
    if (used_ <= k_ && lowered_ > before + kRoundingOfQ * (1 + std::fabs(before))) {
      turned_.clear();
      return true;
    }
    undo(turns);
    lowered_ = before;
    return false;
  }

  // A unit enters, the cheapest ones leave until there is room, and others fill what is left.
  bool enter_instead() {
    for (const auto& [gain, u] : best_of(false, k_, std::nullopt)) {
      const double before = lowered_;
      const std::size_t turns = turned_.size();
      turn(u);
      while (used_ > k_) {
        const auto least = cheapest(u);
        if (!least) break;
        turn(*least);
      }
      fill(std::nullopt);
      if (keep(before, turns)) return true;
    }
    return false;
  }

  // A unit may mask better ones, which show only after it has left.
  bool leave_for_better() {
    for (const auto& [gain, u] : best_of(true, k_, std::nullopt)) {
      const double before = lowered_;
      const std::size_t turns = turned_.size();
      turn(u);
      fill(u);
      fill(std::nullopt);
      if (keep(before, turns)) return true;
    }
    return false;
  }

  std::uint64_t k_;
  const Choice& choice_;
  std::unique_ptr<Pivots> model_;
  std::vector<char> inside_, kept_;
  std::uint64_t used_ = 0;
  double lowered_ = 0;  // by how much all turns have lowered Q
  std::vector<std::size_t> turned_;
};

}  // namespace

std::vector<Unit> units_among(const std::vector<std::uint32_t>& candidates,
                              const FeatureGroups& groups) {
  std::vector<Unit> units;
  std::unordered_map<std::uint32_t, std::size_t> unit_of;  // by group
  for (std::size_t place = 0; place < candidates.size(); ++place) {
    const auto group = groups.group.find(candidates[place]);
    if (group == groups.group.end()) {
      units.push_back({{place}, 1});
      continue;
    }
    const auto [at, is_new] = unit_of.emplace(group->second, units.size());
    if (is_new) units.push_back({{}, groups.members[group->second].size()});
    units[at->second].places.push_back(place);
  }
  return units;
}

SparseWeights choose_units(std::uint64_t k, const Choice& choice, double scale) {
  UnitSearch search(k, choice, scale);
  search.run();
  return search.weights();
}

}  // namespace thresh
