// Cells of a table as features.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/read/bad_row.hpp"
#include "data/read/utf8.hpp"
#include "data/table/columns.hpp"
#include "sparse/per_thread.hpp"

namespace thresh {
namespace {

using Role = Column::Role;
using Missing = TableOptions::Missing;

void add(const Column& column, std::string_view what, double value, NamedRows& out,
         std::string& scratch) {
  scratch.assign(column.name).append(what);
  out.add(out.names.place(scratch), value);
}

// In quotes where a shell needs them.
std::string as_argument(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return plain ? name : shown(name);
}

}  // namespace

void Columns::encode_missing(const Column& column, NamedRows& out, std::string& scratch) const {
  if (missing_ == Missing::refuse) {
    throw BadRow{fmt::format("no value in column {} (--missing refuse)", column.name)};
  }
  if (column.mean && column.role == Role::number) {
    out.add(out.names.place(column.name), *column.mean);
  }
  if (column.mean && column.role == Role::date) {
    add(column, " year", 1970 + *column.mean / 365.2425, out, scratch);
    add(column, " age", static_cast<double>(column.latest) - *column.mean, out, scratch);
  }
  if (!column.indicator) return;
  add(column, " is missing", 1, out, scratch);
}

void Columns::encode_date(const Column& column, const Cell& cell, NamedRows& out,
                          std::string& scratch) const {
  const auto date = parse_date(cell.text);
  if (!date) {
    throw BadRow{fmt::format("{} in column {} is not a date such as 2024-03-31", shown(cell.text),
                             column.name)};
  }
  constexpr const char* kDays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  add(column, " year", date->year, out, scratch);
  add(column, " age", static_cast<double>(column.latest - date->days()), out, scratch);
  add(column, fmt::format(" month={}", date->month), 1, out, scratch);
  add(column, std::string(" weekday=") + kDays[date->weekday()], 1, out, scratch);
}

// Several texts of a row are separate: each has its own terms, and a length of one.
void Columns::encode_text(const Column& column, std::string_view cell, NamedRows& out,
                          std::string& scratch) const {
  static PerThread<std::map<std::string, TextVectorizer::Scratch>> reused;  // by stemmer
  static PerThread<std::vector<TextVectorizer::Entry>> entries;
  std::vector<TextVectorizer::Entry>& row = entries.here();
  column.text->weigh(cell, reused.here()[column.text->options().stem], row);
  scratch.assign(column.name).append(":");
  const std::size_t prefix = scratch.size();
  for (const auto& [feature, value] : row) {
    scratch.resize(prefix);
    scratch.append(column.text->terms().name(feature));
    out.add(out.names.place(scratch), value);
  }
}

void Columns::encode(const Column& column, const Cell& cell, NamedRows& out,
                     std::string& scratch) const {
  if (column.role == Role::text) return encode_text(column, cell.text, out, scratch);
  const bool category = column.role == Role::category;
  if (category ? cell.kind == Cell::Kind::empty : cell.missing_among_numbers()) {
    return encode_missing(column, out, scratch);
  }
  if (category) {
    scratch.assign(column.name).append("=").append(cell.text);
    out.add(out.names.place(scratch), 1);
  } else if (column.role == Role::date) {
    encode_date(column, cell, out, scratch);
  } else if (cell.kind == Cell::Kind::number) {
    out.add(out.names.place(column.name), cell.number);
  } else {
    throw BadRow{
        fmt::format("{} in column {} is not a finite number (for a categorical column, "
                    "use --categorical {}{})",
                    shown(cell.text), column.name, as_argument(column.name),
                    cell.kind == Cell::Kind::word
                        ? fmt::format("; if it means nothing, --na {}", shown(cell.text))
                        : "")};
  }
}

}  // namespace thresh
