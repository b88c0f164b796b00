// The features that options name: --keep, --signs and --groups.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/feed/pairs.hpp"
#include "data/names/vocabulary.hpp"
#include "data/read/bytes.hpp"
#include "solvers/budget/groups.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"
#include "train/make_solver.hpp"

namespace thresh {
namespace {

std::optional<std::uint64_t> id_named(const RunContext& run, const std::string& name) {
  const Problem& problem = run.problem;
  if (problem.vocabulary) {
    const std::uint64_t id = problem.vocabulary->find(name);
    return id == Vocabulary::kUnknown ? std::nullopt : std::optional(id);
  }
  const auto index = parse_finite(name);
  if (!index || *index != std::floor(*index)) return std::nullopt;
  const double id = *index - (problem.zero_based ? 0 : 1);
  if (!(id >= 0 && id < static_cast<double>(run.setup.dimension))) return std::nullopt;
  return static_cast<std::uint64_t>(id);
}

// A product a*b, in either order. Names may have stars, too.
std::optional<std::uint64_t> id_of_product(const RunContext& run, const std::string& name) {
  if (!run.problem.pairs) return std::nullopt;
  for (std::size_t star = name.find('*'); star != std::string::npos;
       star = name.find('*', star + 1)) {
    const auto a = id_named(run, name.substr(0, star)), b = id_named(run, name.substr(star + 1));
    if (!a || !b || std::max(*a, *b) >= run.problem.pairs->features()) continue;
    if (const auto pair = run.problem.pairs->id(std::min(*a, *b), std::max(*a, *b))) return pair;
  }
  return std::nullopt;
}

// The two words of a line; the first may have blanks, as names of columns do.
std::pair<std::string, std::string> feature_and_group(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r");
  if (end == std::string_view::npos) return {};
  line = line.substr(line.find_first_not_of(" \t"), end + 1);
  const std::size_t blank = line.find_last_of(" \t", end);
  if (blank == std::string_view::npos) return {std::string(line), ""};
  const std::size_t last = line.find_last_not_of(" \t", blank);
  return {std::string(line.substr(0, last + 1)), std::string(line.substr(blank + 1))};
}

}  // namespace

std::optional<std::uint32_t> slot_named(const RunContext& run, const std::string& name) {
  std::optional<std::uint64_t> id = id_named(run, name);
  if (!id) id = id_of_product(run, name);
  if (!id) return std::nullopt;
  return run.problem.features->slot(*id);
}

std::shared_ptr<const Signs::BySlot> signs_of(const RunContext& run) {
  if (run.options.signs.empty()) return nullptr;
  auto signs = std::make_shared<Signs::BySlot>();
  for (const std::string& rule : run.options.signs) {
    const std::string name = rule.substr(1);
    const auto slot = slot_named(run, name);
    if (!slot) {
      throw Error(
          fmt::format("{}: no feature {}, which --signs names", run.problem.train->name(), name));
    }
    if (!signs->emplace(*slot, rule[0] == '+' ? 1.0 : -1.0).second) {
      throw UsageError(fmt::format("--signs names {} twice", name));
    }
  }
  return signs;
}

std::shared_ptr<const FeatureGroups> groups_of(const RunContext& run) {
  const auto path = run.options.solver_options.find("groups");
  if (path == run.options.solver_options.end()) return nullptr;
  auto groups = std::make_shared<FeatureGroups>();
  std::map<std::string, std::uint32_t> numbers;
  std::uint64_t count = 0;
  for_each_line(path->second, [&](std::string_view line) {
    const std::string where = fmt::format("{}:{}", path->second, ++count);
    const auto [name, group] = feature_and_group(line);
    if (name.empty()) return;
    if (group.empty()) throw Error(fmt::format("{}: not a feature and its group", where));
    const auto slot = slot_named(run, name);
    if (!slot) {
      throw Error(fmt::format("{}: {} has no feature {}", where, run.problem.train->name(), name));
    }
    const auto [at, is_new] =
        numbers.emplace(group, static_cast<std::uint32_t>(groups->members.size()));
    if (is_new) groups->members.emplace_back();
    if (!groups->group.emplace(*slot, at->second).second) {
      throw Error(fmt::format("{}: feature {} has a group already", where, name));
    }
    groups->members[at->second].push_back(*slot);
  });
  for (auto& members : groups->members) std::sort(members.begin(), members.end());
  return groups;
}

}  // namespace thresh
