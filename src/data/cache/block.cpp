#include "data/cache/block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/read/row_scale.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {
namespace {

constexpr std::size_t kWideBytes = 5;
constexpr std::uint64_t kNarrowEnd = std::uint64_t{1} << 32;

static_assert(sizeof(BlockHead) == 10 * 8 + 4 * 16 + 3 * 16, "no holes: it is written as it lies");

void append(Bytes& out, const Bytes& more) {
  out.insert(out.end(), more.begin(), more.end());
}

std::vector<std::uint64_t> gaps(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::uint64_t> rest(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) rest[i] = numbers[i] - numbers[0] - i;
  return rest;
}

void append_wide(Bytes& out, std::uint64_t id) {
  for (std::size_t b = 0; b < kWideBytes; ++b) {
    out.push_back(static_cast<unsigned char>(id >> (8 * b)));
  }
}

// Packs all indices, and gives the size of each row's.
Bytes pack_indices(const RowBlock& block, const FeatureMap& features, BlockHead& head,
                   std::vector<std::uint64_t>& row_bytes) {
  std::vector<std::uint64_t> ids;
  for (const std::uint32_t slot : block.all_slots()) ids.push_back(features.id(slot));
  for (const std::uint64_t id : ids) head.id_end = std::max(head.id_end, id + 1);
  head.wide = head.id_end > kNarrowEnd ? 1 : 0;
  const std::vector<std::uint32_t> narrow(ids.begin(), ids.end());
  Bytes out;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const std::size_t before = out.size();
    const std::size_t n = block.starts[i + 1] - block.starts[i];
    if (head.wide == 0) pack_ascending({narrow.data() + block.starts[i], n}, out);
    for (std::size_t k = 0; head.wide != 0 && k < n; ++k)
      append_wide(out, ids[block.starts[i] + k]);
    row_bytes.push_back(out.size() - before);
  }
  head.index_bytes = out.size();
  return out;
}

}  // namespace

Bytes pack_block(const RowBlock& block, const FeatureMap& features) {
  BlockHead head;
  head.rows = block.rows();
  head.entries = block.starts.back();
  head.dimension = block.dimension;
  head.source_bytes = block.source_bytes;
  head.bad_rows = block.bad_rows;
  head.first_id = block.ids.empty() ? 0 : block.ids[0];
  head.first_line = block.lines.empty() ? 0 : block.lines[0];
  std::vector<std::uint64_t> sizes, row_bytes;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    sizes.push_back(block.starts[i + 1] - block.starts[i]);
  }
  const Bytes indices = pack_indices(block, features, head, row_bytes);
  Bytes ints, tables, labels, values, weights;
  head.sizes = pack_ints(sizes, ints);
  head.row_index_bytes = pack_ints(row_bytes, ints);
  head.id_gaps = pack_ints(gaps(block.ids), ints);
  head.line_gaps = pack_ints(gaps(block.lines), ints);
  head.labels = pack_numbers(block.labels, tables, labels);
  head.values = pack_numbers(block.all_values(), tables, values);
  if (!block.weights.empty()) head.weights = pack_numbers(block.weights, tables, weights);
  Bytes out(sizeof head);
  std::memcpy(out.data(), &head, sizeof head);
  for (const Bytes* part : {&std::as_const(ints), &std::as_const(tables), &std::as_const(labels),
                            &indices, &std::as_const(values), &std::as_const(weights)}) {
    append(out, *part);
  }
  out.resize((out.size() + 7) / 8 * 8);
  return out;
}

PackedBlock::PackedBlock(std::span<const unsigned char> bytes, std::size_t head_bytes) {
  if (bytes.size() < head_bytes) throw BadBlock{"it is too short"};
  std::memcpy(&head_, bytes.data(), head_bytes);
  at_.sizes = bytes.data() + head_bytes;
  lay_out(bytes.size() - head_bytes);
  find_rows();
}

