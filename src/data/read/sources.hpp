// The row sources behind open_rows() and memory_rows(), and one that holds blocks in memory.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/read/cutter.hpp"
#include "data/read/libsvm.hpp"
#include "data/read/line_scan.hpp"
#include "files/fd.hpp"
#include "files/temp_file.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// A plain text file. A scan for line ends surveys it once. After that, blocks are read in any order
// and parsed every time. Nothing is copied to disk.
class TextSource : public RowSource {
 public:
  TextSource(const std::string& path, const ReadOptions& options,
             std::shared_ptr<FeatureMap> features);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return path_; }

 private:
  struct Span {  // position of a block in the file
    std::uint64_t offset, bytes, first_line, first_row, entries;
    std::uint64_t lines_hash;  // as scanned
  };
  struct Cut {  // the block being scanned
    Span next{0, 0, 1, 0, 0, 0};
    BlockRule rule;
    std::uint64_t lines = 0;
    bool bad_label = false;
  };
  void scan(const ReadOptions& options, std::uint64_t file_bytes);
  void add_lines(const ScannedStretch& stretch, Cut& cut, bool allow_bad_labels);
  void close_block(Cut& cut, bool allow_bad_labels);
  void check_unchanged(std::size_t k, std::string_view text);

  std::string path_;
  Fd fd_;
  LibsvmParser parser_;
  std::vector<Span> spans_;
  std::vector<std::atomic<std::uint64_t>> hashes_;  // of the blocks read so far; 0: not yet
  Survey survey_;
};

// A pipe or a compressed file, read once from start to end.
class StreamSource : public RowSource {
 public:
  StreamSource(const std::string& path, const ReadOptions& options,
               std::shared_ptr<FeatureMap> features);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return name_; }
  void for_each_block(const std::function<void(const BlockPtr&)>& take) override;  // on all cores

 private:
  struct Text {
    TextBlock block;
    std::vector<char> memory;  // holds the text
  };
  // A block in two steps: cut() gives its text, one call at a time. parse() gives its rows, in any
  // order and on any thread.
  std::optional<Text> cut();
  BlockPtr parse(Text text);

  std::string name_;
  BlockCutter cutter_;
  LibsvmParser parser_;
  ReadOptions options_;
  std::mutex mutex_;
  std::vector<std::vector<char>> free_;  // memory for reuse
};

// How many bytes a block takes in memory.
std::uint64_t memory_of(const RowBlock& block);

// The mean weight of the rows with a weight above zero. Weights are relative to it.
struct MeanWeight {
  double sum = 0;  // of all rows
  std::uint64_t counting_rows = 0;
  bool weighted = false;  // rows have weights of their own

  void add(const RowBlock& block);
  double mean() const { return counting_rows == 0 ? 1 : sum / static_cast<double>(counting_rows); }
};

// The error of a temporary file that does not hold what was written to it.
[[noreturn]] void throw_damaged_spool(const std::string& name);

// A stream's blocks, parsed once and spooled to a temporary file that vanishes with the process.
class SpooledSource : public RowSource {
 public:
  explicit SpooledSource(RowSource& stream);
  BlockPtr block(std::size_t k) override { return read(k); }
  // The same, but modifiable.
  std::shared_ptr<RowBlock> read(std::size_t k) const;
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return name_; }
  double mean_weight() const { return weights_.mean(); }
  // Sets the words for labels 0, 1, ..., see Survey.
  void name_labels(std::vector<std::string> names) { survey_.label_names = std::move(names); }

 private:
  struct Head {  // stored before the arrays of a block
    std::uint64_t rows, entries, slot_end, dimension, source_bytes, bad_rows, weights;
  };
  void append(const RowBlock& block);

  std::string name_;
  TempFile file_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> hashes_;  // of the blocks
  Survey survey_;
  MeanWeight weights_;
};

// Holds the blocks of another source until they fill `limit` bytes; later ones are read again.
class RetainingSource : public RowSource {
 public:
  RetainingSource(std::shared_ptr<RowSource> inner, std::uint64_t limit);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return inner_->survey(); }
  std::string name() const override { return inner_->name(); }
  bool rereads_fast() const override { return true; }

 private:
  std::shared_ptr<RowSource> inner_;
  std::uint64_t room_;
  std::mutex mutex_;
  std::vector<BlockPtr> kept_;
};

// The rows of a source for several passes. Blocks are held in memory, up to `limit` bytes, unless
// there is no second pass or it costs almost nothing. The latter is true for a cache: unpacking is
// faster than reading unpacked rows, which are three times as long.
std::shared_ptr<RowSource> held_in_memory(std::shared_ptr<RowSource> source, std::uint64_t limit);

// Adds a parsed block to a survey.
void count_block(const RowBlock& block, Survey& survey);

// Throws UsageError for options that do not apply to this format.
void check_read_options(const ReadOptions& options, Format format);

// The name of an input in messages.
inline std::string input_name(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

}  // namespace thresh
