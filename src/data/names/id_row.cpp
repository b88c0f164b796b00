#include "data/names/id_row.hpp"

#include <algorithm>

#include "data/read/name_table.hpp"
#include "data/read/row_scale.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {
namespace {

// Sorts a row by id and adds up entries with the same id.
void tidy(std::vector<IdEntry>& row) {
  const auto before = [](const IdEntry& a, const IdEntry& b) { return a.id < b.id; };
  // Stable, because sums must not depend on the library's way of sorting.
  if (!std::is_sorted(row.begin(), row.end(), before)) {
    std::stable_sort(row.begin(), row.end(), before);
  }
  std::size_t size = 0;
  for (const IdEntry& entry : row) {
    if (size > 0 && row[size - 1].id == entry.id) {
      row[size - 1].value += entry.value;
    } else {
      row[size++] = entry;
    }
  }
  row.resize(size);
}

Scale scale_of(const std::vector<IdEntry>& row) {
  static PerThread<std::vector<double>> reused;
  std::vector<double>& values = reused.here();
  values.clear();
  for (const IdEntry& entry : row) values.push_back(entry.value);
  return thresh::scale_of(values.data(), values.size());
}

}  // namespace

std::uint64_t unknown_id(std::string_view name) {
  return kUnknownIds | hash_of_name(name);
}

void append_row(std::vector<IdEntry>& row, bool normalize, FeatureMap& features, RowBlock& out) {
  tidy(row);
  const Scale scale = normalize ? scale_of(row) : Scale{};
  for (const IdEntry& entry : row) {
    const double value = entry.value * scale.power / scale.length;
    if (entry.id >= kUnknownIds) break;
    out.dimension = std::max(out.dimension, entry.id + 1);
    const std::uint32_t slot = features.slot(entry.id);
    if (value == 0 || slot == FeatureMap::kUnknown) continue;
    out.slots.push_back(slot);
    out.values.push_back(value);
    out.slot_end = std::max(out.slot_end, std::uint64_t{slot} + 1);
  }
  out.starts.push_back(out.slots.size());
}

}  // namespace thresh
