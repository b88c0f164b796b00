// Rows in arrays of the caller, sparse or dense. They are read where they are, without a copy.
//
//     thresh::MatrixView rows;
//     rows.rows = 1000, rows.columns = 30;
//     rows.values = x.data(), rows.row_stride = 30 * sizeof(double), rows.labels = y;
//     thresh::Trained trained = thresh::train(thresh::matrix_problem(rows));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thresh/fit.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// A view of arrays that must live, unchanged, as long as what is made of it. Column j is the
// feature with index j.
struct MatrixView {
  // csr: row i is entries starts[i] .. starts[i+1] - 1. csc: likewise column j, with row numbers as
  // indices; it is read in the order of its columns, so its rows are copied. dense: see the
  // strides.
  enum class Layout { dense, csr, csc } layout = Layout::dense;
  enum class Value { float64, float32 } value = Value::float64;
  enum class Index { int32, int64 } index = Index::int32;  // of starts and indices
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  const void* values = nullptr;
  std::uint64_t entries = 0;      // sparse: the length of values and indices
  const void* starts = nullptr;   // sparse: one more than there are rows (csc: columns)
  const void* indices = nullptr;  // sparse: ascending within a row (csc: column), each once
  std::ptrdiff_t row_stride = 0;  // dense: bytes from a value to the one below it; may be negative
  std::ptrdiff_t column_stride = sizeof(double);  // and to the one at its right
  std::span<const double> labels;                 // one for each row, or empty to predict
  std::span<const double> weights;                // relative row weights, at least 0; empty: equal
  std::vector<std::string> label_names;           // words for labels 0, 1, ...; may be empty
};

// Throws UsageError, with the 0-based number of the row, if arrays do not match, indices do not
// ascend or are out of range, or numbers are not finite. A zero is not an entry.
//
// A libsvm file of the same rows, counted from zero and read with --dim COLUMNS, gives the same
// model. MemoryOptions::zero_based false makes the index of column j j + 1. `interactions` asks for
// products of columns, see ReadOptions; A and B are numbers of features.
Problem matrix_problem(const MatrixView& train, const MemoryOptions& options = {},
                       const MatrixView* valid = nullptr,
                       const std::vector<std::string>& interactions = {});

// The same for rows that come in batches, each valid until the next one is asked for; none at the
// end. All have the same columns, and labels. The rows go to a temporary file.
using NextBatch = std::function<std::optional<MatrixView>()>;
Problem batch_problem(const NextBatch& next, const MemoryOptions& options = {});

// Rows for a Predictor with these features, see Predictor::features(). Labels may be missing.
std::shared_ptr<RowSource> matrix_rows(const MatrixView& rows, const MemoryOptions& options,
                                       std::shared_ptr<FeatureMap> features);

}  // namespace thresh
