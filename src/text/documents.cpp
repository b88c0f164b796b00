#include "text/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "data/read/bytes.hpp"
#include "data/read/sources.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 18;  // text that one thread takes at a time
constexpr std::size_t kFilesAtOnce = 64;
constexpr std::size_t kMaxDocument = std::size_t{1} << 30;

bool is_blank_text(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Finds the documents in a piece of text that ends with a line feed.
DocumentBlock find_lines(std::string piece, std::uint64_t line, const std::string& name,
                         const DocumentOptions& options) {
  DocumentBlock block;
  std::string_view rest = block.texts.emplace_back(std::move(piece));
  block.bytes = rest.size();
  for (; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!options.labels_optional && is_blank_text(text)) continue;
    const std::uint64_t row = block.rows++;
    const std::size_t tab = text.find('\t');
    const bool labelled = tab != std::string_view::npos && tab > 0;
    if (labelled) {
      block.documents.push_back({text.substr(0, tab), text.substr(tab + 1), row, line});
    } else if (options.labels_optional) {
      block.documents.push_back({"", text, row, line});
    } else if (options.skip_bad) {
      ++block.bad;
    } else {
      throw Error(fmt::format("{}:{}: no label: a line of text is LABEL<TAB>TEXT", name, line));
    }
  }
  return block;
}

class LineStream final : public DocumentStream {
 public:
  LineStream(std::unique_ptr<ByteStream> bytes, std::string name, const DocumentOptions& options)
      : bytes_(std::move(bytes)), name_(std::move(name)), options_(options) {}

  std::optional<Work> next() override {
    check_stop(options_.stop, name_);
    std::string piece = whole_lines();
    if (piece.empty()) return std::nullopt;
    const std::uint64_t line = line_;
    line_ += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
    // A std::function must be copyable.
    return [piece = std::make_shared<std::string>(std::move(piece)), line, this] {
      return find_lines(std::move(*piece), line, name_, options_);
    };
  }

  bool would_wait() const override { return options_.as_they_come && bytes_->would_wait(); }

 private:
  // About kPiece bytes, or what there is, up to a line feed. The rest stays for the next call.
  std::string whole_lines() {
    std::string piece = std::move(rest_);
    rest_.clear();
    for (;;) {
      const std::size_t before = piece.size();
      piece.resize(before + kPiece);
      const std::size_t got = bytes_->read(piece.data() + before, kPiece);
      piece.resize(before + got);
      if (got == 0) break;
      const bool pauses = options_.as_they_come && bytes_->would_wait();
      if (piece.size() < kPiece && !pauses) continue;
      const void* last = memrchr(piece.data() + before, '\n', got);
      if (last != nullptr) {
        const auto end = static_cast<std::size_t>(static_cast<const char*>(last) - piece.data());
        rest_ = piece.substr(end + 1);
        piece.resize(end + 1);
        return piece;
      }
      if (piece.size() > kMaxDocument) {
        throw Error(fmt::format("{}:{}: a text is longer than 1 GB", name_, line_));
      }
    }
    if (!piece.empty() && piece.back() != '\n') piece += '\n';
    return piece;
  }

  std::unique_ptr<ByteStream> bytes_;
  std::string name_;
  DocumentOptions options_;
  std::string rest_;
  std::uint64_t line_ = 1;
};

std::string read_document(const std::string& path, const std::atomic<bool>* stop) {
  const std::unique_ptr<ByteStream> bytes = open_bytes(path, stop);
  std::string text;
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0; size += got) {
    if (size > kMaxDocument) throw Error(fmt::format("{}: a text is longer than 1 GB", path));
    text.resize(size + std::max(std::size_t{1} << 13, size));
    got = bytes->read(text.data() + size, text.size() - size);
  }
  text.resize(size);
  return text;
}

class FolderStream final : public DocumentStream {
 public:
  FolderStream(const std::vector<Documents::File>& files, std::string name,
               const DocumentOptions& options)
      : files_(files), name_(std::move(name)), options_(options) {}

