// Turns documents into rows.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "data/read/cutter.hpp"
#include "text/documents.hpp"
#include "text/vectorizer.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Rows of documents, read once from start to end. Blocks end where those of the same rows in a
// libsvm file would, so the order of learning is the same, too.
class DocumentRows : public RowSource {
 public:
  using LabelOf = std::function<double(std::string_view label)>;

  // `label_of` may throw Error with the reason for a bad label. Of `options`, only the stop flag,
  // the progress and the handling of bad rows matter.
  DocumentRows(std::shared_ptr<const Documents> documents,
               std::shared_ptr<const TextVectorizer> vectorizer, LabelOf label_of,
               const ReadOptions& options, std::shared_ptr<FeatureMap> features);

  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return documents_->name(); }

 private:
  struct Piece;  // some documents and their entries

  Piece weigh(const DocumentStream::Work& work) const;
  void read_more();
  void append(const Piece& piece);
  void append_row(const Piece& piece, std::size_t i, double label);
  void close_block();
  std::shared_ptr<RowBlock> new_block() const;

  std::shared_ptr<const Documents> documents_;
  std::shared_ptr<const TextVectorizer> vectorizer_;
  LabelOf label_of_;
  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<DocumentStream> stream_;
  bool ended_ = false;
  std::uint64_t rows_ = 0;          // so far, bad ones included
  std::shared_ptr<RowBlock> open_;  // the block that rows are added to
  BlockRule rule_;                  // decides when it is full
  std::deque<std::shared_ptr<RowBlock>> ready_;
};

}  // namespace thresh
