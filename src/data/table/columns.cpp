#include "data/table/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "data/read/utf8.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Role = Column::Role;
using Missing = TableOptions::Missing;

constexpr std::uint64_t kFewest = 30;  // cells from which a column can be called nearly unique

bool same_letters(const std::string& a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

bool has_letters(const std::string& name, const std::string& part) {
  for (std::size_t at = 0; at + part.size() <= name.size() && !part.empty(); ++at) {
    if (same_letters(name.substr(at, part.size()), part)) return true;
  }
  return false;
}

// What to do about a table with a single column.
std::string hint_of_delimiter(const std::string& name) {
  constexpr std::pair<char, const char*> kUsual[] = {
      {'\t', "tab"}, {';', "';'"}, {'|', "'|'"}, {',', "','"}};
  for (const auto& [c, word] : kUsual) {
    if (name.find(c) == std::string::npos) continue;
    return fmt::format("cells seem to be separated by {0}: use --delimiter {0}", word);
  }
  return "see --delimiter";
}

// id, PID, customerID, row_id, "order id"
bool named_like_id(const std::string& name) {
  if (name.size() < 2) return false;
  const std::string end = name.substr(name.size() - 2);
  if (!same_letters(end, "id")) return false;
  if (name.size() == 2 || end == "ID") return true;
  const char before = name[name.size() - 3];
  return before == '_' || before == ' ' || before == '-' || before == '.' || end == "Id";
}

bool is_id(const std::string& name, const ColumnFacts& facts) {
  const auto n = static_cast<double>(facts.numbers);
  if (facts.values() < kFewest || facts.integers < facts.values()) return false;
  if (facts.distinct() < 0.9 * n) return false;
  return facts.counts_rows() || 2 * facts.leading_zeros > facts.numbers || named_like_id(name);
}

// Some words among many numbers are mistakes. A few different values are categories.
bool holds_numbers(const ColumnFacts& facts) {
  if (facts.numbers == 0) return false;
  return facts.words == 0 || (10 * facts.words <= facts.values() && facts.distinct() > 20);
}

bool has_features(Role role) {
  return role == Role::number || role == Role::category || role == Role::date || role == Role::text;
}

std::string list(const std::vector<std::string>& texts) {
  constexpr std::size_t kMost = 8;
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, texts.size()));
  return fmt::format("{}{}", fmt::join(texts.begin(), end, ", "),
                     texts.size() > kMost ? ", ..." : "");
}

}  // namespace

Columns::Columns(std::string file, std::vector<std::string> names, bool unnamed_first)
    : file_(std::move(file)), given_(names.size()), unnamed_first_(unnamed_first) {
  for (std::string& name : names) columns_.emplace_back().name = std::move(name);
}

Column& Columns::find(const std::string& option, const std::string& asked) {
  for (Column& column : columns_) {
    if (column.name == asked) return column;
  }
  std::size_t number = 0;
  const char* const end = asked.data() + asked.size();
  const auto [rest, error] = std::from_chars(asked.data(), end, number);
  if (error == std::errc() && rest == end && number >= 1 && number <= columns_.size()) {
    return columns_[number - 1];
  }
  throw Error(
      fmt::format("{}: no column {} for {}; {}", file_, shown(asked), option, columns_like(asked)));
}

// Those whose names have the word in them, or what there is.
std::string Columns::columns_like(const std::string& asked) const {
  std::vector<std::string> near, all;
  for (const Column& column : columns_) {
    all.push_back(shown(column.name));
    if (has_letters(column.name, asked)) near.push_back(all.back());
  }
  if (!near.empty()) return "there is " + list(near);
  return fmt::format("the columns are {}", list(all));
}

void Columns::give(const std::string& option, const std::string& asked, Role role) {
  Column& column = find(option, asked);
  std::string& given = given_[static_cast<std::size_t>(&column - columns_.data())];
  if (!given.empty()) {
    throw UsageError(
        given == option
            ? fmt::format("{} names column {} twice", option, shown(column.name))
            : fmt::format("column {} is given to {} and to {}", shown(column.name), given, option));
  }
  given = option;
  column.role = role;
}

void Columns::find_label(const TableOptions& options) {
  if (!options.label.empty()) return give("--label", options.label, Role::label);
  std::size_t last = columns_.size();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (given_[i].empty() || given_[i] == "--categorical") last = i;
  }
  if (last == columns_.size()) {
    throw Error(fmt::format("{}:1: no column is left for the label (see --label)", file_));
  }
  Column* found = nullptr;
  for (const char* usual : {"y", "target", "class", "label"}) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (given_[i].empty() && same_letters(columns_[i].name, usual)) found = &columns_[i];
    }
  }
  if (found == nullptr) {
    found = &columns_[last];
    guessed_ = found->name;
  }
  std::string& given = given_[static_cast<std::size_t>(found - columns_.data())];
  if (!given.empty()) {
    throw UsageError(fmt::format("{} {}: this column is the label", given, found->name));
  }
  given = "--label";
  found->role = Role::label;
}

