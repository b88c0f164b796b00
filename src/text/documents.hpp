// Labelled documents: lines of a file, or files of a folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/temp_file.hpp"

namespace thresh {

struct DocumentOptions {
  bool labels_optional = false;  // a line without a tab is all text, even if empty
  bool skip_bad = false;         // count lines without a label instead of refusing the file
  bool as_they_come = false;     // hand over the lines read so far before a wait for more
  bool again = false;            // there will be several passes, so a pipe's content is spooled
  const std::atomic<bool>* stop = nullptr;
};

struct Document {
  std::string_view label;
  std::string_view text;
  std::uint64_t row;   // number in the block, counted from 0, including bad rows
  std::uint64_t line;  // in the file, counted from 1; in a folder the number of the file
};

// Some consecutive documents. The views are valid as long as the block and its Documents.
struct DocumentBlock {
  std::vector<std::string> texts;
  std::vector<Document> documents;
  std::uint64_t rows = 0;   // bad ones included
  std::uint64_t bad = 0;    // left out
  std::uint64_t bytes = 0;  // of the source
};

// One pass over all documents. next() returns work that any thread can do: reading some files, or
// finding the documents in some lines. None at the end.
class DocumentStream {
 public:
  using Work = std::function<DocumentBlock()>;
  virtual ~DocumentStream() = default;
  virtual std::optional<Work> next() = 0;
  // Whether next() would have to wait for a pipe. False if that is not known.
  virtual bool would_wait() const { return false; }
};

class Documents {
 public:
  struct File {
    std::string path, label;
    FileStamp stamp;
  };

  // A path is a file of lines LABEL<TAB>TEXT, compressed or not, "-" for standard input, or a
  // folder. In a folder every file at any depth is a document, in the order of paths. Its label is
  // the name of the folder that contains it. Names that begin with a dot are skipped.
  Documents(const std::string& path, const DocumentOptions& options);

  // The stream must not outlive this. A pipe without `again` can be opened once.
  std::unique_ptr<DocumentStream> open() const;
  const std::string& name() const { return name_; }
  // The position of a document, for messages.
  std::string place_of(const Document& document) const;

 private:
  std::string path_, name_;
  DocumentOptions options_;
  bool is_folder_ = false;
  std::vector<File> files_;       // of a folder
  std::optional<TempFile> kept_;  // the content of a pipe
  FileStamp stamp_;               // of a regular file
};

}  // namespace thresh
