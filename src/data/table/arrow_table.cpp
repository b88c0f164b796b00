#include "data/table/arrow_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "data/read/cutter.hpp"
#include "data/read/number.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

class ArrowStream {
 public:
  explicit ArrowStream(ArrowArrayStream& stream) : stream_(stream) {}
  ArrowStream(const ArrowStream&) = delete;
  ArrowStream& operator=(const ArrowStream&) = delete;
  ~ArrowStream() {
    if (stream_.release != nullptr) stream_.release(&stream_);
  }

  void schema(ArrowSchema& out) { check(stream_.get_schema(&stream_, &out)); }
  // False at the end.
  bool next(ArrowArray& out) {
    check(stream_.get_next(&stream_, &out));
    return out.release != nullptr;
  }

 private:
  void check(int error) {
    if (error == 0) return;
    const char* const why = stream_.get_last_error(&stream_);
    throw Error(
        fmt::format("the Arrow stream failed: {}", why != nullptr ? why : std::strerror(error)));
  }

  ArrowArrayStream& stream_;
};

// A name that no column has.
std::string free_name(std::string name, const std::vector<std::string>& taken) {
  while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += '_';
  return name;
}

// The length of a cell in a csv file, in quotes where it needs them.
std::uint64_t csv_bytes(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool quoted = text.find_first_of(",\"\n\r") != std::string_view::npos ||
                      (!text.empty() && (blank(text.front()) || blank(text.back())));
  if (!quoted) return text.size();
  return 2 + text.size() + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '"'));
}

}  // namespace

std::string label_text(double label, const std::vector<std::string>& names) {
  if (names.empty()) return fmt::format("{}", label);
  if (!(label >= 0 && label < static_cast<double>(names.size()))) {
    throw UsageError(fmt::format("label {} has no name", label));
  }
  const std::string& name = names[static_cast<std::size_t>(label)];
  if (name.find_first_of("\t\n\r") != std::string::npos) {
    throw UsageError("names of labels must not contain tabs or line ends");
  }
  return name;
}

ArrowTable::ArrowTable(ArrowArrayStream& stream, const TableBeside& beside) {
  ArrowStream batches(stream);
  batches.schema(schema_);
  if (std::string_view(schema_.format) != "+s") throw UsageError("the Arrow stream has no columns");
  for (std::int64_t i = 0; i < schema_.n_children; ++i) {
    add_column(*schema_.children[i], static_cast<std::size_t>(i));
  }
  for (;;) {
    auto batch = std::make_unique<ArrowReleased<ArrowArray>>();
    if (!batches.next(*batch)) break;
    if (batch->length == 0) continue;
    starts_.push_back(starts_.back() + static_cast<std::uint64_t>(batch->length));
    batches_.push_back(std::move(batch));
  }
  add_beside(beside);
  cut_blocks();
}

void ArrowTable::add_column(const ArrowSchema& column, std::size_t place) {
  names_.emplace_back(column.name != nullptr ? column.name : "");
  columns_.push_back({arrow_cells(column, names_.back()), place});
  if (column.dictionary != nullptr) categories_.push_back(names_.back());
}

void ArrowTable::add_beside(const TableBeside& beside) {
  const bool some = beside.labels != nullptr || beside.weights != nullptr;
  if (some && beside.rows != rows()) {
    throw UsageError(fmt::format("{} labels or weights for {} rows", beside.rows, rows()));
  }
  label_names_ = beside.label_names;
  if (beside.labels != nullptr) {
    names_.push_back(label_ = free_name("label", names_));
    labels_.assign(beside.labels, beside.labels + beside.rows);
    for (const double label : labels_) {
      if (!label_names_.empty()) label_text(label, label_names_);  // throws if it has no name
    }
  }
  if (beside.weights == nullptr) return;
  names_.push_back(weight_ = free_name("weight", names_));
  weights_.assign(beside.weights, beside.weights + beside.rows);
}

std::string ArrowTable::beside_text(std::size_t column, std::uint64_t row) const {
  const bool label = !labels_.empty() && column == columns_.size();
  return label ? label_text(labels_[row], label_names_) : fmt::format("{}", weights_[row]);
}

std::uint64_t ArrowTable::header_bytes() const {
  std::uint64_t bytes = 0;
  for (const std::string& name : names_) bytes += csv_bytes(name) + 1;
  return bytes;
}

// The lengths of the lines of a csv file, which threads find for many rows at once.
class ArrowTable::LineLengths {
 public:
  LineLengths(const ArrowTable& table, bool exact) : table_(table), exact_(exact) {}
  std::uint64_t of(std::uint64_t row) {
    if (row < first_ || row >= first_ + known_.size()) find(row);
    return known_[row - first_];
  }

 private:
  void find(std::uint64_t row) {
    constexpr std::size_t kPart = 128;
    first_ = row;
    known_.resize(std::min<std::uint64_t>(32 * kPart, table_.rows() - row));
    parallel_for((known_.size() + kPart - 1) / kPart, [&](std::size_t part) {
      Cells cells(table_, reader_);
      for (std::size_t i = part * kPart; i < std::min(known_.size(), (part + 1) * kPart); ++i) {
        cells.move_to(first_ + i);
        known_[i] = cells.line_bytes(exact_);
      }
    });
  }

