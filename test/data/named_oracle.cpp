// The readers of VW text and of tables against slow and obvious twins, on random rows that are
// right, odd and wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "data/read/named_rows.hpp"
#include "data/table/table.hpp"
#include "sparse/random.hpp"
#include "tools/error_of.hpp"
#include "tools/padded.hpp"

namespace thresh::named_oracle {
namespace {

using Features = std::vector<std::pair<std::string, double>>;

struct TwinRow {
  bool bad = false;
  std::string label;
  double weight = 1;
  Features features;
  std::uint64_t line = 0;
};

bool twin_number(const std::string& token, double& value) {
  if (token.empty() || token.find_first_not_of("0123456789.eE+-") != std::string::npos)
    return false;
  char* end = nullptr;
  value = std::strtod(token.c_str(), &end);
  return *end == '\0' && std::isfinite(value);
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// --- VW ---

// NAME or NAME:VALUE.
bool twin_pair(const std::string& word, std::string& name, double& value) {
  const std::size_t colon = word.find(':');
  name = word.substr(0, colon);
  return colon == std::string::npos || twin_number(word.substr(colon + 1), value);
}

bool twin_namespace(const std::string& part, TwinRow& row) {
  std::istringstream words(part);
  std::string word, space;
  double scale = 1;
  if (!part.empty() && part[0] != ' ' && part[0] != '\t') {
    words >> word;
    if (!twin_pair(word, space, scale)) return false;
  }
  while (words >> word) {
    std::string name;
    double value = 1;
    if (!twin_pair(word, name, value) || name.empty() || !std::isfinite(value * scale))
      return false;
    row.features.emplace_back(space.empty() ? name : space + "^" + name, value * scale);
  }
  return true;
}

bool twin_vw(const std::string& line, TwinRow& row) {
  const std::vector<std::string> parts = split(line, '|');
  if (parts.size() < 2) return false;
  std::istringstream head(parts[0]);
  std::vector<std::string> words;
  for (std::string word; head >> word;) words.push_back(word);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool touches = i + 1 == words.size() && parts[0].back() != ' ' && parts[0].back() != '\t';
    if (words[i][0] == '\'' || touches) words.resize(i);
  }
  if (words.empty() || words.size() > 3) return false;
  double label = 0, base = 0;
  row.label = words[0];
  if (!twin_number(words[0], label)) return false;
  if (words.size() > 1 && (!twin_number(words[1], row.weight) || row.weight < 0)) return false;
  if (words.size() > 2 && (!twin_number(words[2], base) || base != 0)) return false;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!twin_namespace(parts[i], row)) return false;
  }
  return true;
}

std::string pick(Random& random, std::initializer_list<const char*> choices) {
  return choices.begin()[random.below(choices.size())];
}

std::string random_number(Random& random) {
  if (random.below(30) == 0) return pick(random, {"", "x", "nan", "1e999", "1.2.3", "--1", "."});
  if (random.below(10) == 0) return pick(random, {"0", "-0", "+1", ".5", "5.", "1e300", "1e-400"});
  return fmt::format("{:.{}g}", random.normal(), 1 + random.below(17));
}

std::string random_space(Random& random) {
  return random.below(10) > 0 ? " " : pick(random, {"  ", "\t", " \t "});
}

std::string random_name(Random& random) {
  return pick(random, {"a", "b", "abc", "^", "x^y", "#", "\"", "'q", "\\n", "\xf0\x9f\x98\x80",
                       "\x01", "long-long-long-long-name", "="});
}

std::string random_vw_line(Random& random) {
  if (random.below(20) == 0) return pick(random, {"", " ", "\t ", "|", "1 |", "1|", "1", "1:2"});
  std::string line =
      random.below(20) > 0 ? pick(random, {"1", "-1", "+1", "2.5"}) : random_number(random);
  if (random.below(4) == 0)
    line += random_space(random) + pick(random, {"1", "2", "0.5", "0", "-1"});
  if (random.below(20) == 0) line += random_space(random) + pick(random, {"0", "0.0", "0.5", "x"});
  if (random.below(40) == 0) line += random_space(random) + pick(random, {"0", "x"});
  line += random.below(40) > 0 ? random_space(random) : "";
  if (random.below(5) == 0) line += pick(random, {"'tag", "tag", "'", "'t "});
  for (std::uint64_t spaces = 1 + random.below(3); spaces > 0; --spaces) {
    line += "|" + (random.below(3) == 0 ? "" : random_name(random));
    if (random.below(10) == 0) line += ":" + random_number(random);
    for (std::uint64_t left = random.below(6); left > 0; --left) {
      line += random_space(random) + (random.below(60) > 0 ? random_name(random) : "");
      if (random.below(2) == 0) line += ":" + random_number(random);
    }
    line += random.below(2) == 0 ? random_space(random) : "";
  }
  return line;
}

// --- tables ---

std::string trimmed(std::string cell) {
  while (!cell.empty() && cell.back() == ' ') cell.pop_back();
  return cell.substr(std::min(cell.find_first_not_of(' '), cell.size()));
}

// Character by character. False for quotes that RFC 4180 does not allow.
bool twin_cells(const std::string& line, std::vector<std::string>& cells) {
  for (std::size_t i = 0;; ++i) {
    std::string cell;
    if (i < line.size() && line[i] == '"') {
      for (++i;; ++i) {
        if (i >= line.size()) return false;
        if (line[i] != '"') {
          cell += line[i];
        } else if (i + 1 < line.size() && line[i + 1] == '"') {
          cell += line[i++];
        } else {
          break;
        }
      }
      if (++i < line.size() && line[i] != ',') return false;
    } else {
      while (i < line.size() && line[i] != ',') cell += line[i++];
      cell = trimmed(cell);
    }
    cells.push_back(cell);
    if (i >= line.size()) return true;
  }
}

