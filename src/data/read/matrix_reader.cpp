#include "data/read/matrix_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/read/cutter.hpp"
#include "data/read/row_scale.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr std::uint64_t kRowsAtOnce = 16 * kBlockRows;

// Calls work(first, last) for ranges of 0 .. n-1, on all cores.
template <class Work>
void for_ranges(std::uint64_t n, const Work& work) {
  const std::uint64_t ranges = (n + kRowsAtOnce - 1) / kRowsAtOnce;
  parallel_for(ranges, [&](std::size_t i) {
    work(i * kRowsAtOnce, std::min<std::uint64_t>(n, (i + 1) * kRowsAtOnce));
  });
}

template <class Value>
bool is_finite(Value value) {
  return std::fabs(value) <= std::numeric_limits<Value>::max();
}

[[noreturn]] void refuse(std::uint64_t row, const std::string& why) {
  throw UsageError(fmt::format("row {}: {}", row, why));
}
[[noreturn]] void refuse_value(std::uint64_t row, std::uint64_t column) {
  refuse(row, fmt::format("value of feature {} is not finite", column));
}

// Writes entries to a block whose vectors are longer than they will be.
class Appender {
 public:
  Appender(std::size_t most, bool normalize, FeatureMap& features, RowBlock& block)
      : normalize_(normalize), features_(features), block_(block), end_(block.slots.size()) {
    block.slots.resize(end_ + most);
    block.values.resize(end_ + most);
  }
  ~Appender() {
    block_.slots.resize(end_);
    block_.values.resize(end_);
  }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void add(std::uint64_t column, double value) {
    put(end_, column, value);
    end_ += value != 0 ? 1 : 0;
  }
  // Ends a row that began where the last one ended.
  void end_row() { end_row(block_.starts.back(), end_); }

  // The same for rows whose lengths are known before their entries: end_row() closes gaps.
  void put(std::size_t at, std::uint64_t column, double value) {
    const std::uint32_t slot = features_.slot(column);
    has_unknown_ |= slot == FeatureMap::kUnknown;
    block_.slots[at] = slot;
    block_.values[at] = value;
  }
  void end_row(std::size_t begin, std::size_t end) {
    bool has_zeros = false;
    if (normalize_) has_zeros = normalize_l2(block_.values.data() + begin, end - begin);
    const std::size_t target = block_.starts.back();
    if (begin == target && !has_zeros && !has_unknown_) {
      finish_row(end);
    } else {
      finish_row(move_known(begin, end, target));
    }
  }

 private:
  std::size_t move_known(std::size_t begin, std::size_t end, std::size_t target) {
    for (std::size_t i = begin; i < end; ++i) {
      if (block_.values[i] == 0 || block_.slots[i] == FeatureMap::kUnknown) continue;
      block_.slots[target] = block_.slots[i];
      block_.values[target++] = block_.values[i];
    }
    return target;
  }
  void finish_row(std::size_t end) {
    for (std::size_t i = block_.starts.back(); i < end; ++i) {
      block_.slot_end = std::max(block_.slot_end, std::uint64_t{block_.slots[i]} + 1);
    }
    block_.starts.push_back(end);
    end_ = end;
  }

  bool normalize_;
  FeatureMap& features_;
  RowBlock& block_;
  std::size_t end_;
  bool has_unknown_ = false;
};

