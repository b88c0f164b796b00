// Reading rows. A RowSource supplies blocks. A RowBlock owns up to 1,024 rows. A Row is a view.
//
// Files, pipes, caches and memory have the same interface. Code that uses it works with all of them
// and gives the same results.
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

class Checkpoint;
struct LearnerState;
class CachedSource;  // rows packed in a cache file
struct RowKeys;      // groups or times of rows
class FeatureMap;    // file index <-> slot in the weight array
class Vocabulary;    // names of features and classes <-> numbers

// The format of a data file. It is never guessed from the content.
enum class Format { automatic, libsvm, vw, csv, tsv, text };
const char* name_of(Format format);
// The format with this name; `automatic` has no name.
std::optional<Format> format_named(std::string_view name);
// Resolves Format::automatic for a path: for a cache the format of its data; vw, csv or tsv by the
// file extension, compressed or not; text for a folder; otherwise libsvm.
Format format_of(const std::string& path, Format asked = Format::automatic);

// One row. The pointers point into a RowBlock.
struct Row {
  const std::uint32_t* slots;  // ascending in the file's feature order, no duplicates
  const double* values;        // finite and non-zero
  std::size_t size;
  double label;      // as in the file, or -1/+1 once labels are mapped
  double weight;     // 1 unless weights were given
  std::uint64_t id;  // 0-based position among the file's rows
};

// Consecutive rows in compressed sparse row form.
struct RowBlock {
  std::vector<std::size_t> starts{0};  // row i is entries starts[i] .. starts[i+1] - 1
  std::vector<std::uint32_t> slots;
  std::vector<double> values;
  // Entries in arrays that live as long as the source; then slots and values are empty.
  const std::uint32_t* lent_slots = nullptr;
  const double* lent_values = nullptr;
  std::vector<double> labels;
  std::vector<std::uint64_t> ids;
  std::vector<double> weights;       // of the rows; empty: all 1
  std::vector<std::uint64_t> lines;  // line numbers in the file; empty if there is no file
  std::vector<std::string> names;    // of the rows, see TableOptions::id; empty: none
  std::uint64_t slot_end = 0;        // one past the largest slot
  std::uint64_t dimension = 0;       // largest feature index, counted from 1
  std::uint64_t source_bytes = 0;    // length of the text it was parsed from, for progress
  std::uint64_t bad_rows = 0;        // skipped rows, see ReadOptions::skip_bad_rows

  std::size_t rows() const { return labels.size(); }
  std::span<const std::uint32_t> all_slots() const {
    if (lent_slots != nullptr) return {lent_slots, starts.back()};
    return slots;
  }
  std::span<const double> all_values() const {
    if (lent_values != nullptr) return {lent_values, starts.back()};
    return values;
  }
  Row row(std::size_t i) const {
    return {all_slots().data() + starts[i],     all_values().data() + starts[i],
            starts[i + 1] - starts[i],          labels[i],
            weights.empty() ? 1.0 : weights[i], ids[i]};
  }
};
using BlockPtr = std::shared_ptr<const RowBlock>;

struct LabelCount {
  double label;
  std::uint64_t rows;
};

// Facts about all rows, collected by a scan before training.
struct Survey {
  std::uint64_t rows = 0;
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dimension = 0;           // the largest feature index, counted from 1
  std::uint64_t bad_rows = 0;            // skipped
  std::vector<LabelCount> labels;        // in order of first appearance, at most kMaxLabels
  bool more_labels = false;              // more than kMaxLabels: the labels are not classes
  bool weighted = false;                 // the data contain row weights
  std::vector<std::string> label_names;  // words for labels 0, 1, ...; empty: labels are numbers

  static constexpr std::size_t kMaxLabels = 1024;
  void count_label(double label, std::uint64_t rows_with_it = 1);
  // Adds labels and dimension of the rows that follow these.
  void merge_labels(const Survey& later);
};

// How to read a table (csv or tsv). To predict, all but the delimiter and `id` come from the model.
// Columns are given by name or 1-based number.
struct TableOptions {
  // What stands for a missing cell of a column of numbers. mean: the trimmed mean of the column in
  // the training data, and a feature that says so if cells are missing often. zero: nothing.
  // refuse: the row is bad.
  enum class Missing { mean, zero, refuse };

  std::string label;  // the label column, by name or 1-based number; "": the one named label,
                      // class, target or y, otherwise the last
  std::vector<std::string> categorical;  // columns whose numbers are categories
  std::vector<std::string> numeric;      // columns of numbers, even if they look like ids
  std::vector<std::string> ignore;       // columns that are not used
  std::vector<std::string> dates;        // columns of dates: year, month, weekday and age
  std::vector<std::string> texts;        // columns of text: terms, see ReadOptions::text
  std::string id;                        // column that names the rows, for predictions
  std::string weight;                    // column with the weights of the rows
  std::string group;                     // rows with the same cell here are held out together
  std::string time;                      // column of dates or numbers: the latest are held out
  Missing missing = Missing::mean;
  std::vector<std::string> na;  // words for a missing cell; empty: the usual ones
  // The columns that a model uses. Others need not exist, and these count as missing if they do
  // not. None: all columns must exist.
  std::optional<std::vector<std::string>> needed;
  bool header = true;  // the first line names the columns
  char delimiter = 0;  // 0: a comma, a tab for tsv
};

// What open_problem() divides each feature by. none: nothing. max: its largest magnitude, rms: its
// root mean square, standard: its standard deviation, all over all rows of the training file; with
// standard, features of most rows are also centred, if there is an intercept. automatic: nothing,
// but solvers that need table features on one scale, such as `budget`, scale them.
enum class FeatureScale { automatic, none, max, rms, standard };
const char* name_of(FeatureScale scale);
std::optional<FeatureScale> scale_named(std::string_view name);

