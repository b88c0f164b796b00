// Rows with named features, as parsed: before names become ids and labels become numbers.
//
// Blocks are parsed in parallel, each with its own table of names. Then one thread processes the
// tables in the order of the blocks, which is far less work than processing the rows.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/read/bad_row.hpp"
#include "data/read/cutter.hpp"
#include "data/read/name_table.hpp"
#include "thresh/error.hpp"
#include "thresh/record.hpp"
#include "thresh/rows.hpp"

namespace thresh {

struct NamedRows {
  NameTable names;                     // of features
  NameTable labels;                    // as written; "" if there is none
  std::vector<std::size_t> starts{0};  // as in RowBlock
  std::vector<std::uint32_t> places;   // in `names`, in the order of the row, may repeat
  std::vector<double> values;          // finite
  std::vector<std::uint32_t> label_places;
  std::vector<double> weights;  // empty: all one
  std::vector<std::uint64_t> ids;
  std::vector<std::uint64_t> lines;
  NameTable groups;                         // see RowKeys
  std::vector<std::uint32_t> group_places;  // empty: none
  std::vector<double> times;                // the same
  std::vector<std::string> row_names;       // see TableOptions::id; empty: none
  std::uint64_t source_bytes = 0;
  std::uint64_t bad_rows = 0;

  std::size_t rows() const { return label_places.size(); }
  void add(std::uint32_t place, double value) {
    places.push_back(place);
    values.push_back(value);
  }
  void set_weight(double weight);  // of the row being added; 1 by default

  // Where a row comes from, and whether it is skipped if it is bad.
  struct From {
    const std::string& file;
    std::uint64_t line, id;
    bool skip_bad;
  };
  // Adds the row whose entries parse() adds, and whose label it returns. If that throws BadRow,
  // throws Error("FILE:LINE: reason"), or counts the row.
  template <class Parse>
  void add_row(const From& from, const Parse& parse) {
    try {
      end_row(parse(), from.id, from.line);
    } catch (const BadRow& bad) {
      if (!from.skip_bad) {
        throw Error(fmt::format("{}:{}: {}", from.file, from.line, bad.reason));
      }
      drop_row();
      ++bad_rows;
    }
  }

 private:
  void end_row(std::string_view label, std::uint64_t id, std::uint64_t line);
  void drop_row();  // removes what a bad one has added
};

// Finds the end of the record at p, and counts its lines. The text ends in a line feed.
const char* find_record_end(const char* p, const char* text_end, LineRule rule,
                            std::uint64_t& lines);

// What the rows of a block tell about the whole table.
struct BlockFacts {
  virtual ~BlockFacts() = default;
};

class NamedParser {
 public:
  NamedParser(std::string file, const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}
  virtual ~NamedParser() = default;

  virtual LineRule line_rule() const = 0;
  // Gets the first block before any is parsed. Removes a header.
  virtual void begin(TextBlock&) {}

  // A parser that must see all rows before it parses any gets them in this order: begin_survey()
  // with the first block, whose header it removes; look() at each block, on any thread; take() the
  // results in the order of the blocks; end_survey(). Without a survey, begin() makes do with the
  // first block.
  virtual bool surveys() const { return false; }
  virtual void begin_survey(TextBlock&) {}
  virtual std::unique_ptr<BlockFacts> look(const TextBlock&) const { return nullptr; }
  virtual void take(std::unique_ptr<BlockFacts>) {}
  virtual void end_survey() {}

  // Facts needed to read related files, see Vocabulary::reading.
  virtual Record reading() const { return {}; }
  // A note to the user about how the file is read; "" if there is none.
  virtual std::string note() const { return ""; }
  // The column of the label, if it is only the last one; otherwise "".
  virtual std::string label_guessed() const { return ""; }
  // How text columns become features.
  virtual ColumnTexts column_texts() const { return {}; }

  // Thread-safe. Throws Error("FILE:LINE: reason") at the first bad row, or counts it if asked to.
  NamedRows parse(const TextBlock& block) const;

 protected:
  // Adds the row's entries and returns its label. Throws BadRow.
  virtual std::string_view parse_row(const char* begin, const char* end, NamedRows& out,
                                     std::string& scratch) const = 0;

  const std::string& file() const { return file_; }
  const ReadOptions& options() const { return options_; }

 private:
  std::string file_;
  ReadOptions options_;
};

// For tables see data/table/table.hpp.
std::unique_ptr<NamedParser> make_vw_parser(const std::string& file, const ReadOptions& options);

}  // namespace thresh
