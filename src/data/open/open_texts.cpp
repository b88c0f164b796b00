#include "data/open/open_texts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data/read/sources.hpp"
#include "text/learn.hpp"
#include "text/text_format.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Learns the terms of documents by options.text, and what labels there are.
void learn_texts(const Documents& documents, const ReadOptions& options, Vocabulary& vocabulary) {
  Survey survey;
  LearnHooks hooks;
  hooks.on_document = [&](const Document& document) {
    try {
      survey.count_label(vocabulary.labels.code(document.label));
    } catch (const Error& error) {
      if (options.skip_bad_rows) return;  // the second pass counts it
      throw Error(fmt::format("{}: {}", documents.place_of(document), error.what()));
    }
  };
  if (vocabulary.hash_bits() > 0) {
    hooks.on_hashed = [&](std::string_view term) { vocabulary.id(term); };
  }
  hooks.on_read = options.on_read;
  TextOptions how = options.text;
  how.hash_bits = vocabulary.hash_bits();
  vocabulary.text = learn_terms(documents, how, hooks);
  vocabulary.reading = to_json(*vocabulary.text).get<Record>();
  if (vocabulary.labels.settled()) return;
  try {
    vocabulary.labels.settle(survey);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", documents.name(), error.what()));
  }
}

// Rows in a temporary file: making them again costs more than reading them.
class SpooledTexts : public RowSource {
 public:
  SpooledTexts(RowSource& rows, const LabelNames& labels)
      : spool_(rows), survey_(*spool_.survey()) {
    survey_.label_names = labels.words();
  }
  BlockPtr block(std::size_t k) override { return spool_.block(k); }
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return spool_.name(); }

 private:
  SpooledSource spool_;
  Survey survey_;
};

}  // namespace

std::shared_ptr<RowSource> open_texts(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features) {
  ReadOptions read = options;
  if (!read.vocabulary) read.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
  const bool learns = read.vocabulary->text == nullptr;
  const bool labels_known = read.vocabulary->labels.settled();
  DocumentOptions how;
  how.labels_optional = read.labels_optional;
  how.skip_bad = read.skip_bad_rows;
  how.again = learns;
  how.stop = read.stop;
  const auto documents = std::make_shared<Documents>(path, how);
  if (learns) learn_texts(*documents, read, *read.vocabulary);
  if (learns) read.on_read = nullptr;  // progress was already reported
  DocumentRows::LabelOf label_of = [](std::string_view) { return 0.0; };
  if (!read.labels_optional) {
    label_of = [words = read.vocabulary](std::string_view label) {
      return words->labels.code(label);
    };
  }
  auto rows = std::make_shared<DocumentRows>(documents, read.vocabulary->text, label_of, read,
                                             std::move(features));
  if (read.once && (learns || labels_known || read.labels_optional)) return rows;
  return std::make_shared<SpooledTexts>(*rows, read.vocabulary->labels);
}

}  // namespace thresh