struct ReadOptions {
  Format format = Format::automatic;
  std::string name;  // what messages call a file of a format with names; empty: its path
  TableOptions table;
  unsigned hash_bits = 0;       // formats with names: features are 2^this hashes; 0: no hashing
  bool zero_based = false;      // feature indices start at 0 instead of 1
  bool allow_unsorted = false;  // sort the indices of a row instead of rejecting it
  bool skip_bad_rows = false;   // skip and count bad rows instead of rejecting the file
  bool normalize_l2 = false;    // scale every row to unit length
  FeatureScale scale = FeatureScale::automatic;  // applied after normalize_l2; only open_problem()
                                                 // uses it, because models take unscaled features
  std::uint64_t dim = 0;                         // reject larger indices; 0: no limit
  // Products of two features, as additional features: "A:B", "A:*", "*:*". A is a column, a VW
  // namespace or a feature; of libsvm text a number. Only open_problem() makes them, because models
  // make their own.
  std::vector<std::string> interactions;
  bool once = false;  // one pass in file order is enough: no survey, and no spooling of a pipe
  TextOptions text;   // how texts become rows, and text columns features, unless `vocabulary`
                      // already determines it
  // Accept rows without a label, to predict them. With `once`, rows from a pipe are handed over
  // before a wait for more of them, and the tags of VW rows are their names.
  bool labels_optional = false;
  std::shared_ptr<Vocabulary> vocabulary;  // for formats with names: shared by files of the same
                                           // problem; null: a new one
  // A cache file of the rows, next to the data. none: do not use it. existing: use it if it is
  // valid. large, always: also create it, for large files or for all.
  enum class Cache { none, existing, large, always } cache = Cache::none;
  std::function<void(const std::string& line)> on_note;  // receives messages about the cache
  const std::atomic<bool>* stop = nullptr;               // reading is aborted once this is true
  Checkpoint* checkpoint = nullptr;  // of the runs on these rows; only open_problem() uses it
  const LearnerState* from_state = nullptr;  // of the learner that goes on with these rows, which
                                             // are read as before; only open_problem() uses it
  std::size_t threads = 0;  // maximum for parsing, see ThreadLimit; 0: one per core
  std::function<void(std::uint64_t bytes)> on_read;  // receives the bytes just surveyed or streamed
};

// Supplies blocks of rows by number. block() may be called from several threads at once.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // Block k, or null past the end. A source without a survey must be read once, in order.
  virtual BlockPtr block(std::size_t k) = 0;
  // Null for a pipe opened with ReadOptions::once.
  virtual const Survey* survey() const = 0;
  // The file, for messages.
  virtual std::string name() const = 0;

  // Optional optimisations. The defaults are correct for any source.
  //
  // Passes on the blocks in order, each as soon as it is available: for sources without a survey.
  virtual void for_each_block(const std::function<void(const BlockPtr&)>& take) {
    for (std::size_t k = 0; const BlockPtr next = block(k); ++k) take(next);
  }
  // The cache that can unpack single rows at almost no cost, or null.
  virtual const CachedSource* packed_rows() const { return nullptr; }
  // Whether reading a block again costs almost nothing, so that memory need not hold it.
  virtual bool rereads_fast() const { return packed_rows() != nullptr; }
};

// Opens a data file, plain or compressed (gzip, zstd, xz, recognised by content), a cache written
// by `thresh cache`, or standard input ("-"). `features` assigns slots to features; sources may
// share it.
std::shared_ptr<RowSource> open_rows(const std::string& path, const ReadOptions& options,
                                     std::shared_ptr<FeatureMap> features);

// Whether `path` is an uncompressed regular file; false if it cannot be opened. libsvm rows in such
// a file can be read repeatedly in any order. Other input is copied first, unless ReadOptions::once
// is set.
bool is_plain_file(const std::string& path);

// The same rows, of which up to `memory` bytes stay in memory after the first read.
std::shared_ptr<RowSource> retained(std::shared_ptr<RowSource> rows, std::uint64_t memory);

// Some consecutive rows.
struct RowsRead {
  std::span<const Row> rows;
  std::uint64_t bytes = 0;         // length of their text
  std::vector<std::string> names;  // of the rows, see TableOptions::id; empty: none
  std::uint64_t bad_rows = 0;      // skipped among them
};
// Visits every row once, in file order. Another thread reads ahead.
void visit_rows(const std::shared_ptr<RowSource>& rows,
                const std::function<void(const RowsRead&)>& visit);

// Rows in memory in compressed sparse row form, see memory_problem(). Functions that take them copy
// what they need.
struct MemoryRows {
  std::span<const std::size_t> starts;     // row i is entries starts[i] .. starts[i+1] - 1; n + 1
                                           // numbers for n rows, the first is 0
  std::span<const std::uint64_t> indices;  // of the features, ascending within a row, each once
  std::span<const double> values;          // finite, one for each index
  std::span<const double> labels;          // finite, one for each row
  std::span<const double> weights;         // relative row weights, at least 0; empty: all equal
};

// A new map from feature indices to slots. `dim` is the largest index, or 0 if unknown.
std::shared_ptr<FeatureMap> make_feature_map(std::uint64_t dim = 0);

// An empty vocabulary, to share between files of one problem. See ReadOptions::hash_bits.
std::shared_ptr<Vocabulary> make_vocabulary(unsigned hash_bits = 0);

}  // namespace thresh