// Three columns: n has numbers, c names, y the label.
bool twin_table(const std::string& line, TwinRow& row) {
  std::vector<std::string> cells;
  if (!twin_cells(line, cells) || cells.size() != 3 || cells[2].empty()) return false;
  double value = 0;
  if (twin_number(cells[0], value)) {
    row.features.emplace_back("n", value);
  } else if (!cells[0].empty() && cells[0] != "NA" && cells[0] != "nan" && cells[0] != "?") {
    return false;
  }
  if (!cells[1].empty()) row.features.emplace_back("c=" + cells[1], 1);
  row.label = cells[2];
  return true;
}

std::string random_cell(Random& random) {
  return pick(random, {"", "a", " b ", "\"q\"", "\"x,y\"", "\"two \"\"quotes\"\"\"", "\"a\nb\"",
                       "1", "in \"the\" middle", "\"\"", "\"\n\n\"", "=", "a=b", "\xc3\xa4"});
}

std::string random_record(Random& random) {
  if (random.below(30) == 0)
    return pick(random, {"", ",", "1", "1,2,3,4", "\"a\"b,c,1", ",,", "1,a,"});
  const std::string number =
      random.below(10) == 0 ? pick(random, {"", "NA", "?", "\"1.5\"", "x"}) : random_number(random);
  return number + "," + random_cell(random) + "," + pick(random, {"1", "yes", "\"no\"", " no"});
}

// --- both ---

void expect_row(const NamedRows& rows, std::size_t i, const TwinRow& twin) {
  ASSERT_EQ(rows.labels.name(rows.label_places[i]), twin.label);
  ASSERT_EQ(rows.weights.empty() ? 1 : rows.weights[i], twin.weight);
  ASSERT_EQ(rows.lines[i], twin.line);
  Features features;
  for (std::size_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
    features.emplace_back(rows.names.name(rows.places[k]), rows.values[k]);
  }
  ASSERT_EQ(features, twin.features);
}

void compare(const NamedParser& parser, const std::string& text, std::uint64_t first_line,
             const std::vector<TwinRow>& twins, bool skip, std::map<bool, int>& refused) {
  const auto first_bad =
      std::find_if(twins.begin(), twins.end(), [](const TwinRow& row) { return row.bad; });
  const Padded padded(text);
  NamedRows got;
  const std::string error = error_of([&] {
    got = parser.parse({padded.text(), first_line, 0, 0});
  });
  const bool should_fail = !skip && first_bad != twins.end();
  ++refused[should_fail];
  ASSERT_EQ(!error.empty(), should_fail) << error;
  if (should_fail) {
    ASSERT_TRUE(error.starts_with(fmt::format("data:{}: ", first_bad->line))) << error;
    return;
  }
  std::size_t at = 0;
  for (std::size_t id = 0; id < twins.size(); ++id) {
    if (twins[id].bad) continue;
    ASSERT_LT(at, got.rows());
    ASSERT_EQ(got.ids[at], id);
    expect_row(got, at++, twins[id]);
    if (testing::Test::HasFatalFailure()) return;
  }
  ASSERT_EQ(got.rows(), at);
  ASSERT_EQ(got.bad_rows, twins.size() - at);
}

TEST(NamedTwin, VwText) {
  Random random(1);
  std::map<bool, int> refused;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    std::vector<TwinRow> twins;
    const std::uint64_t lines = random.below(6);
    for (std::uint64_t line = 1; line <= lines; ++line) {
      const std::string row = random_vw_line(random);
      text += row + (random.below(5) == 0 ? "\r\n" : "\n");
      if (row.find_first_not_of(" \t") == std::string::npos) continue;
      TwinRow& twin = twins.emplace_back();
      twin.line = line;
      twin.bad = !twin_vw(row, twin);
    }
    SCOPED_TRACE(text);
    ReadOptions options;
    options.skip_bad_rows = random.below(2) == 0;
    compare(*make_vw_parser("data", options), text, 1, twins, options.skip_bad_rows, refused);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused[true], 1000) << "the wrong is not too rare to matter";
  EXPECT_GT(refused[false], 5000);
}

TEST(NamedTwin, Tables) {
  Random random(2);
  std::map<bool, int> refused;
  const Record reading = Record::parse(
      R"({"header":true,"delimiter":",","numbers":["n"],"categories":["c"],"label":"y"})");
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "n,c,y\n";
    std::vector<TwinRow> twins;
    std::uint64_t line = 2;
    for (std::uint64_t rows = random.below(6); rows > 0; --rows) {
      const std::string row = random_record(random);
      text += row + (random.below(5) == 0 ? "\r\n" : "\n");
      if (!row.empty()) {
        TwinRow& twin = twins.emplace_back();
        twin.line = line;
        twin.bad = !twin_table(row, twin);
      }
      line += 1 + static_cast<std::uint64_t>(std::count(row.begin(), row.end(), '\n'));
    }
    SCOPED_TRACE(text);
    ReadOptions options;
    options.skip_bad_rows = random.below(2) == 0;
    const auto parser = make_table_parser("data", options, Format::csv, reading);
    const Padded padded(text);
    TextBlock first{padded.text(), 1, 0, 0};
    parser->begin(first);
    compare(*parser, std::string(first.text), first.first_line, twins, options.skip_bad_rows,
            refused);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused[true], 1000) << "the wrong is not too rare to matter";
  EXPECT_GT(refused[false], 5000);
}

}  // namespace
}  // namespace thresh::named_oracle
