// Parses tables in files. If a table has no survey, its first block decides what the columns are.

#include "data/table/table.hpp"

#include <fmt/format.h>

#include <optional>

#include "data/read/bad_row.hpp"
#include "data/table/cells.hpp"
#include "data/table/table_reader.hpp"
#include "sparse/per_thread.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// The cells of a record of a file.
class RecordCells final : public RowCells {
 public:
  RecordCells(const CellReader& reader, Cells& memory) : reader_(reader), cells_(memory) {}
  void cut(const char* begin, const char* end, char delimiter) {
    cells_.cut(begin, end, delimiter);
  }
  std::size_t size() const override { return cells_.size(); }
  std::string_view text(std::size_t i) override { return cells_[i]; }
  Cell cell(std::size_t i) override { return reader_.read(cells_[i]); }

 private:
  const CellReader& reader_;
  Cells& cells_;
};

class TableParser : public NamedParser {
 public:
  TableParser(const std::string& file, const ReadOptions& options, Format format,
              const Record& reading, const ColumnTexts& texts)
      : NamedParser(file, options),
        reader_(file, options, reading, texts),
        delimiter_(reader_.table().delimiter != 0 ? reader_.table().delimiter
                   : format == Format::tsv        ? '\t'
                                                  : ',') {}

  LineRule line_rule() const override {
    return {LineRule::Kind::quoted, delimiter_, reader_.table().header};
  }

  void begin(TextBlock& first) override {
    const bool surveyed = reader_.has_columns();
    if (surveyed) {
      take_header(first);
      return;
    }
    begin_survey(first);
    if (!reader_.has_columns() || reader_.known()) return;
    take(look(first));  // without a survey, the first block decides
    end_survey();
  }

  bool surveys() const override { return !reader_.known(); }

  void begin_survey(TextBlock& first) override {
    if (auto header = take_header(first)) {
      reader_.begin(std::move(header->names), header->unnamed_first);
    }
  }

  // Ignores bad records, because parsing reports them.
  std::unique_ptr<BlockFacts> look(const TextBlock& block) const override {
    auto facts = reader_.no_facts();
    if (!reader_.has_columns()) return facts;
    Cells memory;
    RecordCells cells(reader_.cells(), memory);
    std::string_view rest = block.text;
    std::string_view record;
    for (std::uint64_t line = 0; next_record(rest, line, record);) {
      try {
        cells.cut(record.data(), record.data() + record.size(), delimiter_);
      } catch (const BadRow&) {
        continue;
      }
      if (cells.size() == reader_.size()) reader_.look(cells, *facts);
    }
    return facts;
  }

  void take(std::unique_ptr<BlockFacts> facts) override {
    reader_.take(static_cast<const TableFacts&>(*facts));
  }
  void end_survey() override { reader_.end_survey(); }

  Record reading() const override { return reader_.reading(); }
  std::string note() const override { return reader_.note(); }
  ColumnTexts column_texts() const override { return reader_.column_texts(); }
  std::string label_guessed() const override { return reader_.label_guessed(); }

 protected:
  std::string_view parse_row(const char* begin, const char* end, NamedRows& out,
                             std::string& name) const override {
    static PerThread<Cells> reused;
    RecordCells cells(reader_.cells(), reused.here());
    cells.cut(begin, end, delimiter_);
    return reader_.add(cells, out, name);
  }

 private:
  struct Header {
    std::vector<std::string> names;
    bool unnamed_first;
  };

  // Finds the first record of `rest` that is not blank. Moves `rest` and `line` after it.
  bool next_record(std::string_view& rest, std::uint64_t& line, std::string_view& record) const {
    while (!rest.empty()) {
      std::uint64_t lines = 1;
      const char* const begin = rest.data();
      const char* const end = find_record_end(begin, begin + rest.size(), line_rule(), lines);
      const char* const trimmed = end > begin && end[-1] == '\r' ? end - 1 : end;
      record = {begin, static_cast<std::size_t>(trimmed - begin)};
      rest.remove_prefix(static_cast<std::size_t>(end + 1 - begin));
      line += lines;
      if (!is_blank(begin, trimmed, line_rule())) return true;
    }
    return false;
  }

  // Names the columns by the first line, and removes that if it is a header.
  std::optional<Header> take_header(TextBlock& first) const {
    if (first.text.starts_with("\xef\xbb\xbf")) first.text.remove_prefix(3);  // byte order mark
    if (first.text.starts_with("\xff\xfe") || first.text.starts_with("\xfe\xff")) {
      throw Error(file() + ": the file is UTF-16; iconv -f utf-16 -t utf-8 converts it");
    }
    std::string_view rest = first.text;
    std::string_view record;
    std::uint64_t line = first.first_line;
    if (!next_record(rest, line, record)) return std::nullopt;
    for (std::size_t at = record.find('\r'); at != std::string_view::npos;
         at = record.find('\r', at + 1)) {
      if (at + 1 < record.size() && record[at + 1] == '\n') continue;  // in quotes
      throw Error(file() + ":1: lines end with a carriage return alone; tr '\\r' '\\n' mends them");
    }
    Cells cells;
    try {
      cells.cut(record.data(), record.data() + record.size(), delimiter_);
    } catch (const BadRow& bad) {
      throw Error(fmt::format("{}:{}: {}", file(), first.first_line, bad.reason));
    }
    const bool header = reader_.table().header;
    if (header) {
      first.text = rest;
      first.first_line = line;
    }
    std::vector<std::string_view> names(cells.size());
    for (std::size_t i = 0; header && i < cells.size(); ++i) names[i] = cells[i];
    return Header{
        column_names(names, file() + ":1", " (if the first line holds data, use --no-header)"),
        header && cells[0].empty()};
  }

  TableReader reader_;
  char delimiter_;
};

}  // namespace

std::unique_ptr<NamedParser> make_table_parser(const std::string& file, const ReadOptions& options,
                                               Format format, const Record& reading,
                                               const ColumnTexts& texts) {
  return std::make_unique<TableParser>(file, options, format, reading, texts);
}

}  // namespace thresh