template <class Index, class Value>
class CsrReader : public MatrixReader {
 public:
  CsrReader(const MatrixView& matrix, std::uint64_t first_row)
      : starts_(static_cast<const Index*>(matrix.starts)),
        indices_(static_cast<const Index*>(matrix.indices)),
        values_(static_cast<const Value*>(matrix.values)),
        columns_(matrix.columns) {
    for_ranges(matrix.rows, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; ++row) check(row, matrix.columns, first_row);
    });
  }

  std::uint64_t entries(std::uint64_t row) const override {
    return static_cast<std::uint64_t>(starts_[row + 1] - starts_[row]);
  }
  void append(std::uint64_t first, std::uint64_t last, bool normalize, FeatureMap& features,
              RowBlock& block) const override {
    if (!normalize && !has_zeros_ && columns_ <= features.identity_end()) {
      block.slots.insert(block.slots.end(), indices_ + starts_[first], indices_ + starts_[last]);
      block.values.insert(block.values.end(), values_ + starts_[first], values_ + starts_[last]);
      return end_rows(first, last, block);
    }
    Appender out(static_cast<std::size_t>(starts_[last] - starts_[first]), normalize, features,
                 block);
    for (std::uint64_t row = first; row < last; ++row) {
      for (Index i = starts_[row]; i < starts_[row + 1]; ++i) {
        out.add(static_cast<std::uint64_t>(indices_[i]), static_cast<double>(values_[i]));
      }
      out.end_row();
    }
  }
  bool lend(std::uint64_t first, std::uint64_t last, bool normalize, const FeatureMap& features,
            RowBlock& block) const override {
    if constexpr (std::is_same_v<Index, std::int32_t> && std::is_same_v<Value, double>) {
      if (normalize || has_zeros_ || columns_ > features.identity_end()) return false;
      // Indices are not negative; the two types may be read as each other.
      block.lent_slots = reinterpret_cast<const std::uint32_t*>(indices_ + starts_[first]);
      block.lent_values = values_ + starts_[first];
      end_rows(first, last, block);
      return true;
    }
    return false;
  }

 private:
  // Ends rows whose features are their own slots, entry by entry.
  void end_rows(std::uint64_t first, std::uint64_t last, RowBlock& block) const {
    const auto shift = static_cast<std::int64_t>(block.starts.back()) - starts_[first];
    for (std::uint64_t row = first; row < last; ++row) {
      const Index stop = starts_[row + 1];
      block.starts.push_back(static_cast<std::size_t>(stop + shift));
      if (stop == starts_[row]) continue;
      block.slot_end = std::max(block.slot_end, static_cast<std::uint64_t>(indices_[stop - 1]) + 1);
    }
  }

  void check(std::uint64_t row, std::uint64_t columns, std::uint64_t first_row) {
    bool good = true, zeros = false;
    std::int64_t before = -1;
    for (Index i = starts_[row]; i < starts_[row + 1]; ++i) {
      const std::int64_t index = indices_[i];
      good &= index > before && is_finite(values_[i]);
      zeros |= values_[i] == 0;
      before = index;
    }
    if (zeros) has_zeros_ = true;
    good &= before < static_cast<std::int64_t>(columns);
    if (!good) explain(row, columns, row + first_row);
  }
  [[noreturn]] void explain(std::uint64_t row, std::uint64_t columns, std::uint64_t shown) const {
    std::int64_t before = -1;
    for (Index i = starts_[row];; ++i) {
      const std::int64_t index = indices_[i];
      if (index < 0 || index >= static_cast<std::int64_t>(columns)) {
        refuse(shown, fmt::format("feature index {}, but there are {} columns", index, columns));
      }
      if (index == before) refuse(shown, fmt::format("feature index {} twice", index));
      if (index < before) {
        refuse(shown, fmt::format("feature index {} after {}: indices must ascend", index, before));
      }
      if (!is_finite(values_[i])) refuse_value(shown, static_cast<std::uint64_t>(index));
      before = index;
    }
  }

  const Index* starts_;
  const Index* indices_;
  const Value* values_;
  std::uint64_t columns_;
  std::atomic<bool> has_zeros_ = false;  // stored ones, which rows do not have
};

