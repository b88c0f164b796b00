// Text columns of tables against a naive twin: words counted in maps, values by the formulas.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "data/names/vocabulary.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "thresh/rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::text_column {
namespace {

using Bag = std::map<std::string, double>;

Bag words_of(const std::string& text) {
  Bag bag;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ') {
      word += c;
      continue;
    }
    if (word.size() >= 2) ++bag[word];
    word.clear();
  }
  return bag;
}

// The values of the terms in each text, by tf-idf and unit length.
std::vector<Bag> twin(const std::vector<std::string>& texts, double least, bool idf, bool unit) {
  std::vector<Bag> rows;
  Bag documents;
  for (const std::string& text : texts) {
    rows.push_back(words_of(text));
    for (const auto& [word, count] : rows.back()) ++documents[word];
  }
  const auto n = static_cast<double>(texts.size());
  for (Bag& row : rows) {
    double squares = 0;
    for (auto word = row.begin(); word != row.end();) {
      if (documents[word->first] < least) {
        word = row.erase(word);
        continue;
      }
      if (idf) word->second *= std::log((1 + n) / (1 + documents[word->first])) + 1;
      squares += word->second * word->second;
      ++word;
    }
    for (auto& [word, value] : row) value /= unit ? std::sqrt(squares) : 1;
  }
  return rows;
}

std::string random_text(Random& random, bool quotes) {
  static const char* const kWords[] = {"red", "a", "blue", "dog", "cat", "runs", "far", "now"};
  std::string text;
  for (std::uint64_t i = random.below(7); i > 0; --i) {
    text += std::string(text.empty() ? "" : " ") + kWords[random.below(8)];
  }
  return quotes ? "\"" + text + "\"" : text;
}

TEST(TextColumn, HasTheValuesOfTheTwinInTwoColumns) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> first, second;
    std::string table = "t,n,u,y\n";
    const std::uint64_t rows = 20 + random.below(30);
    for (std::uint64_t i = 0; i < rows; ++i) {
      first.push_back(random_text(random, false));
      second.push_back(random_text(random, false));
      if (i == 0) first[0] = second[0] = "red dog runs";
      table += fmt::format("{},{},\"{}\",{}\n", first[i], 1 + i % 3, second[i], i % 2);
    }
    const bool idf = random.below(2) == 0, unit = random.below(2) == 0;
    const bool hashed = random.below(3) == 0;
    const double least = static_cast<double>(1 + random.below(3));
    ScratchDir dir;
    dir.write("a.csv", table);
    ReadOptions options;
    options.format = Format::csv;
    options.table.texts = {"t", "u"};
    options.text.idf = idf;
    options.text.l2 = unit;
    options.text.min_df = {false, least};
    options.vocabulary = make_vocabulary(hashed ? 20 : 0);
    const auto features = make_feature_map();
    const auto source = open_rows(dir.file("a.csv"), options, features);
    const std::vector<Bag> expected[] = {twin(first, least, idf, unit),
                                         twin(second, least, idf, unit)};
    std::map<std::uint64_t, std::string> names;
    options.vocabulary->for_each(
        [&](std::uint64_t id, std::string_view name) { names[id] = name; });
    std::size_t row = 0;
    for (std::size_t k = 0; k < source->survey()->blocks; ++k) {
      const BlockPtr block = source->block(k);
      for (std::size_t i = 0; i < block->rows(); ++i, ++row) {
        Bag found;
        const Row entries = block->row(i);
        for (std::size_t e = 0; e < entries.size; ++e) {
          found[names.at(features->id(entries.slots[e]))] = entries.values[e];
        }
        Bag wanted{{"n", static_cast<double>(1 + row % 3)}};
        for (const auto& [word, value] : expected[0][row]) wanted["t:" + word] = value;
        for (const auto& [word, value] : expected[1][row]) wanted["u:" + word] = value;
        ASSERT_EQ(found.size(), wanted.size()) << table;
        for (const auto& [name, value] : wanted) {
          ASSERT_NEAR(found[name], value, 1e-12) << name;
        }
      }
    }
    ASSERT_EQ(row, rows);
  }
}

}  // namespace
}  // namespace thresh::text_column
