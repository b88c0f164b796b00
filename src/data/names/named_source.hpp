// Rows with named features from a file or a pipe: parsed once on all cores, names turned into ids
// and labels into numbers in the order of the file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/names/vocabulary.hpp"
#include "data/read/named_rows.hpp"
#include "data/read/sources.hpp"

namespace thresh {

// Blocks as they come, once.
class NamedStream : public RowSource {
 public:
  // options.vocabulary must be there. Names and labels that it does not know are added, unless it
  // is frozen, and its labels settled.
  NamedStream(const std::string& path, Format format, const ReadOptions& options,
              std::shared_ptr<FeatureMap> features);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return name_; }

  const NamedParser& parser() const { return *parser_; }

 private:
  struct Text;      // some lines, copied
  struct Resolved;  // rows whose names have become ids

  void read_more();
  bool cut(Text& text);
  Resolved resolve(NamedRows rows);
  double label(const NamedRows& rows, std::uint32_t place, std::string& why);
  BlockPtr finish(const Resolved& resolved) const;

  std::string name_;
  ReadOptions options_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<NamedParser> parser_;
  BlockCutter cutter_;
  bool begun_ = false;
  std::vector<BlockPtr> ready_;  // the next one last
};

// The same in a temporary file, to be read in any order. What was learned about words is in the
// vocabulary once this is made.
class NamedSource : public RowSource {
 public:
  // Weights are those over their mean if `relative`, else as the data have them.
  NamedSource(RowSource& stream, Vocabulary& vocabulary, bool relative);
  BlockPtr block(std::size_t k) override;
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return spool_.name(); }

 private:
  void check_weights() const;

  LabelNames labels_;  // to translate codes, unless they were settled before
  bool translates_;
  bool relative_;
  SpooledSource spool_;
  Survey survey_;
};

// Opens a file of a format with names. Whoever wants its rows only once gets weights as they are.
std::shared_ptr<RowSource> open_named_rows(const std::string& path, Format format,
                                           const ReadOptions& options,
                                           std::shared_ptr<FeatureMap> features);

}  // namespace thresh