  std::optional<Work> next() override {
    check_stop(options_.stop, name_);
    if (next_ == files_.size()) return std::nullopt;
    const std::size_t first = next_;
    next_ = std::min(first + kFilesAtOnce, files_.size());
    return [this, first, last = next_] { return read(first, last); };
  }

 private:
  DocumentBlock read(std::size_t first, std::size_t last) const {
    DocumentBlock block;
    block.rows = last - first;
    block.texts.reserve(block.rows);
    for (std::size_t i = first; i < last; ++i) {
      const std::string& text =
          block.texts.emplace_back(read_document(files_[i].path, options_.stop));
      if (stamp_of(files_[i].path) != files_[i].stamp) throw_changed(files_[i].path);
      block.documents.push_back({files_[i].label, text, i - first, i + 1});
      block.bytes += text.size();
    }
    return block;
  }

  const std::vector<Documents::File>& files_;
  std::string name_;
  DocumentOptions options_;
  std::size_t next_ = 0;
};

// Follows symbolic links. The system reports a cycle of them as an error.
std::vector<Documents::File> find_files(const std::string& folder) {
  std::vector<Documents::File> files;
  try {
    const fs::path top = fs::canonical(folder);
    fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink);
    for (; entry != fs::recursive_directory_iterator(); ++entry) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.')) {
        entry.disable_recursion_pending();
      } else if (!entry->is_directory()) {
        const bool at_top = entry.depth() == 0;
        const std::string path = entry->path().string();
        // Waiting for a pipe's writer would never end.
        if (entry->exists() && !entry->is_regular_file()) throw Error(path + ": not a file");
        files.push_back({path, (at_top ? top : entry->path().parent_path()).filename().string(),
                         stamp_of(path)});
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("{}: {}", error.path1().string(), error.code().message()));
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

TempFile keep_all(ByteStream& bytes) {
  TempFile file;
  std::vector<char> piece(kPiece);
  while (const std::size_t got = bytes.read(piece.data(), piece.size())) {
    file.append(piece.data(), got);
  }
  file.flush();
  return file;
}

class KeptStream final : public ByteStream {
 public:
  explicit KeptStream(const TempFile& file) : file_(file) {}
  std::size_t read(char* out, std::size_t n) override {
    const std::size_t got = std::min<std::uint64_t>(n, file_.size() - at_);
    file_.pread(out, got, at_);
    at_ += got;
    return got;
  }

 private:
  const TempFile& file_;
  std::uint64_t at_ = 0;
};

}  // namespace

Documents::Documents(const std::string& path, const DocumentOptions& options)
    : path_(path), name_(input_name(path)), options_(options) {
  std::error_code ignored;  // opening it reports what is wrong
  is_folder_ = path != "-" && fs::is_directory(path, ignored);
  if (is_folder_) {
    files_ = find_files(path);
    if (files_.empty()) throw Error(name_ + ": no files");
  } else if (options.again && (path == "-" || !fs::is_regular_file(path, ignored))) {
    kept_.emplace(keep_all(*open_bytes(path, options.stop)));
  } else if (path != "-" && fs::is_regular_file(path, ignored)) {
    stamp_ = stamp_of(path);
  }
}

std::unique_ptr<DocumentStream> Documents::open() const {
  if (is_folder_) return std::make_unique<FolderStream>(files_, name_, options_);
  // The second pass must see the texts of the first.
  if (stamp_ != FileStamp{} && stamp_of(path_) != stamp_) throw_changed(path_);
  auto bytes = kept_ ? std::make_unique<KeptStream>(*kept_) : open_bytes(path_, options_.stop);
  return std::make_unique<LineStream>(std::move(bytes), name_, options_);
}

std::string Documents::place_of(const Document& document) const {
  if (is_folder_) return files_[document.line - 1].path;
  return fmt::format("{}:{}", name_, document.line);
}

}  // namespace thresh
