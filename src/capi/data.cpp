// Handles of data: arrays, paths, batches and texts. arrow.cpp has tables.

#include <fmt/format.h>

#include <algorithm>

#include "capi/handles.hpp"
#include "capi/weighted_rows.hpp"
#include "data/table/arrow_table.hpp"
#include "thresh/error.hpp"

namespace thresh::capi {
namespace {

template <class Word>
Word word_of(std::int32_t number, std::int32_t count, const char* what) {
  if (number < 0 || number >= count) {
    throw UsageError(fmt::format("matrix: unknown {} {}", what, number));
  }
  return static_cast<Word>(number);
}

// A line of a file of texts. A line end or a tab separates words like any other white space.
void append_line(const std::string& label, std::string_view text, std::string& lines) {
  lines += label + "\t";
  const std::size_t begin = lines.size();
  lines += text;
  std::replace_if(
      lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.end(),
      [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  lines += '\n';
}

}  // namespace

std::vector<std::string> strings_of(const char* const* texts, std::uint64_t count) {
  return texts == nullptr ? std::vector<std::string>()
                          : std::vector<std::string>(texts, texts + count);
}

MatrixView view_of(const thresh_matrix& matrix) {
  if (matrix.size != sizeof(thresh_matrix)) {
    throw UsageError("matrix: size is not sizeof(thresh_matrix)");
  }
  MatrixView view;
  view.layout = word_of<MatrixView::Layout>(matrix.layout, 3, "layout");
  view.value = word_of<MatrixView::Value>(matrix.value_type, 2, "type of values");
  view.index = word_of<MatrixView::Index>(matrix.index_type, 2, "type of indices");
  view.rows = matrix.rows;
  view.columns = matrix.columns;
  view.values = matrix.values;
  view.entries = matrix.entries;
  view.starts = matrix.starts;
  view.indices = matrix.indices;
  view.row_stride = matrix.row_stride;
  view.column_stride = matrix.column_stride;
  if (matrix.labels != nullptr) view.labels = {matrix.labels, matrix.rows};
  if (matrix.weights != nullptr) view.weights = {matrix.weights, matrix.rows};
  view.label_names = strings_of(matrix.label_names, matrix.label_name_count);
  return view;
}

}  // namespace thresh::capi

using namespace thresh;
using namespace thresh::capi;

void thresh_data_free(thresh_data* data) {
  delete data;
}

int thresh_data_from_matrix(const thresh_matrix* matrix, thresh_data** data) {
  return guarded([&] {
    *data = new thresh_data{
        MatrixData{view_of(*matrix), strings_of(matrix->feature_names, matrix->columns)}};
  });
}

int thresh_data_from_path(const char* path, thresh_data** data) {
  return guarded([&] { *data = new thresh_data{Path{path}}; });
}

int thresh_data_from_batches(thresh_next_batch next, void* context, thresh_data** data) {
  return guarded([&] { *data = new thresh_data{Batches{next, context}}; });
}

int thresh_data_from_texts(const char* const* texts, const std::uint64_t* lengths,
                           std::uint64_t count, const double* labels,
                           const char* const* label_names, std::uint64_t label_name_count,
                           thresh_data** data) {
  return guarded([&] {
    const std::vector<std::string> names = strings_of(label_names, label_name_count);
    Texts made{"", count, {}, {}};
    for (std::uint64_t i = 0; i < count; ++i) {
      if (labels != nullptr) {
        append_line(label_text(labels[i], names), {texts[i], lengths[i]}, made.lines);
      } else {
        made.texts.emplace_back(texts[i], lengths[i]);
      }
    }
    *data = new thresh_data{std::move(made)};
  });
}

int thresh_data_set_weights(thresh_data* data, const double* weights, std::uint64_t rows) {
  return guarded([&] {
    auto* const texts = std::get_if<Texts>(&data->content);
    if (texts == nullptr) {
      throw UsageError("only texts are given weights afterwards; other data come with theirs");
    }
    std::vector<double> copy(weights, weights + rows);
    check_weights(copy, texts->count);
    texts->weights = std::move(copy);
  });
}
