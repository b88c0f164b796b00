// Rows in: a row is a view, a block owns a few hundred of them, a source hands out blocks.
//
// A file, a pipe, a temporary cache and memory look the same from here, so whatever consumes rows
// works on all of them and gives the same result on all of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/text.hpp"

namespace thresh {

class CachedSource;  // rows packed in a cache file
class FeatureMap;    // file index <-> slot in the weight array
class Vocabulary;    // what words in the data mean: names of features and of classes

// How rows are written. Which one is never guessed from the content.
enum class Format { automatic, libsvm, vw, csv, tsv, text };
const char* name_of(Format format);
// The format of that name, automatic having none.
std::optional<Format> format_named(std::string_view name);
// What automatic means for a path: what a cache was made from; vw, csv or tsv by the end of its
// name, compressed or not; text for a folder; else libsvm.
Format format_of(const std::string& path, Format asked = Format::automatic);

// One example. Nothing is copied: the pointers reach into a RowBlock.
struct Row {
  const std::uint32_t* slots;  // ascending in the file's feature order, no duplicates
  const double* values;        // finite and non-zero
  std::size_t size;
  double label;      // as in the file, or -1/+1 once labels are mapped
  double weight;     // of the example; 1 unless weights were given
  std::uint64_t id;  // 0-based position among the file's rows
};

// Consecutive rows in compressed sparse row form.
struct RowBlock {
  std::vector<std::size_t> starts{0};  // row i is entries starts[i] .. starts[i+1]
  std::vector<std::uint32_t> slots;
  std::vector<double> values;
  std::vector<double> labels;
  std::vector<std::uint64_t> ids;
  std::vector<double> weights;       // of the examples; empty: all one
  std::vector<std::uint64_t> lines;  // where the rows stand in their file; empty if in none
  std::uint64_t slot_end = 0;        // one past the largest slot
  std::uint64_t dimension = 0;       // largest feature index, counted from 1
  std::uint64_t source_bytes = 0;    // how much text it came from, for progress
  std::uint64_t bad_rows = 0;        // rows left out, see ReadOptions::skip_bad_rows

  std::size_t rows() const { return labels.size(); }
  Row row(std::size_t i) const {
    return {slots.data() + starts[i],           values.data() + starts[i],
            starts[i + 1] - starts[i],          labels[i],
            weights.empty() ? 1.0 : weights[i], ids[i]};
  }
};
using BlockPtr = std::shared_ptr<const RowBlock>;

struct LabelCount {
  double label;
  std::uint64_t rows;
};

// What is known about all rows before the first one is used.
struct Survey {
  std::uint64_t rows = 0;
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dimension = 0;           // the largest feature index, counted from 1
  std::uint64_t bad_rows = 0;            // left out
  std::vector<LabelCount> labels;        // in order of first appearance, at most kMaxLabels
  bool more_labels = false;              // there were more than that: these are not classes
  bool weighted = false;                 // rows have weights of their own
  std::vector<std::string> label_names;  // the words that labels 0, 1, ... stand for; empty: labels
                                         // are the numbers that the data have

