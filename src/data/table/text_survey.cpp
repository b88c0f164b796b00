#include "data/table/text_survey.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "data/read/utf8.hpp"
#include "sparse/per_thread.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {

TextSurvey::TextSurvey(const std::vector<std::size_t>& columns, const TextOptions& how)
    : how_(how) {
  how_.hash_bits = 0;  // terms are never hashed by themselves, since names of features may be
  for (const std::size_t column : columns) texts_.push_back({column, {}});
  if (texts_.empty()) return;
  check_text_options(how_);
  tokenizer_.emplace(how_);
}

void TextSurvey::look(RowCells& row, Facts& facts) const {
  static PerThread<CutText> reused;
  facts.terms.resize(texts_.size());
  ++facts.documents;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    tokenizer_->for_each_term(
        row.text(texts_[i].column), reused.here(),
        [&](std::string_view term) { facts.terms[i].see(term, facts.documents); });
  }
}

void TextSurvey::take(const Facts& facts) {
  for (std::size_t i = 0; i < facts.terms.size(); ++i) texts_[i].terms.add(facts.terms[i]);
  documents_ += facts.documents;
}

void TextSurvey::finish(const std::string& file, Columns& columns) {
  for (Text& text : texts_) {
    TermList terms = std::move(text.terms).finish(CountRange(how_, documents_));
    if (terms.size() == 0) {
      throw Error(fmt::format("{}: no term of column {} satisfies --min-df and --max-df", file,
                              shown(columns[text.column].name)));
    }
    const std::uint64_t dimension = terms.size();
    columns.set_text(text.column, std::make_shared<const TextVectorizer>(
                                      how_, documents_, dimension, std::move(terms)));
  }
}

}  // namespace thresh
