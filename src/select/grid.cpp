// Parses the values to try (lists, ranges, logarithmic ranges) and combines them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "math/elementary.hpp"
#include "solvers/catalog.hpp"
#include "solvers/option_table.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"

namespace thresh {
namespace {

constexpr std::size_t kMostCandidates = 100'000;

std::vector<std::string> split(const std::string& text, const std::string& separators) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (separators.find(c) != std::string::npos) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// A number or percentage. All numbers of a range are of the same kind.
struct Bound {
  double value;
  bool percent;
};

Bound to_bound(const std::string& name, const std::string& text) {
  const bool percent = text.ends_with('%');
  return {to_number(name, percent ? text.substr(0, text.size() - 1) : text), percent};
}

// The value as shown. It is parsed again for use, so the table shows exactly what was used.
std::string to_text(double value, const Axis& axis, int digits) {
  if (axis.whole) return fmt::format("{:.0f}", std::round(value));
  return fmt::format("{:.{}g}{}", value, digits, axis.percent ? "%" : "");
}

void add_value(Axis& axis, std::string value) {
  const auto& values = axis.values;
  if (std::find(values.begin(), values.end(), value) == values.end()) {
    axis.values.push_back(std::move(value));
  }
}

void fill_range(Axis& axis, const std::vector<std::string>& parts) {
  const auto bad = [&](const char* why) {
    return UsageError(fmt::format("{}={}: {}", axis.name, fmt::join(parts, ":"), why));
  };
  if (parts.size() != 3) throw bad("a range is lo:hi:step");
  const Bound lo = to_bound(axis.name, parts[0]);
  const Bound hi = to_bound(axis.name, parts[1]);
  const Bound step = to_bound(axis.name, parts[2]);
  if (lo.percent != hi.percent || lo.percent != step.percent)
    throw bad("use % for all three or for none");
  if (hi.value < lo.value || step.value <= 0)
    throw bad("lo must not be above hi, and step must be above 0");
  axis.percent = lo.percent;
  const double steps = std::floor((hi.value - lo.value) / step.value + 1e-9);
  if (steps >= kMostCandidates) throw bad("too many values");
  for (double i = 0; i <= steps; ++i) add_value(axis, to_text(lo.value + i * step.value, axis, 12));
}

void fill_log_range(Axis& axis, const std::vector<std::string>& parts) {
  const auto bad = [&](const char* why) {
    return UsageError(fmt::format("{}={}: {}", axis.name, fmt::join(parts, ":"), why));
  };
  if (parts.size() != 4) throw bad("a logarithmic range is log:lo:hi:count");
  const Bound lo = to_bound(axis.name, parts[1]);
  const Bound hi = to_bound(axis.name, parts[2]);
  const double count = to_number(axis.name, parts[3]);
  if (lo.percent != hi.percent) throw bad("use % for both ends or for none");
  if (lo.value <= 0 || hi.value <= 0) throw bad("both ends must be above 0");
  if (count < 1 || count != std::floor(count)) throw bad("count must be a whole number above 0");
  if (count > kMostCandidates) throw bad("too many values");
  axis.percent = lo.percent;
  axis.log_range = {lo.value, hi.value};
  for (double i = 0; i < count; ++i) {
    add_value(axis, to_text(axis.between(count == 1 ? 0 : i / (count - 1)), axis, 6));
  }
}

constexpr const char* kScale = "scale";  // an option of the rows, not of a run

FeatureScale to_scale(const std::string& text) {
  if (const auto scale = scale_named(text)) return *scale;
  throw UsageError(fmt::format("--scale {}: use auto, none, max, rms or standard", text));
}

void set(Candidate& candidate, const std::string& name, const std::string& value) {
  if (name == kScale) {
    candidate.scale = to_scale(value);
  } else {
    known_option(find_solver(candidate.options.solver).info, name, true);
    set_option(candidate.options, name, value);
  }
}

Axis parse_axis(const std::string& word, const std::string& solver) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    throw UsageError(fmt::format("{}: write NAME=VALUES, such as lambda=1e-4,1e-3", word));
  }
  Axis axis;
  axis.name = word.substr(0, equals);
  if (axis.name == "l1") axis.name = "lambda";  // synonyms
  const std::string values = word.substr(equals + 1);
  Candidate probe;
  probe.options.solver = solver;
  const std::vector<std::string> whole = {"features", "passes", "steps", "batch", "every"};
  axis.whole = std::count(whole.begin(), whole.end(), axis.name) > 0;
  const std::vector<std::string> parts = split(values, ":");
  // Reports an unknown option name before any error in the values.
  set(probe, axis.name, parts.size() == 1 ? split(values, ",").front() : parts[parts[0] == "log"]);
  if (parts[0] == "log") {
    fill_log_range(axis, parts);
  } else if (parts.size() > 1) {
    fill_range(axis, parts);
  } else {
    for (const std::string& value : split(values, ",")) add_value(axis, value);
  }
  for (const std::string& value : axis.values) set(probe, axis.name, value);
  return axis;
}

