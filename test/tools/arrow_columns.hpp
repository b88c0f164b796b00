// Columns in memory, exported by the Arrow C stream interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresh/thresh.h"

// A column as Arrow stores it, and as text.
struct StoredColumn {
  std::string name, format;
  std::vector<std::uint8_t> valid;  // bits
  std::vector<char> data;
  std::vector<std::int32_t> ends;  // of texts
  std::vector<std::string> cells;  // "" is missing
  std::vector<std::string> dictionary;
  std::string words;
  std::vector<std::int32_t> word_ends;

  template <class T>
  void add(T value, const std::string& text, bool missing = false) {
    const char* const bytes = reinterpret_cast<const char*>(&value);
    data.insert(data.end(), bytes, bytes + sizeof value);
    add_cell(missing ? "" : text, missing);
  }
  void add_text(const std::string& text, bool missing) {
    if (ends.empty()) ends.push_back(0);
    data.insert(data.end(), text.begin(), text.end());
    ends.push_back(static_cast<std::int32_t>(data.size()));
    add_cell(missing ? "" : text, missing);
  }
  void add_cell(const std::string& text, bool missing) {
    const std::size_t row = cells.size();
    if (row % 8 == 0) valid.push_back(0);
    if (!missing) valid[row / 8] = static_cast<std::uint8_t>(valid[row / 8] | 1 << row % 8);
    cells.push_back(text);
  }
};

using StoredColumns = std::vector<StoredColumn>;

// What an exported array owns. Each is a slice of the same columns.
struct ArrowSlice {
  std::vector<ArrowArray> children, words;
  std::vector<ArrowArray*> pointers;
  std::vector<std::vector<const void*>> buffers, word_buffers;
};

struct ExportedColumns {
  const StoredColumns* columns;
  std::vector<std::int64_t> cuts;  // of the batches
  std::size_t next = 0;
  int* alive;
};

inline void release_schema_of_columns(ArrowSchema* schema) {
  delete static_cast<std::vector<ArrowSchema>*>(schema->private_data);
  delete[] schema->children;
  schema->release = nullptr;
}

inline int export_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  const StoredColumns& columns = *static_cast<ExportedColumns*>(stream->private_data)->columns;
  auto* const all = new std::vector<ArrowSchema>(2 * columns.size());
  *out = {};
  out->format = "+s";
  out->n_children = static_cast<std::int64_t>(columns.size());
  out->children = new ArrowSchema*[columns.size()];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ArrowSchema& one = (*all)[2 * i];
    one.format = columns[i].format.c_str();
    one.name = columns[i].name.c_str();
    if (!columns[i].dictionary.empty()) {
      (*all)[2 * i + 1].format = "u";
      one.dictionary = &(*all)[2 * i + 1];
    }
    out->children[i] = &one;
  }
  out->private_data = all;
  out->release = release_schema_of_columns;
  return 0;
}

inline int export_batch(ArrowArrayStream* stream, ArrowArray* out) {
  ExportedColumns& exported = *static_cast<ExportedColumns*>(stream->private_data);
  *out = {};
  if (exported.next + 1 >= exported.cuts.size()) return 0;
  const std::int64_t begin = exported.cuts[exported.next], end = exported.cuts[exported.next + 1];
  ++exported.next;
  auto* const slice = new ArrowSlice;
  const std::size_t n = exported.columns->size();
  slice->children.resize(n), slice->words.resize(n), slice->pointers.resize(n);
  slice->buffers.resize(n), slice->word_buffers.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const StoredColumn& column = (*exported.columns)[i];
    ArrowArray& array = slice->children[i];
    slice->buffers[i] = {column.valid.data()};
    if (!column.ends.empty()) slice->buffers[i].push_back(column.ends.data());
    slice->buffers[i].push_back(column.data.data());
    array.length = end - begin;
    array.null_count = -1;
    array.offset = begin;
    array.buffers = slice->buffers[i].data();
    if (!column.dictionary.empty()) {
      slice->word_buffers[i] = {nullptr, column.word_ends.data(), column.words.data()};
      slice->words[i].length = static_cast<std::int64_t>(column.dictionary.size());
      slice->words[i].buffers = slice->word_buffers[i].data();
      array.dictionary = &slice->words[i];
    }
    slice->pointers[i] = &array;
  }
  out->length = end - begin;
  out->n_children = static_cast<std::int64_t>(n);
  out->children = slice->pointers.data();
  out->private_data = slice;
  ++*exported.alive;
  static int* alive;
  alive = exported.alive;
  out->release = [](ArrowArray* array) {
    delete static_cast<ArrowSlice*>(array->private_data);
    array->release = nullptr;
    --*alive;
  };
  return 0;
}

inline ArrowArrayStream stream_of(ExportedColumns& exported) {
  ArrowArrayStream stream = {};
  stream.get_schema = export_schema;
  stream.get_next = export_batch;
  stream.get_last_error = [](ArrowArrayStream*) { return "broken"; };
  stream.release = [](ArrowArrayStream* released) { released->release = nullptr; };
  stream.private_data = &exported;
  return stream;
}
