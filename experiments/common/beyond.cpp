#include "common/beyond.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace thresh::experiments {
namespace {

constexpr int kMostTimes = 4;
constexpr double kFactor = 10;

std::vector<double> numbers_of(const std::string& list) {
  std::vector<double> numbers;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::stod(word));
  return numbers;
}

}  // namespace

std::optional<std::string> grid_beyond(const std::string& grid, const std::string& axis,
                                       const std::string& best) {
  const std::string name = axis + "=";
  std::istringstream words(grid);
  std::string longer;
  bool grown = false;
  for (std::string word; words >> word;) {
    if (word.starts_with(name) && word.find(',') != std::string::npos) {
      const auto values = numbers_of(word.substr(name.size()));
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const double value = std::stod(best);
      if (value == *high) word += fmt::format(",{:g}", value * kFactor);
      if (value == *low) word += fmt::format(",{:g}", value / kFactor);
      grown = value == *high || value == *low;
    }
    longer += (longer.empty() ? "" : " ") + word;
  }
  return grown ? std::optional(longer) : std::nullopt;
}

std::vector<Trained> train_beyond(const Context& context, Plan& plan) {
  std::vector<Trained> runs = train(context, plan);
  if (context.quick) return runs;
  for (int i = 0; i < kMostTimes; ++i) {
    bool grown = false;
    for (Group& group : plan.groups) {
      const auto of_group = select(runs, group.data.front(), {}, group.name);
      const Trained* best = smallest(of_group, "objective");
      if (best == nullptr || best->setting("eta").empty()) continue;
      if (const auto grid = grid_beyond(group.grid, "eta", best->setting("eta"))) {
        group.grid = *grid;
        grown = true;
      }
    }
    if (!grown) break;
    runs = train(context, plan);
  }
  return runs;
}

}  // namespace thresh::experiments
