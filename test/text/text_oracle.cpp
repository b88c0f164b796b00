// Terms and their weights against an obvious twin: characters from a list that says what each of
// them is, strings glued together, and std::map.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "data/read/name_table.hpp"
#include "text/text_rows.hpp"
#include "thresh/error.hpp"

using namespace thresh;

namespace {

enum Kind { kWord, kBlank, kOther };
struct Letter {
  std::string bytes, lower, upright;  // as in the file, in lower case, and as it is in UTF-8
  Kind kind;
};

const std::vector<Letter>& alphabet() {
  static const std::vector<Letter> letters = {
      {"a", "a", "a", kWord},
      {"b", "b", "b", kWord},
      {"A", "a", "A", kWord},
      {"7", "7", "7", kWord},
      {"_", "_", "_", kWord},
      {"\xc3\x89", "\xc3\xa9", "\xc3\x89", kWord},                           // E acute
      {"\xe9", "\xc3\xa9", "\xc3\xa9", kWord},                               // e acute in latin-1
      {"\xc8\xba", "\xe2\xb1\xa5", "\xc8\xba", kWord},                       // longer in lower case
      {"\xcc\x81", "\xcc\x81", "\xcc\x81", kWord},                           // a combining accent
      {"\xd7\xa9", "\xd7\xa9", "\xd7\xa9", kWord},                           // Hebrew
      {"\xe6\xbc\xa2", "\xe6\xbc\xa2", "\xe6\xbc\xa2", kWord},               // Chinese
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", kOther},  // a smile
      {"-", "-", "-", kOther},
      {"'", "'", "'", kOther},
      {" ", " ", " ", kBlank},
      {"\t", " ", " ", kBlank},
      {std::string(1, '\0'), " ", " ", kBlank},
      {"\xc2\xa0", " ", " ", kBlank},
  };
  return letters;
}

using Text = std::vector<std::size_t>;  // places in the alphabet

std::string bytes_of(const Text& text) {
  std::string bytes;
  for (const std::size_t i : text) bytes += alphabet()[i].bytes;
  return bytes;
}

using Units = std::vector<std::string>;

std::string folded(const Letter& letter, const TextOptions& options) {
  return options.lower_case ? letter.lower : letter.upright;
}

Units words_of(const Text& text, const TextOptions& options) {
  Units words;
  std::string word;
  std::size_t length = 0;
  const auto finish = [&] {
    const auto& stop = options.stop_words;
    const bool stopped = std::find(stop.begin(), stop.end(), word) != stop.end();
    if (length > 0 && length >= options.min_length && !stopped) words.push_back(word);
    word.clear();
    length = 0;
  };
  for (const std::size_t i : text) {
    if (alphabet()[i].kind != kWord) {
      finish();
      continue;
    }
    word += folded(alphabet()[i], options);
    ++length;
  }
  finish();
  return words;
}

Units characters_of(const Text& text, const TextOptions& options) {
  Units characters;
  for (const std::size_t i : text) {
    const std::string character = folded(alphabet()[i], options);
    if (character == " " && (characters.empty() || characters.back() == " ")) continue;
    characters.push_back(character);
  }
  while (!characters.empty() && characters.back() == " ") characters.pop_back();
  return characters;
}

std::map<std::string, int> terms_of(const Text& text, const TextOptions& options) {
  const bool words = options.unit == TextOptions::Unit::words;
  const Units units = words ? words_of(text, options) : characters_of(text, options);
  std::map<std::string, int> terms;
  for (std::size_t begin = 0; begin < units.size(); ++begin) {
    std::string term;
    for (std::size_t n = 1; n <= options.longest && begin + n <= units.size(); ++n) {
      if (words && n > 1) term += " ";
      term += units[begin + n - 1];
      if (n >= options.shortest) {
        const std::string key =
            options.hash_bits == 0 ? term : std::to_string(hash_of_name(term, options.hash_bits));
        ++terms[key];
      }
    }
  }
  return terms;
}

using Row = NamedRow;

std::vector<Row> twin(const std::vector<Text>& texts, const TextOptions& options) {
  std::map<std::string, int> df;
  for (const Text& text : texts) {
    for (const auto& term : terms_of(text, options)) ++df[term.first];
  }
  const auto n = static_cast<double>(texts.size());
  const auto limit = [&](const DocumentLimit& l) { return l.is_share ? l.value * n : l.value; };
  std::vector<Row> rows;
  for (const Text& text : texts) {
    Row row;
    double squares = 0;
    for (const auto& [term, count] : terms_of(text, options)) {
      if (df[term] < limit(options.min_df) || df[term] > limit(options.max_df)) continue;
      double value = options.tf == TextOptions::Tf::count ? count
                     : options.tf == TextOptions::Tf::log ? 1 + std::log(count)
                                                          : 1;
      if (options.idf) value *= std::log((1 + n) / (1 + df[term])) + 1;
      row[term] = value;
      squares += value * value;
    }
    for (auto& entry : row) entry.second /= options.l2 ? std::sqrt(squares) : 1;
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> ours(const std::vector<Text>& texts, const TextOptions& options) {
  std::vector<std::string> bytes;
  for (const Text& text : texts) bytes.push_back(bytes_of(text));
  try {
    return rows_of_texts(bytes, options);
  } catch (const Error&) {  // no features
    return std::vector<Row>(texts.size());
  }
}

TextOptions any_options() {
  TextOptions options;
  using Unit = TextOptions::Unit;
  using Tf = TextOptions::Tf;
  options.unit = *rc::gen::element(Unit::words, Unit::characters);
  options.shortest = *rc::gen::inRange(1U, 4U);
  options.longest = options.shortest + *rc::gen::inRange(0U, 3U);
  options.min_length = *rc::gen::inRange(1U, 4U);
  options.lower_case = *rc::gen::arbitrary<bool>();
  if (options.unit == Unit::words && *rc::gen::arbitrary<bool>()) options.stop_words = {"a", "ab"};
  if (*rc::gen::arbitrary<bool>()) options.min_df = {false, 2};
  if (*rc::gen::arbitrary<bool>()) options.max_df = {true, 0.5};
  options.tf = *rc::gen::element(Tf::count, Tf::log, Tf::binary);
  options.idf = *rc::gen::arbitrary<bool>();
  options.l2 = *rc::gen::arbitrary<bool>();
  return options;
}

std::vector<Text> any_texts() {
  const auto letter = rc::gen::inRange<std::size_t>(0, alphabet().size());
  return *rc::gen::nonEmpty(
      rc::gen::container<std::vector<Text>>(rc::gen::container<Text>(letter)));
}

void expect_same(const std::vector<Text>& texts, const TextOptions& options) {
  const std::vector<Row> expected = twin(texts, options);
  const std::vector<Row> rows = ours(texts, options);
  RC_ASSERT(rows.size() == expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(rows[i].size() == expected[i].size());
    for (const auto& [term, value] : expected[i]) {
      RC_ASSERT(rows[i].contains(term));
      RC_ASSERT(std::abs(rows[i].at(term) - value) <= 1e-13 * std::abs(value));
    }
  }
}

RC_GTEST_PROP(Text, RowsAreThoseOfTheTwin, ()) {
  expect_same(any_texts(), any_options());
}

// Few bits, so that terms collide.
RC_GTEST_PROP(Text, HashedRowsAreThoseOfTheTwin, ()) {
  TextOptions options = any_options();
  options.hash_bits = *rc::gen::inRange(1U, 12U);
  expect_same(any_texts(), options);
}

}  // namespace
