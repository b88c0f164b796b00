// Tables by the Arrow C stream interface, written as csv: whatever reads files reads them, too, so
// a table in memory gives the same model as the file.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "capi/arrow_cells.hpp"
#include "capi/handles.hpp"
#include "thresh/error.hpp"

namespace thresh::capi {
namespace {

// Releases a structure of the interface, unless it was never filled in or handed on.
template <class T>
struct Released : T {
  Released() : T{} {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (this->release != nullptr) this->release(this);
  }
};

class Stream {
 public:
  explicit Stream(ArrowArrayStream& stream) : stream_(stream) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
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

class CsvWriter {
 public:
  explicit CsvWriter(TempFile& file) : file_(file) {}

  void cell(std::string_view text) {
    if (cells_++ > 0) record_ += ',';
    const bool quoted = text.find_first_of(",\"\n\r") != std::string_view::npos ||
                        (!text.empty() && (is_blank(text.front()) || is_blank(text.back())));
    if (!quoted) {
      record_ += text;
      return;
    }
    record_ += '"';
    for (const char c : text) record_.append(c == '"' ? 2 : 1, c);
    record_ += '"';
  }
  void end_record() {
    if (record_.empty()) record_ = "\"\"";  // a blank line would not count
    record_ += '\n';
    file_.append(record_.data(), record_.size());
    record_.clear();
    cells_ = 0;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  TempFile& file_;
  std::string record_;
  std::size_t cells_ = 0;
};

// What comes beside the table: labels and weights, in columns of their own.
struct Beside {
  std::uint64_t rows = 0;
  const double* labels = nullptr;
  const double* weights = nullptr;
  std::vector<std::string> label_names;
};

// A name that no column has.
std::string free_name(std::string name, const std::vector<std::string>& taken) {
  while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += '_';
  return name;
}

class TableWriter {
 public:
  TableWriter(const ArrowSchema& schema, Beside beside)
      : beside_(std::move(beside)), file_(std::make_shared<TempFile>()), csv_(*file_) {
    if (std::string_view(schema.format) != "+s")
      throw UsageError("the Arrow stream has no columns");
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& column = *schema.children[i];
      names.emplace_back(column.name != nullptr ? column.name : "");
      columns_.push_back(cell_writer(column, names.back()));
      if (column.dictionary != nullptr) table_.categories.push_back(names.back());
    }
    if (beside_.labels != nullptr) names.push_back(table_.label = free_name("label", names));
    if (beside_.weights != nullptr) names.push_back(table_.weight = free_name("weight", names));
    for (const std::string& name : names) csv_.cell(name);
    csv_.end_record();
  }

  void add(const ArrowArray& batch) {
    total_ += static_cast<std::uint64_t>(batch.length);
    for (std::int64_t row = batch.offset; row < batch.offset + batch.length; ++row, ++rows_) {
      if (told() && rows_ == beside_.rows) return;  // take() reports it
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        cell_.clear();
        columns_[i](*batch.children[i], row, cell_);
        csv_.cell(cell_);
      }
      if (beside_.labels != nullptr)
        csv_.cell(label_of(beside_.labels[rows_], beside_.label_names));
      if (beside_.weights != nullptr) csv_.cell(fmt::format("{}", beside_.weights[rows_]));
      csv_.end_record();
    }
  }

  Table take() {
    if (told() && total_ != beside_.rows) {
      throw UsageError(fmt::format("{} labels or weights for {} rows", beside_.rows, total_));
    }
    file_->flush();
    table_.file = file_;
    return std::move(table_);
  }

 private:
  bool told() const { return beside_.labels != nullptr || beside_.weights != nullptr; }

  Beside beside_;
  std::shared_ptr<TempFile> file_;
  CsvWriter csv_;
  Table table_;
  std::vector<WriteCell> columns_;
  std::string cell_;
  std::uint64_t rows_ = 0, total_ = 0;  // written, and in the stream
};

}  // namespace

std::string Table::path() const {
  return fmt::format("/proc/self/fd/{}", file->fd());
}

}  // namespace thresh::capi

using namespace thresh;
using namespace thresh::capi;

int thresh_data_from_arrow(ArrowArrayStream* stream, std::uint64_t rows, const double* labels,
                           const double* weights, const char* const* label_names,
                           std::uint64_t label_name_count, thresh_data** data) {
  return guarded([&] {
    Stream batches(*stream);
    Released<ArrowSchema> schema;
    batches.schema(schema);
    TableWriter table(schema, {rows, labels, weights, strings_of(label_names, label_name_count)});
    for (;;) {
      Released<ArrowArray> batch;
      if (!batches.next(batch)) break;
      table.add(batch);
    }
    *data = new thresh_data{table.take()};
  });
}