// The rows of a csc matrix, copied.
template <class Index, class Value>
class CscReader : public MatrixReader {
 public:
  CscReader(const MatrixView& matrix, std::uint64_t first_row) {
    const auto* const starts = static_cast<const Index*>(matrix.starts);
    const auto* const indices = static_cast<const Index*>(matrix.indices);
    const auto* const values = static_cast<const Value*>(matrix.values);
    const auto rows = static_cast<std::int64_t>(matrix.rows);
    starts_.resize(matrix.rows + 1);
    for (Index i = 0; i < starts[matrix.columns]; ++i) {
      if (indices[i] < 0 || indices[i] >= rows) {
        throw UsageError(fmt::format("row number {}, but there are {} rows",
                                     static_cast<std::int64_t>(indices[i]), rows));
      }
      ++starts_[static_cast<std::size_t>(indices[i]) + 1];
    }
    for (std::size_t row = 0; row < matrix.rows; ++row) starts_[row + 1] += starts_[row];
    std::vector<Index> next(starts_.begin(), starts_.end() - 1);
    indices_.resize(static_cast<std::size_t>(starts[matrix.columns]));
    values_.resize(indices_.size());
    for (std::size_t column = 0; column < matrix.columns; ++column) {
      for (Index i = starts[column]; i < starts[column + 1]; ++i) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(indices[i])]++);
        indices_[at] = static_cast<Index>(column);
        values_[at] = values[i];
      }
    }
    MatrixView copy = matrix;
    copy.starts = starts_.data();
    copy.indices = indices_.data();
    copy.values = values_.data();
    rows_ = std::make_unique<CsrReader<Index, Value>>(copy, first_row);
  }
  std::uint64_t entries(std::uint64_t row) const override { return rows_->entries(row); }
  void append(std::uint64_t first, std::uint64_t last, bool normalize, FeatureMap& features,
              RowBlock& block) const override {
    rows_->append(first, last, normalize, features, block);
  }
  bool lend(std::uint64_t first, std::uint64_t last, bool normalize, const FeatureMap& features,
            RowBlock& block) const override {
    return rows_->lend(first, last, normalize, features, block);
  }

 private:
  std::vector<Index> starts_;
  std::vector<Index> indices_;
  std::vector<Value> values_;
  std::unique_ptr<CsrReader<Index, Value>> rows_;
};

template <class Value>
class DenseReader : public MatrixReader {
 public:
  DenseReader(const MatrixView& matrix, std::uint64_t first_row) : matrix_(matrix) {
    // Up to this many columns, a block is full by its number of rows.
    constexpr std::uint64_t kNarrow = kBlockEntries / kBlockRows;
    if (matrix.columns > kNarrow) counts_.resize(matrix.rows);
    for_ranges(matrix.rows,
               [&](std::uint64_t first, std::uint64_t last) { check(first, last, first_row); });
  }

  std::uint64_t entries(std::uint64_t row) const override {
    return counts_.empty() ? 0 : counts_[row];
  }
  void append(std::uint64_t first, std::uint64_t last, bool normalize, FeatureMap& features,
              RowBlock& block) const override {
    // Columns that are contiguous are read one after the other, for all rows.
    if (std::abs(matrix_.row_stride) < std::abs(matrix_.column_stride)) {
      append_by_columns(first, last, normalize, features, block);
    } else {
      Appender out((last - first) * matrix_.columns, normalize, features, block);
      for (std::uint64_t row = first; row < last; ++row) {
        for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
          out.add(column, at(row, column));
        }
        out.end_row();
      }
    }
  }

 private:
  double at(std::uint64_t row, std::uint64_t column) const {
    const char* const place = static_cast<const char*>(matrix_.values) +
                              static_cast<std::ptrdiff_t>(row) * matrix_.row_stride +
                              static_cast<std::ptrdiff_t>(column) * matrix_.column_stride;
    Value value;
    std::memcpy(&value, place, sizeof value);  // it need not be aligned
    return static_cast<double>(value);
  }

  void append_by_columns(std::uint64_t first, std::uint64_t last, bool normalize,
                         FeatureMap& features, RowBlock& block) const {
    const std::uint64_t rows = last - first;
    Appender out(rows * matrix_.columns, normalize, features, block);
    const std::size_t begin = block.starts.back();
    std::vector<std::size_t> ends(rows);
    for (std::uint64_t i = 0; i < rows; ++i) ends[i] = begin + i * matrix_.columns;
    for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
      for (std::uint64_t i = 0; i < rows; ++i) {
        const double value = at(first + i, column);
        if (value != 0) out.put(ends[i]++, column, value);
      }
    }
    for (std::uint64_t i = 0; i < rows; ++i) out.end_row(begin + i * matrix_.columns, ends[i]);
  }

  void check(std::uint64_t first, std::uint64_t last, std::uint64_t first_row) {
    const bool by_columns = std::abs(matrix_.row_stride) < std::abs(matrix_.column_stride);
    bool good = true;
    const auto look = [&](std::uint64_t row, std::uint64_t column) {
      const double value = at(row, column);
      good &= is_finite(value);
      if (!counts_.empty() && value != 0) ++counts_[row];
    };
    if (by_columns) {
      for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
        for (std::uint64_t row = first; row < last; ++row) look(row, column);
      }
    } else {
      for (std::uint64_t row = first; row < last; ++row) {
        for (std::uint64_t column = 0; column < matrix_.columns; ++column) look(row, column);
      }
    }
    if (good) return;
    for (std::uint64_t row = first; row < last; ++row) {
      for (std::uint64_t column = 0; column < matrix_.columns; ++column) {
        if (!is_finite(at(row, column))) refuse_value(row + first_row, column);
      }
    }
  }

  MatrixView matrix_;
  std::vector<std::uint32_t> counts_;  // non-zeros of each row; empty if there are few columns
};

