// Tables in memory against the slow way: the same cells written to a csv file, and that file read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "data/names/vocabulary.hpp"
#include "sparse/random.hpp"
#include "thresh/fit.hpp"
#include "thresh/table.hpp"
#include "tools/arrow_columns.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::arrow_table_oracle {
namespace {

std::string csv_cell(const std::string& text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  if (text.find_first_of(",\"\n\r") == std::string::npos &&
      (text.empty() || (!blank(text.front()) && !blank(text.back())))) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_of(const StoredColumns& columns, const std::vector<double>& labels,
                   const std::vector<double>& weights) {
  std::string csv;
  const auto line = [&](const auto& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) csv += (i > 0 ? "," : "") + csv_cell(cell(i));
  };
  line([&](std::size_t i) { return columns[i].name; });
  csv += weights.empty() ? ",label\n" : ",label,weight\n";
  for (std::size_t row = 0; row < labels.size(); ++row) {
    line([&](std::size_t i) { return columns[i].cells[row]; });
    csv += fmt::format(",{}", labels[row]);
    csv += weights.empty() ? "\n" : fmt::format(",{}\n", weights[row]);
  }
  return csv;
}

// One of the numbers that a reader may get wrong.
double odd_number(Random& random) {
  constexpr double kOdd[] = {INFINITY, 0.0,       -0.0,  1e22,     9007199254740993.0,
                             20240229, 20230229,  1e300, 20241301, 99999999.0,
                             5e-324,   -1,        7,     0.1,      1e16,
                             10240229, 123456.789};
  return kOdd[random.below(std::size(kOdd))];
}

StoredColumn random_column(Random& random, std::size_t rows, std::size_t number) {
  static const std::vector<std::string> kWords = {
      "red",        "green, \"dark\"", " blue ", "NA",   "",  "1,5", "007",
      "2024-01-02", "1e400",           "-",      "x\ny", "?", "ÿ",   "3",
      "0x1f"};
  StoredColumn column;
  column.name = fmt::format("c{}{}", number, number % 5 == 4 ? ", odd" : "");
  const std::uint64_t kind = random.below(10);
  const bool holes = random.below(2) == 0;
  column.format =
      std::vector<std::string>{"g", "g", "f", "l", "C", "b", "u", "c", "tdD", "l"}[kind];
  if (kind == 9) column.name = "day" + column.name;
  if (kind == 7) {
    column.dictionary = {"one", "two, or more", "20240229"};
    column.word_ends = {0};
    for (const std::string& word : column.dictionary) {
      column.words += word;
      column.word_ends.push_back(static_cast<std::int32_t>(column.words.size()));
    }
  }
  if (kind == 5) column.data.resize(rows / 8 + 1);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool missing = holes && random.below(4) == 0;
    const bool odd = random.below(8) == 0;
    if (kind <= 1) {
      double value =
          odd ? odd_number(random) : std::round(random.normal() * 1e4) / (kind == 0 ? 1 : 64);
      const bool gap = holes && random.below(9) == 0;
      if (gap) value = NAN;
      column.add(value, gap ? "" : fmt::format("{}", value), missing);
    } else if (kind == 2) {
      const auto value = static_cast<float>(random.normal());
      column.add(value, fmt::format("{}", static_cast<double>(value)), missing);
    } else if (kind == 3) {
      const auto value =
          odd ? std::int64_t{9007199254740993} : static_cast<std::int64_t>(random.below(40));
      column.add(value, fmt::format("{}", value), missing);
    } else if (kind == 4) {
      const auto value = static_cast<std::uint8_t>(random.below(200));
      column.add(value, fmt::format("{}", value), missing);
    } else if (kind == 5) {
      const bool value = random.below(2) == 1;
      if (value) column.data[row / 8] = static_cast<char>(column.data[row / 8] | 1 << row % 8);
      column.add_cell(missing ? "" : value ? "1" : "0", missing);
    } else if (kind == 6) {
      column.add_text(kWords[random.below(number % 2 == 0 ? 3 : kWords.size())], missing);
    } else if (kind == 7) {
      const auto code = static_cast<std::int8_t>(random.below(3));
      column.add(code, column.dictionary[static_cast<std::size_t>(code)], missing);
    } else if (kind == 9) {
      const auto day = static_cast<std::int64_t>(20240201 + random.below(28));
      column.add(day, fmt::format("{}", day), missing);
    } else {
      const auto day = static_cast<std::int32_t>(random.below(3));
      column.add(day, fmt::format("1970-01-{:02}", day + 1), missing);
    }
  }
  return column;
}

struct Table {
  StoredColumns columns;
  std::vector<double> labels, weights;
  int alive = 0;

  MemoryTable in_memory(Random& random) {
    ExportedColumns exported{&columns, {0}, 0, &alive};
    const auto rows = static_cast<std::int64_t>(labels.size());
    while (exported.cuts.back() < rows) {
      const auto more = static_cast<std::int64_t>(random.below(700));  // none at times
      exported.cuts.push_back(std::min(rows, exported.cuts.back() + more));
    }
    ArrowArrayStream stream = stream_of(exported);
    return arrow_table(
        stream, {labels.size(), labels.data(), weights.empty() ? nullptr : weights.data(), {}});
  }
};

// Of bad data or of options that do not go together; "" if there is none.
std::string message_of(const std::function<void()>& action) {
  try {
    return error_of(action);
  } catch (const UsageError& error) {
    return error.what();
  }
}

