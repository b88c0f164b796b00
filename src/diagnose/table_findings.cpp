// What is unusual in the columns of a table, and among the targets of a regression.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "diagnose/findings.hpp"
#include "diagnose/passes.hpp"

namespace thresh {
namespace {

constexpr double kFarCell = 50;    // times the usual size
constexpr double kFarTarget = 10;  // times the usual distance from the median

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Targets::Targets(RowSource& source, const Watch& watch) {
  const auto labels_of = [](const RowBlock& block) { return block.labels; };
  each_block(source, watch, labels_of,
             [&](const RowBlock& block, const std::vector<double>& labels) {
               values.insert(values.end(), labels.begin(), labels.end());
               rows.insert(rows.end(), block.ids.begin(), block.ids.end());
             });
}

std::map<std::uint32_t, double> usual_sizes(RowSource& source, const Overview& all,
                                            const NamedFacts& named, const Watch& watch) {
  const std::vector<std::string> names = named.reading.at("numbers").texts();
  const std::set<std::string> numbers(names.begin(), names.end());
  std::map<std::uint32_t, LogHistogram> sizes;
  for (const std::uint32_t slot : all.slots) {
    if (numbers.contains(named.name_of(slot))) sizes[slot];
  }
  each_block(
      source, watch, [](const RowBlock&) { return 0; },
      [&](const RowBlock& block, int) {
        const auto slots = block.all_slots();
        for (std::size_t e = 0; e < slots.size(); ++e) {
          const auto found = sizes.find(slots[e]);
          if (found != sizes.end()) found->second.add(std::log2(std::fabs(block.all_values()[e])));
        }
      });
  std::map<std::uint32_t, double> usual;
  for (const auto& [slot, histogram] : sizes) usual[slot] = std::exp2(histogram.quantile(0.5));
  return usual;
}

DiagnosisLine table_columns(const NamedFacts& named) {
  const Record& reading = named.reading;
  const auto names = [&](const char* field) { return reading.value(field, Value::List()).texts(); };
  const Record missing = reading.value("missing_cells", Record()).record();
  std::uint64_t cells = 0;
  std::string most;
  std::uint64_t at_most = 0;
  for (const auto& [name, count] : missing) {
    cells += count.count();
    if (count.count() <= at_most) continue;
    at_most = count.count();
    most = name;
  }
  DiagnosisLine f{"columns",
                  {{"numbers", names("numbers").size()},
                   {"categories", names("categories").size()},
                   {"missing_cells", nlohmann::json(missing)}}};
  f.text = fmt::format("{} columns of numbers, {} of categories; {} missing cells",
                       names("numbers").size(), names("categories").size(), cells);
  if (cells > 0) f.text += fmt::format(", most in {}: {}", most, at_most);
  f.normal = "few missing cells; many are a feature of their own (`COLUMN is missing`)";
  constexpr std::string_view kLeftOut = "left out: ";
  const std::size_t at = named.note.find(kLeftOut);
  if (at != std::string::npos) {
    f.text += "; " + named.note.substr(at, named.note.find('\n', at) - at);
  }
  return f;
}

DiagnosisLine far_cells(const Overview& all, const NamedFacts& named) {
  DiagnosisLine f{"far_cells", nlohmann::json::array()};
  f.normal = "none";
  std::vector<std::pair<double, std::uint32_t>> far;  // how far, and the column
  for (const auto& [slot, usual] : named.usual_sizes) {
    const double times = all.columns[slot].largest / usual;
    if (times >= kFarCell) far.emplace_back(times, slot);
  }
  std::sort(far.rbegin(), far.rend());
  std::string columns;
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < far.size(); ++i) {
    const auto& [times, slot] = far[i];
    const std::string name = named.name_of(slot);
    const std::uint64_t row = all.columns[slot].row + 1;
    f.value.push_back({{"column", name}, {"times", times}, {"row", row}});
    if (i >= kShown) continue;
    columns += fmt::format("{}{} (row {}, {:.3g} times)", i > 0 ? ", " : "", name, row, times);
  }
  f.text = fmt::format("columns with a number {:g} times as large as usual: {}", kFarCell,
                       far.empty() ? "none" : columns + (far.size() > kShown ? ", ..." : ""));
  if (!far.empty()) f.advice = "check these cells for wrong units or typing";
  return f;
}

DiagnosisLine far_targets(const Targets& targets) {
  const double median = middle_of(targets.values);
  std::vector<double> distances;
  for (const double value : targets.values) distances.push_back(std::fabs(value - median));
  const double usual = middle_of(distances);
  const auto farthest = static_cast<std::size_t>(
      std::max_element(distances.begin(), distances.end()) - distances.begin());
  const auto is_far = [&](double distance) { return distance > kFarTarget * usual; };
  const auto far = usual > 0 ? std::count_if(distances.begin(), distances.end(), is_far) : 0;
  const auto [least, most] = std::minmax_element(targets.values.begin(), targets.values.end());
  DiagnosisLine f{"targets",
                  {{"least", *least},
                   {"median", median},
                   {"most", *most},
                   {"far", far},
                   {"farthest_row", targets.rows[farthest] + 1}}};
  f.text = fmt::format(
      "targets from {:.6g} to {:.6g}, median {:.6g}; {} of them {:g} times as far from it as "
      "usual, the farthest in row {}",
      *least, *most, median, far, kFarTarget, targets.rows[farthest] + 1);
  f.normal = "few far ones";
  if (*least == *most) {
    f.advice = "all targets are equal: there is nothing to learn";
  } else if (far > 0) {
    f.advice = "check these rows: squared losses follow the farthest targets";
  }
  return f;
}

}  // namespace thresh
