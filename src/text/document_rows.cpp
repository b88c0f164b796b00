#include "text/document_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "data/read/cutter.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

class DocumentRows : public RowSource {
 public:
  DocumentRows(std::shared_ptr<const Documents> documents,
               std::shared_ptr<const TextVectorizer> vectorizer,
               std::function<double(std::string_view label)> label_of, const ReadOptions& options,
               std::shared_ptr<FeatureMap> features)
      : documents_(std::move(documents)),
        vectorizer_(std::move(vectorizer)),
        label_of_(std::move(label_of)),
        options_(options),
        features_(std::move(features)),
        stream_(documents_->open()),
        open_(new_block()) {}

  BlockPtr block(std::size_t) override {
    while (ready_.empty() && !ended_) read_more();
    if (ready_.empty()) return nullptr;
    BlockPtr block = std::move(ready_.front());
    ready_.pop_front();
    return block;
  }
  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return documents_->name(); }

 private:
  // Some documents and their entries.
  struct Piece {
    DocumentBlock block;
    std::vector<std::size_t> starts{0};  // of each document's entries
    std::vector<TextVectorizer::Entry> entries;
  };

  std::shared_ptr<RowBlock> new_block() const {
    auto block = std::make_shared<RowBlock>();
    block->dimension = vectorizer_->dimension();
    return block;
  }

  // Reads a few pieces at once, on all cores.
  void read_more() {
    std::vector<DocumentStream::Work> works;
    const auto enough = [&] {
      return works.size() == 4 * cores() || (!works.empty() && stream_->would_wait());
    };
    while (!ended_ && !enough()) {
      auto work = stream_->next();
      ended_ = !work;
      if (work) works.push_back(std::move(*work));
    }
    parallel_in_order(
        works.size(), [&](std::size_t i) { return weigh(works[i]); },
        [&](std::size_t, const Piece& piece) { append(piece); });
    const bool complete = ended_ || pace_of(options_) == Pace::as_they_come;
    if (complete && (rule_.rows > 0 || open_->bad_rows > 0)) close_block();
  }

  Piece weigh(const DocumentStream::Work& work) const {
    Piece piece;
    piece.block = work();
    TextVectorizer::Scratch scratch;
    std::vector<TextVectorizer::Entry> row;
    for (const Document& document : piece.block.documents) {
      vectorizer_->weigh(document.text, scratch, row);
      piece.entries.insert(piece.entries.end(), row.begin(), row.end());
      piece.starts.push_back(piece.entries.size());
    }
    return piece;
  }

  void append(const Piece& piece) {
    open_->source_bytes += piece.block.bytes;
    open_->bad_rows += piece.block.bad;
    for (std::size_t i = 0; i < piece.block.documents.size(); ++i) {
      const Document& document = piece.block.documents[i];
      try {
        append_row(piece, i, label_of_(document.label));
      } catch (const Error& error) {
        if (!options_.skip_bad_rows) {
          throw Error(fmt::format("{}: {}", documents_->place_of(document), error.what()));
        }
        ++open_->bad_rows;
      }
    }
    rows_ += piece.block.rows;
    if (options_.on_read) options_.on_read(piece.block.bytes);
  }

  void append_row(const Piece& piece, std::size_t i, double label) {
    RowBlock& block = *open_;
    for (std::size_t e = piece.starts[i]; e < piece.starts[i + 1]; ++e) {
      const auto& [feature, value] = piece.entries[e];
      const std::uint32_t slot = features_->slot(feature);
      if (slot == FeatureMap::kUnknown) continue;
      block.slots.push_back(slot);
      block.values.push_back(value);
      block.slot_end = std::max(block.slot_end, std::uint64_t{slot} + 1);
    }
    block.starts.push_back(block.slots.size());
    block.labels.push_back(label);
    block.ids.push_back(rows_ + piece.block.documents[i].row);
    block.lines.push_back(piece.block.documents[i].line);
    rule_.add(0, piece.starts[i + 1] - piece.starts[i], true);
    if (rule_.full()) close_block();
  }

  void close_block() {
    ready_.push_back(std::move(open_));
    open_ = new_block();
    rule_ = {};
  }

  std::shared_ptr<const Documents> documents_;
  std::shared_ptr<const TextVectorizer> vectorizer_;
  std::function<double(std::string_view label)> label_of_;
  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<DocumentStream> stream_;
  bool ended_ = false;
  std::uint64_t rows_ = 0;          // so far, bad ones included
  std::shared_ptr<RowBlock> open_;  // the block that rows are added to
  BlockRule rule_;                  // decides when it is full
  std::deque<std::shared_ptr<RowBlock>> ready_;
};

}  // namespace

std::shared_ptr<RowSource> document_rows(std::shared_ptr<const Documents> documents,
                                         std::shared_ptr<const TextVectorizer> vectorizer,
                                         std::function<double(std::string_view label)> label_of,
                                         const ReadOptions& options,
                                         std::shared_ptr<FeatureMap> features) {
  return std::make_shared<DocumentRows>(std::move(documents), std::move(vectorizer),
                                        std::move(label_of), options, std::move(features));
}

}  // namespace thresh
