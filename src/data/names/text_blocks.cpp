#include "data/names/text_blocks.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "data/read/number.hpp"
#include "data/read/same_bytes.hpp"
#include "data/table/table.hpp"
#include "files/temp_file.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

std::unique_ptr<NamedParser> make_parser(const std::string& name, Format format,
                                         const ReadOptions& options) {
  if (format == Format::vw) return make_vw_parser(name, options);
  return make_table_parser(name, options, format, options.vocabulary->reading,
                           options.vocabulary->column_texts);
}

// The bytes of a temporary file.
class TempBytes : public ByteStream {
 public:
  explicit TempBytes(std::shared_ptr<const TempFile> file) : file_(std::move(file)) {}
  std::size_t read(char* out, std::size_t n) override {
    n = static_cast<std::size_t>(std::min<std::uint64_t>(n, file_->size() - at_));
    if (n > 0) file_->pread(out, n, at_);
    at_ += n;
    return n;
  }

 private:
  std::shared_ptr<const TempFile> file_;
  std::uint64_t at_ = 0;
};

std::shared_ptr<const TempFile> copied(ByteStream& bytes) {
  auto file = std::make_shared<TempFile>();
  std::vector<char> chunk(std::size_t{1} << 16);
  while (const std::size_t got = bytes.read(chunk.data(), chunk.size())) {
    file->append(chunk.data(), got);
  }
  file->flush();
  return file;
}

bool is_regular(const std::string& path) {
  std::error_code ignored;  // opening reports what is wrong
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

// Some lines, copied.
struct Lines {
  std::string text;
  TextBlock block;  // views the text

  explicit Lines(const TextBlock& from = {}) : block(from) {
    text.reserve(from.text.size() + kTextPadding);
    text = from.text;
    text.append(kTextPadding, '\n');
    block.text = {text.data(), from.text.size()};
  }
};

class TextBlocks : public NamedBlocks {
 public:
  TextBlocks(const std::string& path, const std::string& name, Format format,
             const ReadOptions& options)
      : name_(name),
        options_(options),
        parser_(make_parser(name, format, options)),
        cutter_(surveyed(path), name, parser_->line_rule(), pace_of(options)) {}

  std::function<NamedRows()> next() override {
    check_stop(options_.stop, name_);
    TextBlock block;
    if (!cutter_.next(block)) return nullptr;
    if (options_.on_read) options_.on_read(block.text.size());
    const auto lines = std::make_shared<Lines>(block);
    if (!begun_) parser_->begin(lines->block);
    begun_ = true;
    return [this, lines] { return parser_->parse(lines->block); };
  }
  bool waits() const override { return true; }
  void describe(Vocabulary& vocabulary) const override {
    vocabulary.reading = parser_->reading();
    vocabulary.column_texts = parser_->column_texts();
    vocabulary.note = parser_->note();
    vocabulary.label_guessed = parser_->label_guessed();
  }

 private:
  std::unique_ptr<ByteStream> surveyed(const std::string& path);

  std::string name_;
  ReadOptions options_;
  std::unique_ptr<NamedParser> parser_;
  BlockCutter cutter_;
  bool begun_ = false;
};

// Opens the bytes, after the parser has seen all rows if it wants to. A pipe is copied for that.
std::unique_ptr<ByteStream> TextBlocks::surveyed(const std::string& path) {
  std::unique_ptr<ByteStream> bytes = open_bytes(path, options_.stop);
  if (!parser_->surveys()) return bytes;
  std::shared_ptr<const TempFile> copy;
  if (!is_regular(path)) {
    copy = copied(*bytes);
    bytes = std::make_unique<TempBytes>(copy);
  }
  const auto seen = std::make_shared<BytesSeen>();
  BlockCutter cutter(noted_bytes(std::move(bytes), seen), name_, parser_->line_rule());
  bool first = true;
  const auto next = [&]() -> std::optional<std::unique_ptr<Lines>> {
    check_stop(options_.stop, name_);
    TextBlock block;
    if (!cutter.next(block)) return std::nullopt;
    if (options_.on_read) options_.on_read(0);  // parsing counts the bytes
    auto text = std::make_unique<Lines>(block);
    if (first) parser_->begin_survey(text->block);
    first = false;
    return text;
  };
  parallel_stream(
      cores(), next, [&](std::unique_ptr<Lines> text) { return parser_->look(text->block); },
      [&](std::size_t, std::unique_ptr<BlockFacts> facts) { parser_->take(std::move(facts)); });
  parser_->end_survey();
  if (copy) return std::make_unique<TempBytes>(copy);
  return same_bytes(open_bytes(path, options_.stop), *seen, name_);
}

}  // namespace

std::unique_ptr<NamedBlocks> text_blocks(const std::string& path, const std::string& name,
                                         Format format, const ReadOptions& options) {
  return std::make_unique<TextBlocks>(path, name, format, options);
}

}  // namespace thresh