// Finds the arrays and checks that they fill the block, without trusting the head.
void PackedBlock::lay_out(std::size_t bytes) {
  const auto narrow = [](const IntCode& code) { return code.width <= 4; };
  const bool sound = narrow(head_.sizes) && narrow(head_.row_index_bytes) &&
                     narrow(head_.id_gaps) && narrow(head_.line_gaps) && head_.labels.is_sound() &&
                     head_.values.is_sound() && head_.weights.is_sound() && head_.wide <= 1;
  // A row may take no byte at all, but an entry takes at least one for its index. This bounds the
  // products and the allocations below.
  constexpr std::uint64_t kMostRows = std::uint64_t{1} << 20;
  if (!sound || head_.rows > kMostRows || head_.entries > bytes)
    throw BadBlock{"its header is invalid"};
  const unsigned char* at = at_.sizes;
  std::uint64_t left = bytes;
  const auto take = [&](std::uint64_t size) {
    if (size > left) throw BadBlock{"it is too short for its rows"};
    const unsigned char* const here = at;
    at += size;
    left -= size;
    return here;
  };
  at_.sizes = take(head_.rows * head_.sizes.width);
  at_.row_index_bytes = take(head_.rows * head_.row_index_bytes.width);
  at_.id_gaps = take(head_.rows * head_.id_gaps.width);
  at_.line_gaps = take(head_.rows * head_.line_gaps.width);
  at_.label_table = take(head_.labels.table_size * sizeof(double));
  at_.value_table = take(head_.values.table_size * sizeof(double));
  at_.weight_table = take(head_.weights.table_size * sizeof(double));
  at_.labels = take(head_.rows * head_.labels.width);
  at_.indices = take(head_.index_bytes);
  at_.values = take(head_.entries * head_.values.width);
  at_.weights = take(head_.rows * head_.weights.width);
  if (left >= 8) throw BadBlock{"it is too long for its rows"};
}

void PackedBlock::find_rows() {
  if (!places_fit(head_.labels, at_.labels, head_.rows)) throw BadBlock{"its labels are invalid"};
  starts_.resize(head_.rows + 1);
  index_at_.resize(head_.rows + 1);
  labels_.resize(head_.rows + kUnpackRoom);
  for (std::size_t i = 0; i < head_.rows; ++i) {
    starts_[i + 1] = starts_[i] + unpack_int(head_.sizes, at_.sizes, i);
    index_at_[i + 1] = index_at_[i] + unpack_int(head_.row_index_bytes, at_.row_index_bytes, i);
    // Both only grow, and are checked each time, so that no sum can wrap around.
    if (starts_[i + 1] < starts_[i] || starts_[i + 1] > head_.entries ||
        index_at_[i + 1] < index_at_[i] || index_at_[i + 1] > head_.index_bytes) {
      throw BadBlock{"its rows are longer than the block"};
    }
  }
  if (starts_.back() != head_.entries || index_at_.back() != head_.index_bytes) {
    throw BadBlock{"its rows are shorter than the block"};
  }
  unpack_numbers(head_.labels, at_.label_table, at_.labels, head_.rows, labels_.data());
  labels_.resize(head_.rows);
  if (head_.weights.kind == NumberCode::ones) return;
  if (!places_fit(head_.weights, at_.weights, head_.rows))
    throw BadBlock{"its weights are invalid"};
  weights_.resize(head_.rows + kUnpackRoom);
  unpack_numbers(head_.weights, at_.weight_table, at_.weights, head_.rows, weights_.data());
  weights_.resize(head_.rows);
}

std::uint64_t PackedBlock::line(std::size_t row) const {
  return head_.first_line + row + unpack_int(head_.line_gaps, at_.line_gaps, row);
}

std::uint64_t PackedBlock::wide_id(std::size_t entry) const {
  std::uint64_t id = 0;
  std::memcpy(&id, at_.indices + entry * kWideBytes, kWideBytes);
  return id;
}

// The simple way, for rows that are checked or whose indices are not slots.
void PackedBlock::unpack_ids(std::size_t row, std::uint64_t* ids) const {
  const std::size_t n = size(row);
  if (head_.wide != 0) {
    for (std::size_t i = 0; i < n; ++i) ids[i] = wide_id(starts_[row] + i);
    return;
  }
  static PerThread<std::vector<std::uint32_t>> reused;
  std::vector<std::uint32_t>& narrow = reused.here();
  if (narrow.size() < n + kUnpackRoom) narrow.resize(n + kUnpackRoom);
  unpack_ascending(at_.indices + index_at_[row], n, narrow.data());
  std::copy_n(narrow.begin(), n, ids);
}

