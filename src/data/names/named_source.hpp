// Rows with named features from a file or a pipe. They are parsed once on all cores. Names become
// ids, and labels numbers, in the order of the file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "data/names/vocabulary.hpp"
#include "data/read/named_rows.hpp"
#include "data/read/row_keys.hpp"
#include "data/read/sources.hpp"

namespace thresh {

// Where rows with named features come from: blocks in order, to be parsed on any thread.
class NamedBlocks {
 public:
  virtual ~NamedBlocks() = default;
  // Parses the next block; null at the end. The function may outlive the next call.
  virtual std::function<NamedRows()> next() = 0;
  // Whether a block may have to wait for its rows.
  virtual bool waits() const { return false; }
  // What was learned about the rows, see Vocabulary.
  virtual void describe(Vocabulary& vocabulary) const = 0;
};

// Blocks as they arrive, once.
class NamedStream : public RowSource {
 public:
  // options.vocabulary must be set. Unknown names are added unless it is frozen, unknown labels
  // unless its labels are settled.
  NamedStream(std::unique_ptr<NamedBlocks> blocks, std::string name, const ReadOptions& options,
              std::shared_ptr<FeatureMap> features);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return name_; }

  const NamedBlocks& blocks() const { return *blocks_; }
  // The groups or times of all rows so far; null if there are none.
  const std::shared_ptr<RowKeys>& keys() const { return keys_; }

 private:
  struct Resolved;  // rows whose names have become ids

  void read_more();
  void take_keys(const NamedRows& rows);
  Resolved resolve(NamedRows rows);
  double label(const NamedRows& rows, std::uint32_t place, std::string& why);
  BlockPtr finish(const Resolved& resolved) const;

  std::string name_;
  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<NamedBlocks> blocks_;
  std::shared_ptr<RowKeys> keys_;
  std::map<std::string, std::uint32_t, std::less<>> groups_;  // numbers by name
  std::vector<BlockPtr> ready_;                               // in reverse order: the next one last
};

// The same, spooled to a temporary file for reading in any order. Once this is constructed, the
// vocabulary contains what was learned about words.
class NamedSource : public RowSource {
 public:
  // Weights are divided by their mean if `relative`, otherwise as in the data.
  NamedSource(RowSource& stream, Vocabulary& vocabulary, bool relative);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return spool_.name(); }

 private:
  void check_weights() const;

  LabelNames labels_;  // translates codes, unless labels were settled before
  bool translates_;
  bool relative_;
  SpooledSource spool_;
  Survey survey_;
};

// The rows of blocks: once, or in any order. If read once, weights are as in the data.
std::shared_ptr<RowSource> named_rows(std::unique_ptr<NamedBlocks> blocks, const std::string& name,
                                      const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features);

// Opens a file of a format with names.
std::shared_ptr<RowSource> open_named_rows(const std::string& path, Format format,
                                           const ReadOptions& options,
                                           std::shared_ptr<FeatureMap> features);

}  // namespace thresh