void Columns::decide(const TableOptions& options, const std::vector<ColumnFacts>& facts) {
  missing_ = options.missing;
  na_ = options.na;
  for (const std::string& asked : options.categorical) give("--categorical", asked, Role::category);
  for (const std::string& asked : options.numeric) give("--numeric", asked, Role::number);
  for (const std::string& asked : options.ignore) give("--ignore", asked, Role::ignored);
  for (const std::string& asked : options.dates) give("--date", asked, Role::date);
  for (const std::string& asked : options.texts) give("--text", asked, Role::text);
  if (!options.id.empty()) give("--id", options.id, Role::id);
  if (!options.weight.empty()) give("--weight", options.weight, Role::weight);
  if (!options.group.empty()) give("--group", options.group, Role::group);
  if (!options.time.empty()) give("--time", options.time, Role::time);
  find_label(options);
  if (columns_.size() == 1) {
    throw Error(fmt::format("{}:1: the only column, {}, would be the label ({})", file_,
                            shown(columns_[0].name), hint_of_delimiter(columns_[0].name)));
  }
  bool any = false;
  std::string last_left_out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    settle(columns_[i], facts[i], options);
    const Role role = columns_[i].role;
    any |= has_features(role);
    if (!columns_[i].why.empty()) {
      last_left_out = fmt::format(" ({}: {})", columns_[i].name, columns_[i].why);
    }
  }
  if (!any) {
    throw Error(fmt::format("{}: no column is left to learn from{}", file_, last_left_out));
  }
}

void Columns::settle(Column& column, const ColumnFacts& facts, const TableOptions& options) {
  const std::size_t i = static_cast<std::size_t>(&column - columns_.data());
  if (!has_features(column.role)) return;
  const auto leave_out = [&](std::string why) {
    column.role = Role::ignored;
    column.why = std::move(why);
  };
  // Only if the user said so.
  const bool na_is_value = column.role == Role::category || column.role == Role::text;
  if (facts.cells() > 0 && facts.values() + (na_is_value ? facts.na : 0) == 0) {
    if (!given_[i].empty()) {
      throw Error(fmt::format("{}: all cells of column {} are missing, which {} names", file_,
                              shown(column.name), given_[i]));
    }
    return leave_out("all cells are missing");
  }
  if (given_[i].empty()) {
    if (i == 0 && unnamed_first_) return leave_out("row names: the first column has no name");
    const bool dates = 10 * facts.dates >= 9 * facts.values();
    if (facts.values() > 0 && !holds_numbers(facts)) {
      column.role = Role::category;
      const auto n = static_cast<double>(facts.values());
      if (facts.values() >= kFewest && facts.distinct() > 0.5 * n) {
        if (dates) return leave_out(fmt::format("dates; use --date \"{}\"", column.name));
        if (facts.blanks >= 2 * facts.words) {
          return leave_out(fmt::format("free text; use --text \"{}\"", column.name));
        }
        if (10 * facts.notations >= 9 * facts.words) {
          return leave_out(fmt::format("numbers as {}, which are words here; 1234.5 is a number",
                                       shown(facts.notation)));
        }
        return leave_out("ids, nearly unique");
      }
    } else if (is_id(column.name, facts)) {
      return leave_out("ids, nearly unique numbers");
    }
  }
  if (column.role == Role::date) column.latest = facts.latest.value_or(0);
  if (options.missing == Missing::mean && column.role != Role::text) learn_missing(column, facts);
}

std::vector<std::size_t> Columns::text_columns(const TableOptions& options) {
  std::vector<std::size_t> places;
  for (const std::string& asked : options.texts) {
    places.push_back(static_cast<std::size_t>(&find("--text", asked) - columns_.data()));
  }
  return places;
}

void Columns::set_text(std::size_t column, std::shared_ptr<const TextVectorizer> text) {
  columns_[column].text = std::move(text);
}

ColumnTexts Columns::texts() const {
  ColumnTexts texts;
  for (const Column& column : columns_) {
    if (column.text) texts[column.name] = column.text;
  }
  return texts;
}

void Columns::learn_missing(Column& column, const ColumnFacts& facts) const {
  const bool category = column.role == Role::category;
  column.missing = facts.empty + (category ? 0 : facts.na);
  // A weight of its own needs some rows with and without.
  constexpr std::uint64_t kRows = 10;
  column.indicator = column.missing >= kRows && 200 * column.missing >= facts.cells() &&
                     facts.cells() - column.missing >= kRows;
  if (column.role == Role::number) column.mean = facts.trimmed_mean();
  if (column.role == Role::date) column.mean = facts.mean_day();
}

std::vector<std::string> Columns::names_of(Role role) const {
  std::vector<std::string> names;
  for (const Column& column : columns_) {
    if (column.role == role) names.push_back(column.name);
  }
  return names;
}

std::string Columns::note() const {
  const std::vector<std::string> categories = names_of(Role::category);
  std::vector<std::string> left_out, filled, read;
  std::uint64_t cells = 0;
  std::string label;
  for (const Column& column : columns_) {
    if (column.role == Role::label) label = column.name;
    if (column.text) {
      read.push_back(fmt::format("{} {}", column.name, column.text->terms().size()));
    }
    if (!column.why.empty()) left_out.push_back(fmt::format("{} ({})", column.name, column.why));
    if (column.missing == 0 || column.role == Role::ignored) continue;
    cells += column.missing;
    filled.push_back(fmt::format("{} {}", column.name, column.missing));
  }
  std::string note =
      fmt::format("the label is column {} (--label chooses another); {}", label,
                  categories.empty() ? "the others are numbers"
                                     : fmt::format("{} of the others are categorical: {}",
                                                   categories.size(), list(categories)));
  if (!read.empty()) note += fmt::format("\ndifferent terms of text: {}", list(read));
  if (!left_out.empty()) {
    note +=
        fmt::format("\nleft out: {} (--categorical or --numeric keeps a column)", list(left_out));
  }
  if (cells > 0) {
    note += fmt::format("\n{} missing cells; means stand for numbers (--missing zero|refuse): {}",
                        cells, list(filled));
  }
  return note;
}

}  // namespace thresh