  static constexpr std::size_t kMaxLabels = 1024;
  void count_label(double label, std::uint64_t rows_with_it = 1);
  // Labels and dimension of the rows behind these.
  void merge_labels(const Survey& later);
};

// How a table, csv or tsv, is read. For a model's data all but the delimiter comes from the model.
struct TableOptions {
  std::string label;  // the column by name or number, counted from 1; "": one named label, class,
                      // target or y, else the last
  std::vector<std::string> categorical;  // columns whose numbers are only names
  bool header = true;                    // the first line names the columns
  char delimiter = 0;                    // 0: a comma, a tab for tsv
};

// What open_problem() divides each feature by: nothing; its largest magnitude, or the root of its
// mean square, over all rows of the training file. Automatic: nothing either, but solvers that want
// the features of a table on one scale bring them there, as `budget` does.
enum class FeatureScale { automatic, none, max, rms };
const char* name_of(FeatureScale scale);
std::optional<FeatureScale> scale_named(std::string_view name);

struct ReadOptions {
  Format format = Format::automatic;
  TableOptions table;
  unsigned hash_bits = 0;       // formats with names: features are 2^this hashes; 0: no hashing
  bool zero_based = false;      // feature indices start at 0 instead of 1
  bool allow_unsorted = false;  // sort a row's indices instead of refusing it
  bool skip_bad_rows = false;   // leave out and count bad rows instead of refusing the file
  bool normalize_l2 = false;    // scale every row to unit length
  FeatureScale scale = FeatureScale::automatic;  // after that; for open_problem() alone, since
                                                 // models are for features as they are
  std::uint64_t dim = 0;                         // refuse larger indices; 0: whatever the file has
  bool once = false;  // one pass in file order is enough: no survey, and no spooling of a pipe
  TextOptions text;   // how texts become rows, unless the vocabulary knows
  bool labels_optional = false;  // a row without a label is no bad row: it is to be predicted
  std::shared_ptr<Vocabulary> vocabulary;  // for formats with names: shared by files that go
                                           // together; null: a fresh one
  // A cache of the rows beside the data: neither read nor written, used if it is there and fits, or
  // made if it is not, for large files only or for all.
  enum class Cache { none, existing, large, always } cache = Cache::none;
  std::function<void(const std::string& line)> on_note;  // told what became of the cache
  const std::atomic<bool>* stop = nullptr;               // give up reading once this is true
  std::size_t threads = 0;  // that parse, at most, see ThreadLimit; 0: one for each core
  std::function<void(std::uint64_t bytes)> on_read;  // told of text as it is surveyed or streamed
};

// Blocks by number. block() may be called from several threads at once.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // Block k, or null past the end. A source without a survey must be read once, in order.
  virtual BlockPtr block(std::size_t k) = 0;
  // Null when the source is a pipe that is read only once.
  virtual const Survey* survey() const = 0;
  // The file, for messages.
  virtual std::string name() const = 0;

  // What some sources can do better than others. The defaults are right for any source.
  //
  // Takes the blocks in order, each as soon as it is there: for sources without a survey.
  virtual void for_each_block(const std::function<void(const BlockPtr&)>& take) {
    for (std::size_t k = 0; const BlockPtr next = block(k); ++k) take(next);
  }
  // The cache whose rows can be unpacked one by one at next to no cost, or null.
  virtual const CachedSource* packed_rows() const { return nullptr; }
  // Whether reading a block again costs next to nothing, so that it need not be held in memory.
  virtual bool rereads_fast() const { return packed_rows() != nullptr; }
};

// Opens rows, plain or compressed (gzip, zstd, xz, recognised by content), from a path or "-" for
// standard input; or a cache of rows (`thresh cache`). Features are numbered through `features`,
// which may be shared.
std::shared_ptr<RowSource> open_rows(const std::string& path, const ReadOptions& options,
                                     std::shared_ptr<FeatureMap> features);

// Whether `path` is a regular file whose content is not compressed: rows of libsvm text in it can
// be read again in any order, while others are copied first unless ReadOptions::once is set. False
// as well for a path that cannot be opened.
bool is_plain_file(const std::string& path);

// The same rows, of which up to `memory` bytes stay in memory once they have been read.
std::shared_ptr<RowSource> retained(std::shared_ptr<RowSource> rows, std::uint64_t memory);

// Some consecutive rows.
struct RowsRead {
  std::span<const Row> rows;
  std::uint64_t bytes = 0;     // of text behind them
  std::uint64_t bad_rows = 0;  // left out among them
};
// Every row once, in file order. Another thread reads ahead.
void visit_rows(const std::shared_ptr<RowSource>& rows,
                const std::function<void(const RowsRead&)>& visit);

// Rows that are in memory already, in CSR form, see memory_problem(). Functions that take them copy
// what they need.
struct MemoryRows {
  std::span<const std::size_t> starts;     // row i is entries starts[i] .. starts[i+1]; for n rows
                                           // there are n + 1, of which the first is 0
  std::span<const std::uint64_t> indices;  // of the features, ascending within a row, each once
  std::span<const double> values;          // finite, one for each index
  std::span<const double> labels;          // finite, one for each row
  std::span<const double> weights;         // how much each row counts compared with the others, at
                                           // least 0; empty: all the same
};

// A fresh numbering of features. `dim` is the largest index to come if that is known, else 0.
std::shared_ptr<FeatureMap> make_feature_map(std::uint64_t dim = 0);

// What words mean, as yet nothing: for files that go together. See ReadOptions::hash_bits.
std::shared_ptr<Vocabulary> make_vocabulary(unsigned hash_bits = 0);

}  // namespace thresh