std::pair<const std::uint64_t*, const double*> PackedBlock::entries_of(std::size_t row) const {
  struct Unpacked {
    std::vector<std::uint64_t> ids;
    std::vector<double> values;
  };
  static PerThread<Unpacked> reused;
  Unpacked& entries = reused.here();
  const std::size_t n = size(row);
  if (entries.ids.size() < n) entries.ids.resize(n);
  if (entries.values.size() < n + kUnpackRoom) entries.values.resize(n + kUnpackRoom);
  unpack_ids(row, entries.ids.data());
  unpack_numbers(head_.values, at_.value_table, at_.values + starts_[row] * head_.values.width, n,
                 entries.values.data());
  return {entries.ids.data(), entries.values.data()};
}

void PackedBlock::check() const {
  if (!places_fit(head_.values, at_.values, head_.entries))
    throw BadBlock{"its values are invalid"};
  if (head_.id_end > FeatureMap::kMaxIndex || head_.dimension > FeatureMap::kMaxIndex ||
      head_.dimension < head_.id_end) {
    throw BadBlock{"its dimension is invalid"};
  }
  std::vector<std::uint64_t> ids;
  std::vector<double> values;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (!std::isfinite(labels_[row])) throw BadBlock{"a label is not finite"};
    if (!std::isfinite(weight(row)) || weight(row) < 0) throw BadBlock{"a weight is invalid"};
    if (row > 0 && id(row) <= id(row - 1)) throw BadBlock{"its rows are not in order"};
    check_row(row, ids, values);
  }
}

void PackedBlock::check_row(std::size_t row, std::vector<std::uint64_t>& ids,
                            std::vector<double>& values) const {
  const std::size_t n = size(row);
  const std::size_t bytes = index_at_[row + 1] - index_at_[row];
  const unsigned char* const indices = at_.indices + index_at_[row];
  const bool fits = head_.wide != 0
                        ? index_at_[row] == starts_[row] * kWideBytes && bytes == n * kWideBytes
                        : bytes >= (n + 3) / 4 && ascending_bytes(indices, n) == bytes;
  if (!fits) throw BadBlock{"the indices of a row are invalid"};
  ids.resize(n);
  unpack_ids(row, ids.data());
  for (std::size_t i = 0; i < n; ++i) {
    if (ids[i] >= head_.id_end || (i > 0 && ids[i] <= ids[i - 1])) {
      throw BadBlock{"the indices of a row are not ascending"};
    }
  }
  values.resize(n + kUnpackRoom);
  unpack_numbers(head_.values, at_.value_table, at_.values + starts_[row] * head_.values.width, n,
                 values.data());
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(values[i]) || values[i] == 0) throw BadBlock{"a value is invalid"};
  }
}

void PackedBlock::prefetch(std::size_t row) const {
  constexpr std::size_t kLine = 64;
  const auto fetch = [](const unsigned char* from, const unsigned char* to) {
    for (; from < to; from += kLine) __builtin_prefetch(from);
  };
  fetch(at_.indices + index_at_[row], at_.indices + index_at_[row + 1]);
  fetch(at_.values + starts_[row] * head_.values.width,
        at_.values + starts_[row + 1] * head_.values.width);
}

std::size_t PackedBlock::unpack(std::size_t row, FeatureMap& features, bool normalize,
                                std::uint32_t* slots, double* values) const {
  const std::size_t n = size(row);
  unpack_numbers(head_.values, at_.value_table, at_.values + starts_[row] * head_.values.width, n,
                 values);
  const bool has_zeros = normalize && normalize_l2(values, n);
  if (!has_zeros && head_.id_end <= features.identity_end()) {  // nearly always true
    unpack_ascending(at_.indices + index_at_[row], n, slots);
    return n;
  }
  static PerThread<std::vector<std::uint64_t>> reused;
  std::vector<std::uint64_t>& ids = reused.here();
  if (ids.size() < n) ids.resize(n);
  unpack_ids(row, ids.data());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (values[i] == 0) continue;
    const std::uint32_t slot = features.slot(ids[i]);
    if (slot == FeatureMap::kUnknown) continue;
    slots[kept] = slot;
    values[kept++] = values[i];
  }
  return kept;
}

}  // namespace thresh