  const ArrowTable& table_;
  bool exact_;
  CellReader reader_;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> known_;
};

// Where the reader of a csv file would cut depends on the length of its lines, but mostly rows are
// too short to matter. Then nothing has to be written to learn that.
void ArrowTable::cut_blocks() {
  LineLengths most(*this, false), exact(*this, true);
  const std::uint64_t widest = widest_row();
  BlockRule begun;
  begun.add(header_bytes(), 0, false);
  for (std::uint64_t first = 0; first < rows(); begun = {}) {
    BlockRule rule = begun;
    std::uint64_t row = first;
    const auto add_rows = [&](const auto& length) {
      for (; row < rows() && !rule.full(); ++row) {
        const std::uint64_t bytes = length(row);
        rule.add(bytes + 1, bytes / 16, true);
      }
    };
    add_rows([&](std::uint64_t at) { return widest > 0 ? widest : most.of(at); });
    if (rule.entries >= kBlockEntries || rule.bytes >= kBlockBytes) {
      rule = begun;
      row = first;
      add_rows([&](std::uint64_t at) { return exact.of(at); });
    }
    blocks_.push_back(first = row);
  }
}

// The most bytes of a line; 0 if there is no limit.
std::uint64_t ArrowTable::widest_row() const {
  std::uint64_t bytes = 0;
  for (const Column& column : columns_) {
    if (column.cells.widest == 0) return 0;
    bytes += column.cells.widest + 1;
  }
  std::uint64_t name = kWidestNumber;
  for (const std::string& each : label_names_) name = std::max(name, 2 * each.size() + 2);
  if (!labels_.empty()) bytes += name + 1;
  if (!weights_.empty()) bytes += kWidestNumber + 1;
  return std::max<std::uint64_t>(bytes, 2);
}

ArrowTable::Cells::Cells(const ArrowTable& table, const CellReader& reader)
    : table_(table), reader_(reader), texts_(table.names_.size()) {}

void ArrowTable::Cells::move_to(std::uint64_t row) {
  const std::vector<std::uint64_t>& starts = table_.starts_;
  if (row < starts[batch_] || row >= starts[batch_ + 1]) {
    const auto after = std::upper_bound(starts.begin(), starts.end(), row);
    batch_ = static_cast<std::size_t>(after - starts.begin()) - 1;
  }
  row_ = row;
  place_ = table_.batches_[batch_]->offset + static_cast<std::int64_t>(row - starts[batch_]);
}

const ArrowArray& ArrowTable::Cells::array(const Column& column) const {
  return *table_.batches_[batch_]->children[column.place];
}

std::string_view ArrowTable::Cells::text(std::size_t column) {
  std::string& text = texts_[column];
  text.clear();
  if (table_.is_beside(column)) {
    text = table_.beside_text(column, row_);
  } else {
    const Column& from = table_.columns_[column];
    from.cells.text(array(from), place_, text);
  }
  const std::size_t size = text.size();
  text.append(kTextPadding, '\n');
  return {text.data(), size};
}

bool ArrowTable::Cells::has_number(std::size_t column) const {
  if (!table_.is_beside(column)) return table_.columns_[column].cells.number != nullptr;
  const bool label = !table_.labels_.empty() && column == table_.columns_.size();
  return !label || table_.label_names_.empty();
}

double ArrowTable::Cells::number(std::size_t column) const {
  if (!table_.is_beside(column)) {
    const Column& from = table_.columns_[column];
    return from.cells.number(array(from), place_);
  }
  const bool label = !table_.labels_.empty() && column == table_.columns_.size();
  return label ? table_.labels_[row_] : table_.weights_[row_];
}

Cell ArrowTable::Cells::cell(std::size_t column) {
  if (!has_number(column)) return reader_.read(text(column));
  const double value = number(column);
  if (std::isnan(value) && !table_.is_beside(column)) return {};
  if (!std::isfinite(value) || reader_.may_be_missing(value)) return reader_.read(text(column));
  return {Cell::Kind::number, value, {}};
}

std::uint64_t ArrowTable::Cells::line_bytes(bool exact) {
  std::uint64_t bytes = size() - 1;  // the commas
  for (std::size_t i = 0; i < size(); ++i) {
    const std::size_t widest = table_.is_beside(i) || exact ? 0 : table_.columns_[i].cells.widest;
    bytes += widest > 0 ? widest : csv_bytes(text(i));
  }
  return std::max<std::uint64_t>(bytes, bytes == 0 ? 2 : 0);  // an empty line would not count
}

MemoryTable arrow_table(ArrowArrayStream& stream, const TableBeside& beside) {
  const auto cells = std::make_shared<const ArrowTable>(stream, beside);
  return {cells, cells->label(), cells->weight(), cells->categories()};
}

}  // namespace thresh
