// The part of the exported C that takes columns of text beside others.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "model/export_c_parts.hpp"
#include "model/export_data.hpp"
#include "text/vectorizer.hpp"

namespace thresh {
namespace {

constexpr std::string_view kRowMargins = R"(
static int @_by_index(const void *a, const void *b) {
  const uint64_t x = ((const struct @_weight *)a)->index, y = ((const struct @_weight *)b)->index;
  return (x > y) - (x < y);
}

/* One margin a class for a row: its texts, one for each column above, and its other features.
 * Returns 0, or -1 if there is no memory. */
int @_row_margins(const char *const *texts, const size_t *lengths, const uint64_t *indices,
                  const double *values, size_t n, double *margins) {
  const size_t most = n + TERMS + 1;
  struct @_weight *const row = malloc(most * sizeof *row);
  uint64_t *const all = malloc(most * sizeof *all);
  double *const these = malloc(most * sizeof *these);
  int failed = !row || !all || !these;
  size_t i, size = 0;
  long found;
  for (i = 0; i < n && !failed; ++i) {
    row[size].index = indices[i];
    row[size++].weight = values[i];
  }
TEXTS  if (!failed) {
    qsort(row, size, sizeof *row, @_by_index);
    for (i = 0; i < size; ++i) {
      all[i] = row[i].index;
      these[i] = row[i].weight;
    }
    @_margins(all, these, size, margins);
  }
  free(row), free(all), free(these);
  return failed ? -1 : 0;
}
)";

// Terms without a weight have feature 0.
constexpr std::string_view kOneText =
    R"(  found = failed ? -1 : $_row(texts[NUMBER], lengths[NUMBER], all, these);
  failed = found < 0;
  for (i = 0; !failed && i < (size_t)found; ++i) {
    if (all[i] == 0) continue;
    row[size].index = all[i];
    row[size++].weight = these[i];
  }
)";

}  // namespace

bool c_reads_text(const Model& model) {
  const auto readable = [](const TextVectorizer& text) {
    return text.options().hash_bits == 0 && text.options().stem.empty();
  };
  if (model.text) return readable(*model.text);
  bool all = !model.column_texts.empty() && !model.normalize_l2 && !model.reading.has("hash_bits");
  for (const auto& [column, text] : model.column_texts) all = all && readable(*text);
  return all;
}

std::string c_of_columns(const Model& model) {
  std::map<std::string, std::uint64_t> numbers;
  for (const auto& [index, name] : features_of(model)) numbers.emplace(name, index);
  const nlohmann::ordered_json data = scoring_data(model, "C");
  std::string rows, columns, terms, texts;
  std::size_t number = 0;
  for (const auto& [column, text] : model.column_texts) {
    const TermList& list = text->terms();
    // clang takes a part of a pair only under a name of its own.
    const auto feature = [&numbers, &list, &name = column](std::size_t term) {
      const auto found = numbers.find(name + ":" + std::string(list.name(term)));
      return found == numbers.end() ? std::uint64_t{0} : found->second;
    };
    const std::string prefix = fmt::format("@_text{}", number);
    rows += replaced(c_row_of_text(*text, data.at("texts").at(column), feature), "@", prefix);
    columns += fmt::format("/* texts[{}]: column {} */\n", number, c_string(column));
    terms += (number > 0 ? " + " : "") + fmt::format("(size_t){}_term_count", prefix);
    texts += replaced(replaced(kOneText, "$", prefix), "NUMBER", std::to_string(number));
    ++number;
  }
  return rows + "\n" + columns + replaced(replaced(kRowMargins, "TEXTS", texts), "TERMS", terms);
}

}  // namespace thresh
