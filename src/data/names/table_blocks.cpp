#include "data/names/table_blocks.hpp"

#include "data/read/sources.hpp"
#include "data/table/table_reader.hpp"
#include "sparse/parallel.hpp"
#include "thresh/table.hpp"

namespace thresh {
namespace {

class TableBlocks : public NamedBlocks {
 public:
  TableBlocks(std::shared_ptr<const ArrowTable> table, const std::string& name,
              const ReadOptions& options)
      : table_(std::move(table)),
        name_(name),
        options_(options),
        reader_(name, options, options.vocabulary->reading, options.vocabulary->column_texts) {
    begin();
    if (!reader_.known()) survey();
  }

  std::function<NamedRows()> next() override {
    check_stop(options_.stop, name_);
    if (next_ + 1 >= table_->blocks().size()) return nullptr;
    const std::size_t block = next_++;
    if (options_.on_read) options_.on_read(bytes_of(block));
    return [this, block] { return parse(block); };
  }
  void describe(Vocabulary& vocabulary) const override {
    vocabulary.reading = reader_.reading();
    vocabulary.column_texts = reader_.column_texts();
    vocabulary.note = reader_.note();
    vocabulary.label_guessed = reader_.label_guessed();
  }

 private:
  void begin() {
    std::vector<std::string_view> names(table_->names().begin(), table_->names().end());
    if (names.empty()) throw Error(name_ + ": the table has no columns");
    if (names[0].starts_with("\xef\xbb\xbf")) names[0].remove_prefix(3);  // byte order mark
    reader_.begin(column_names(names, name_, ""), names[0].empty());
  }

  void survey() {
    const auto look = [&](std::size_t block) {
      check_stop(options_.stop, name_);
      auto facts = reader_.no_facts();
      ArrowTable::Cells cells(*table_, reader_.cells());
      for (std::uint64_t row = first(block); row < first(block + 1); ++row) {
        cells.move_to(row);
        reader_.look(cells, *facts);
      }
      return facts;
    };
    parallel_in_order(
        table_->blocks().size() - 1, look,
        [&](std::size_t, std::unique_ptr<TableFacts> facts) { reader_.take(*facts); });
    reader_.end_survey();
  }

  NamedRows parse(std::size_t block) const {
    NamedRows out;
    out.source_bytes = bytes_of(block);
    std::string scratch;
    ArrowTable::Cells cells(*table_, reader_.cells());
    for (std::uint64_t row = first(block); row < first(block + 1); ++row) {
      cells.move_to(row);
      out.add_row({name_, row + kFirstLine, row, options_.skip_bad_rows},
                  [&] { return reader_.add(cells, out, scratch); });
    }
    return out;
  }

  std::uint64_t first(std::size_t block) const { return table_->blocks()[block]; }
  // For progress: as if all cells were numbers.
  std::uint64_t bytes_of(std::size_t block) const {
    return (first(block + 1) - first(block)) * table_->names().size() * sizeof(double);
  }

  static constexpr std::uint64_t kFirstLine = 2;  // messages name the lines of the csv file

  std::shared_ptr<const ArrowTable> table_;
  std::string name_;
  ReadOptions options_;
  TableReader reader_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<NamedBlocks> table_blocks(std::shared_ptr<const ArrowTable> table,
                                          const std::string& name, const ReadOptions& options) {
  return std::make_unique<TableBlocks>(std::move(table), name, options);
}

std::shared_ptr<RowSource> table_rows(const MemoryTable& table, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features) {
  const ThreadLimit limit(options.threads);
  check_read_options(options, Format::csv);
  ReadOptions read = options;
  if (read.name.empty()) read.name = "table";
  if (!read.vocabulary) read.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
  auto blocks = table_blocks(table.cells, read.name, read);
  return named_rows(std::move(blocks), read.name, read, std::move(features));
}

}  // namespace thresh