Candidate make_candidate(const Options& base, Settings settings) {
  Candidate candidate{std::move(settings), base, std::nullopt};
  for (const auto& [name, value] : candidate.settings) set(candidate, name, value);
  return candidate;
}

std::size_t combinations(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    count *= axis.values.size();
    if (count > kMostCandidates) return kMostCandidates + 1;
  }
  return count;
}

}  // namespace

double Axis::between(double share) const {
  const auto [lo, hi] = *log_range;
  return share == 1 ? hi : lo * portable::pow(hi / lo, share);
}

std::vector<Axis> parse_grid(const std::string& text, const std::string& solver) {
  std::vector<Axis> axes;
  for (const std::string& word : split(text, " \t\n")) {
    if (word.empty()) continue;
    axes.push_back(parse_axis(word, solver));
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      if (axes[i].name == axes.back().name) {
        throw UsageError(fmt::format("{} is given twice", axes[i].name));
      }
    }
  }
  return axes;
}

std::vector<Candidate> grid_candidates(const Options& base, const std::vector<Axis>& axes) {
  const std::size_t count = combinations(axes);
  if (count > kMostCandidates) {
    throw UsageError("the grid has more than 100,000 candidates; try --search random");
  }
  std::vector<Candidate> candidates;
  candidates.reserve(count);
  for (std::size_t number = 0; number < count; ++number) {
    Settings settings(axes.size());
    std::size_t rest = number;  // mixed radix: the last axis is the last digit
    for (std::size_t a = axes.size(); a-- > 0;) {
      const std::vector<std::string>& values = axes[a].values;
      settings[a] = {axes[a].name, values[rest % values.size()]};
      rest /= values.size();
    }
    candidates.push_back(make_candidate(base, std::move(settings)));
  }
  return candidates;
}

std::vector<Candidate> random_candidates(const Options& base, const std::vector<Axis>& axes,
                                         std::size_t count) {
  if (count > kMostCandidates) throw UsageError("--candidates: at most 100,000");
  Random random(base.seed, 0x7475'6e65);  // its own stream
  std::vector<Candidate> candidates;
  std::set<Settings> seen;
  // With few combinations most draws are repeats, so the number of draws is limited.
  for (std::size_t draw = 0; draw < 100 * count && candidates.size() < count; ++draw) {
    Settings settings;
    for (const Axis& axis : axes) {
      settings.emplace_back(axis.name, axis.log_range
                                           ? to_text(axis.between(random.uniform()), axis, 6)
                                           : axis.values[random.below(axis.values.size())]);
    }
    if (!seen.insert(settings).second) continue;
    candidates.push_back(make_candidate(base, std::move(settings)));
  }
  return candidates;
}

}  // namespace thresh