template <class Index>
void check_starts(const MatrixView& matrix) {
  const bool csr = matrix.layout == MatrixView::Layout::csr;
  const std::uint64_t n = csr ? matrix.rows : matrix.columns;
  const auto* const starts = static_cast<const Index*>(matrix.starts);
  if (starts == nullptr) throw UsageError("matrix: starts are missing");
  if (starts[0] != 0) throw UsageError("matrix: starts must begin with 0");
  if (!std::is_sorted(starts, starts + n + 1)) throw UsageError("matrix: starts must not fall");
  if (static_cast<std::uint64_t>(starts[n]) > matrix.entries) {
    throw UsageError(fmt::format("matrix: starts ends with {}, but there are {} entries",
                                 static_cast<std::int64_t>(starts[n]), matrix.entries));
  }
  if (starts[n] > 0 && (matrix.indices == nullptr || matrix.values == nullptr)) {
    throw UsageError("matrix: indices or values are missing");
  }
}

template <class Index, class Value>
std::unique_ptr<MatrixReader> sparse_reader(const MatrixView& matrix, std::uint64_t first_row) {
  check_starts<Index>(matrix);
  if (matrix.layout == MatrixView::Layout::csr) {
    return std::make_unique<CsrReader<Index, Value>>(matrix, first_row);
  }
  return std::make_unique<CscReader<Index, Value>>(matrix, first_row);
}

template <class Value>
std::unique_ptr<MatrixReader> reader_of(const MatrixView& matrix, std::uint64_t first_row) {
  if (matrix.layout == MatrixView::Layout::dense) {
    if (matrix.values == nullptr && matrix.rows > 0 && matrix.columns > 0) {
      throw UsageError("matrix: values are missing");
    }
    return std::make_unique<DenseReader<Value>>(matrix, first_row);
  }
  if (matrix.index == MatrixView::Index::int32) {
    return sparse_reader<std::int32_t, Value>(matrix, first_row);
  }
  return sparse_reader<std::int64_t, Value>(matrix, first_row);
}

}  // namespace

std::unique_ptr<MatrixReader> matrix_reader(const MatrixView& matrix, std::uint64_t first_row) {
  if (matrix.columns > FeatureMap::kMaxIndex) {
    throw UsageError(fmt::format("matrix: {} columns are more than 2^40", matrix.columns));
  }
  return matrix.value == MatrixView::Value::float64 ? reader_of<double>(matrix, first_row)
                                                    : reader_of<float>(matrix, first_row);
}

}  // namespace thresh
