#include "diagnose/restricted.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>

#include "sparse/random.hpp"

namespace thresh {
namespace {

constexpr std::size_t kSets = 10, kMostColumns = 64;

// Where a column is in the sets.
struct Place {
  std::size_t set;
  Eigen::Index at;
};

std::vector<std::vector<std::uint32_t>> draw_sets(const Overview& overview, std::size_t columns,
                                                  const std::vector<std::uint32_t>& support) {
  Random random(1);
  std::vector<std::vector<std::uint32_t>> sets;
  std::vector<std::uint32_t> slots = overview.slots;
  const auto draw = [&](std::vector<std::uint32_t> from) {
    shuffle(from.begin(), from.end(), random);
    from.resize(std::min(from.size(), columns));
    sets.push_back(std::move(from));
  };
  for (std::size_t i = 0; i < kSets; ++i) draw(slots);
  if (!support.empty()) draw(support);
  return sets;
}

}  // namespace

double RestrictedEigenvalues::delta() const {
  const double low = ratio(least, largest);
  return (1 - low) / (1 + low);
}

RestrictedEigenvalues restricted_eigenvalues(RowSource& source, const Overview& overview,
                                             const std::vector<std::uint32_t>& support,
                                             std::uint64_t k, const Watch& watch) {
  RestrictedEigenvalues found;
  found.columns = static_cast<std::size_t>(
      std::min<std::uint64_t>({2 * k, kMostColumns, overview.slots.size()}));
  if (found.columns == 0 || overview.largest == 0) return found;
  const auto sets = draw_sets(overview, found.columns, support);
  found.sets = sets.size();
  std::vector<std::vector<Place>> places(overview.columns.size());  // by slot
  std::vector<Eigen::MatrixXd> grams;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const auto n = static_cast<Eigen::Index>(sets[s].size());
    for (Eigen::Index j = 0; j < n; ++j)
      places[sets[s][static_cast<std::size_t>(j)]].push_back({s, j});
    grams.emplace_back(Eigen::MatrixXd::Zero(n, n));
  }
  const int exponent = std::max(std::ilogb(overview.largest), -1000);
  const double power = std::ldexp(1.0, -exponent);
  std::vector<std::vector<std::pair<Eigen::Index, double>>> of_row(sets.size());
  const auto add = [&](const Row& row) {
    for (auto& entries : of_row) entries.clear();
    for (std::size_t i = 0; i < row.size; ++i) {
      for (const Place& place : places[row.slots[i]]) {
        of_row[place.set].emplace_back(place.at, row.values[i] * power);
      }
    }
    for (std::size_t s = 0; s < sets.size(); ++s) {
      for (const auto& [a, x] : of_row[s]) {
        for (const auto& [b, y] : of_row[s]) grams[s](a, b) += x * y;
      }
    }
  };
  const auto nothing = [](const RowBlock&) { return 0; };
  each_block(source, watch, nothing, [&](const RowBlock& block, int) {
    for (std::size_t i = 0; i < block.rows(); ++i) add(block.row(i));
  });
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Eigen::VectorXd all = grams[s].selfadjointView<Eigen::Lower>().eigenvalues();
    const double low = std::max(0.0, all.minCoeff()), high = std::max(0.0, all.maxCoeff());
    if (s == 0 || low < found.least.value) found.least = {low, exponent};
    if (s == 0 || high > found.largest.value) found.largest = {high, exponent};
  }
  return found;
}

}  // namespace thresh