// All that a problem's rows say, but their lines.
std::string rows_of(const Problem& problem) {
  std::string all = nlohmann::json(problem.vocabulary->reading).dump() + "\n" + problem.note + "\n";
  problem.vocabulary->for_each(
      [&](std::uint64_t id, std::string_view name) { all += fmt::format("{} {}\n", id, name); });
  for (std::size_t k = 0; const BlockPtr block = problem.train->block(k); ++k) {
    if (block->rows() > 0) all += fmt::format("block of {} rows\n", block->rows());
    for (std::size_t i = 0; i < block->rows(); ++i) {
      const Row row = block->row(i);
      all += fmt::format("{} {} {}:", row.id, row.label, row.weight);
      for (std::size_t e = 0; e < row.size; ++e) {
        all += fmt::format(" {}:{}", row.slots[e], row.values[e]);
      }
      all += '\n';
    }
  }
  return all;
}

class ArrowTableTwin : public testing::Test {
 protected:
  void compare(Table& table, ReadOptions options, Random& random) {
    const std::string file =
        dir.write("table.csv", csv_of(table.columns, table.labels, table.weights));
    options.table.label = "label";
    if (!table.weights.empty()) options.table.weight = "weight";
    options.name = "table";
    options.format = Format::csv;
    std::string expected, found;
    const std::string refused =
        message_of([&] { expected = rows_of(open_problem(file, "", options)); });
    const std::string refused_in_memory = message_of([&] {
      const MemoryTable memory = table.in_memory(random);
      found = rows_of(table_problem(memory, options));
    });
    EXPECT_EQ(refused_in_memory.empty(), refused.empty()) << refused << " / " << refused_in_memory;
    EXPECT_EQ(found, expected);
    EXPECT_EQ(table.alive, 0);
    (refused.empty() ? read : not_read) += 1;
  }

  ScratchDir dir;
  int read = 0, not_read = 0;
};

TEST_F(ArrowTableTwin, GivesTheRowsOfItsCsvFile) {
  Random random(7);
  for (int round = 0; round < 120; ++round) {
    Table table;
    const std::size_t rows = 30 + random.below(round % 8 == 0 ? 4000 : 300);
    const std::size_t columns = 2 + random.below(6);
    for (std::size_t i = 0; i < columns; ++i) {
      table.columns.push_back(random_column(random, rows, i));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      table.labels.push_back(random.below(2) == 0 ? 0.5 : 2);
      if (round % 3 == 0) table.weights.push_back(static_cast<double>(1 + random.below(3)));
    }
    ReadOptions options;
    options.skip_bad_rows = random.below(3) != 0;
    if (random.below(3) == 0) options.table.na = {"-1", "7", "red", "1e16", "123456.789"};
    if (random.below(3) == 0) options.table.categorical = {table.columns[0].name};
    if (random.below(4) == 0) options.table.dates = {table.columns[1].name};
    for (const StoredColumn& column : table.columns) {
      if (column.name.starts_with("day") && random.below(2) == 0) {
        options.table.dates = {column.name};
      }
    }
    if (random.below(4) == 0) options.table.missing = TableOptions::Missing::zero;
    if (random.below(6) == 0) options.table.texts = {"1"};
    if (random.below(6) == 0) options.table.id = "2";
    if (random.below(6) == 0) options.table.time = "2";
    if (random.below(6) == 0) options.normalize_l2 = true;
    SCOPED_TRACE(round);
    compare(table, options, random);
    if (HasFailure()) return;
  }
  EXPECT_GT(read, 60);
  EXPECT_GT(not_read, 5);
}

// So wide that fewer than 1,024 rows make a block: as many as the digits of the numbers say.
TEST_F(ArrowTableTwin, GivesTheBlocksOfAWideCsvFile) {
  Random random(8);
  for (const std::size_t columns : {90, 300}) {
    Table table;
    constexpr std::size_t kRows = 1500;
    for (std::size_t i = 0; i < columns; ++i) {
      StoredColumn& column = table.columns.emplace_back();
      column.name = fmt::format("x{}", i);
      column.format = "g";
      for (std::size_t row = 0; row < kRows; ++row) {
        const double value = random.normal();
        column.add(value, fmt::format("{}", value));
      }
    }
    StoredColumn& words = table.columns.emplace_back();
    words.name = "words", words.format = "u";
    for (std::size_t row = 0; row < kRows; ++row) {
      words.add_text(std::string(random.below(1200), random.below(2) == 0 ? 'a' : '"'), false);
      table.labels.push_back(random.below(2) == 0 ? 0 : 1);
    }
    ReadOptions options;
    options.table.ignore = {"words"};
    compare(table, options, random);
  }
}

TEST_F(ArrowTableTwin, PredictsWithTheColumnsOfTheModel) {
  Random random(9);
  Table table;
  for (std::size_t i = 0; i < 4; ++i) {
    StoredColumn& column = table.columns.emplace_back();
    column.name = fmt::format("x{}", i);
    column.format = "g";
    for (std::size_t row = 0; row < 500; ++row) column.add(random.normal(), "");
  }
  table.labels.assign(500, 1.0);
  const MemoryTable memory = table.in_memory(random);
  ReadOptions options;
  options.labels_optional = options.once = true;
  options.vocabulary = make_vocabulary();
  Record reading;
  reading["header"] = true;
  reading["numbers"] = std::vector<std::string>{"x1", "x3"};
  reading["categories"] = std::vector<std::string>{};
  options.vocabulary->reading = reading;
  std::size_t rows = 0;
  visit_rows(table_rows(memory, options, make_feature_map()), [&](const RowsRead& some) {
    for (const Row& row : some.rows) {
      ASSERT_EQ(row.size, 2U);
      for (const std::size_t column : {1, 3}) {
        double value = 0;
        std::memcpy(&value, table.columns[column].data.data() + rows * sizeof value, sizeof value);
        EXPECT_EQ(row.values[column / 2], value);
      }
      ++rows;
    }
  });
  EXPECT_EQ(rows, 500U);
}

}  // namespace
}  // namespace thresh::arrow_table_oracle
