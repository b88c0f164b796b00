// Rows whose features have names, as parsers give them: before names become ids and labels numbers.
//
// Blocks are parsed side by side, each with its own table of names; then one thread goes through
// the tables in the order of the blocks, which is far less work than going through the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/read/cutter.hpp"
#include "data/read/name_table.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct NamedRows {
  NameTable names;                     // of features
  NameTable labels;                    // as written; "" where there is none
  std::vector<std::size_t> starts{0};  // as in RowBlock
  std::vector<std::uint32_t> places;   // in `names`, in the order of the row, maybe repeated
  std::vector<double> values;          // finite
  std::vector<std::uint32_t> label_places;
  std::vector<double> weights;  // empty: all one
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> lines;
  std::uint64_t source_bytes = 0;
  std::uint64_t bad_rows = 0;

  std::size_t rows() const { return label_places.size(); }
  void add(std::uint32_t place, double value) {
    places.push_back(place);
    values.push_back(value);
  }
  void set_weight(double weight);  // of the row that is being added; 1 unless it is set
};

// Where the record at p ends, and how many lines it has. The text ends in a line feed.
const char* find_record_end(const char* p, const char* text_end, LineRule rule,
                            std::uint64_t& lines);

class NamedParser {
 public:
  NamedParser(std::string file, const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}
  virtual ~NamedParser() = default;

  virtual LineRule line_rule() const = 0;
  // Shown the first block before any is parsed; takes off a header.
  virtual void begin(TextBlock&) {}
  // A JSON object: what a reader of other files must know, see Vocabulary::reading.
  virtual std::string reading() const { return "{}"; }
  // What the user should know about how the file is read; "" if nothing.
  virtual std::string note() const { return ""; }

  // Thread-safe. Throws Error("FILE:LINE: reason") at the first bad row, or counts it if asked to.
  NamedRows parse(const TextBlock& block) const;

 protected:
  // Adds the row's entries, and says what its label is. Throws BadRow.
  virtual std::string_view parse_row(const char* begin, const char* end, NamedRows& out,
                                     std::string& scratch) const = 0;

  const std::string& file() const { return file_; }
  const ReadOptions& options() const { return options_; }

 private:
  std::string file_;
  ReadOptions options_;
};

// The parser of a format; `reading` is what is known from a file read before, or "{}".
std::unique_ptr<NamedParser> make_vw_parser(const std::string& file, const ReadOptions& options);
std::unique_ptr<NamedParser> make_table_parser(const std::string& file, const ReadOptions& options,
                                               Format format, const std::string& reading);

}  // namespace thresh
