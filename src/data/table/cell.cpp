#include "data/table/cell.hpp"

#include <algorithm>
#include <array>

#include "data/read/number.hpp"
#include "data/table/cells.hpp"

namespace thresh {
namespace {

constexpr std::array kUsualNa = {"NA",   "N/A",  "NaN",  "nan", "null", "NULL",
                                 "Null", "None", "none", "?",   "-"};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool equals(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

// Infinity, hexadecimal, or a decimal number out of range.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return false;
  if (equals(text, "inf") || equals(text, "infinity")) return true;
  if (text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x') {
    return text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  }
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos || e == 0 || e + 1 == text.size()) return false;
  std::string_view exponent = text.substr(e + 1);
  if (exponent[0] == '-' || exponent[0] == '+') exponent.remove_prefix(1);
  const auto digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
  };
  const std::string_view mantissa = text.substr(0, e);
  return digits(exponent) && mantissa.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(mantissa.begin(), mantissa.end(), '.') <= 1 &&
         std::any_of(mantissa.begin(), mantissa.end(), is_digit);
}

// Takes up to `most` digits from the front; -1 if there are fewer than `least`.
int take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t n = 0;
  int value = 0;
  while (n < most && n < text.size() && is_digit(text[n])) value = 10 * value + (text[n++] - '0');
  text.remove_prefix(n);
  return n >= least ? value : -1;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

unsigned days_in(int year, unsigned month) {
  constexpr std::array<unsigned, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

}  // namespace

CellReader::CellReader(std::vector<std::string> na) : na_(std::move(na)) {
  for (const std::string& word : na_) {
    const std::string padded = word + std::string(kTextPadding, '\n');
    double value = 0;
    if (is_number({padded.data(), word.size()}, value)) na_numbers_.push_back(value);
  }
}

Cell CellReader::read(std::string_view text) const {
  if (text.empty()) return {};
  if (!na_.empty()) {
    if (std::find(na_.begin(), na_.end(), text) != na_.end()) return {Cell::Kind::empty, 0, text};
  } else if (std::find(kUsualNa.begin(), kUsualNa.end(), text) != kUsualNa.end()) {
    return {Cell::Kind::na, 0, text};
  }
  double value = 0;
  if (is_number(text, value)) return {Cell::Kind::number, value, text};
  return {looks_like_number(text) ? Cell::Kind::no_number : Cell::Kind::word, 0, text};
}

bool is_other_notation(std::string_view word) {
  const std::size_t whole = word.size();
  constexpr std::string_view kSigns[] = {"$", "\xe2\x82\xac", "\xc2\xa3", "%", "+", "-", " "};
  bool shorter = true;
  while (shorter) {
    shorter = false;
    for (const std::string_view sign : kSigns) {
      if (word.starts_with(sign)) {
        word.remove_prefix(sign.size());
        shorter = true;
      }
      if (word.ends_with(sign)) {
        word.remove_suffix(sign.size());
        shorter = true;
      }
    }
  }
  // Not 10.0.0.1.
  if (word.size() == whole && word.find(',') == std::string_view::npos) return false;
  return !word.empty() && is_digit(word.front()) && is_digit(word.back()) &&
         word.find_first_not_of("0123456789.,' ") == std::string_view::npos;
}

// Counts days from March, so that a leap day is the last of its year. Hinnant's formula: 400 years
// have 146,097 days.
std::int64_t Date::days() const {
  const std::int64_t y = year - (month <= 2 ? 1 : 0);
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t of_era = y - era * 400;
  const std::int64_t of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

unsigned Date::weekday() const {
  const std::int64_t since_monday = (days() + 3) % 7;  // 1970-01-01 was a Thursday
  return static_cast<unsigned>(since_monday < 0 ? since_monday + 7 : since_monday);
}

std::optional<Date> parse_date(std::string_view text) {
  std::string_view rest = text;
  int year = 0, month = 0, day = 0;
  if (const std::size_t dot = text.find('.'); dot == 1 || dot == 2) {
    day = take_digits(rest, 1, 2);
    if (!take(rest, '.')) return std::nullopt;
    month = take_digits(rest, 1, 2);
    if (!take(rest, '.')) return std::nullopt;
    year = take_digits(rest, 4, 4);
  } else {
    year = take_digits(rest, 4, 4);
    const char between = rest.starts_with('/') ? '/' : '-';
    const bool parts = take(rest, between);
    month = take_digits(rest, parts ? 1 : 2, 2);
    if (parts && !take(rest, between)) return std::nullopt;
    day = take_digits(rest, parts ? 1 : 2, 2);
  }
  if (!rest.empty() && rest[0] != ' ' && rest[0] != 'T' && rest[0] != 't') return std::nullopt;
  if (year < 1 || month < 1 || month > 12 || day < 1) return std::nullopt;
  const Date date{year, static_cast<unsigned>(month), static_cast<unsigned>(day)};
  if (date.day > days_in(year, date.month)) return std::nullopt;
  return date;
}

// Only eight digits are a date: 20240331.
std::optional<Date> parse_date(double number) {
  if (!(number >= 10'000'000 && number < 100'000'000)) return std::nullopt;
  const auto whole = static_cast<std::uint32_t>(number);
  if (whole != number) return std::nullopt;
  const Date date{static_cast<int>(whole / 10'000), whole / 100 % 100, whole % 100};
  const bool valid = date.month >= 1 && date.month <= 12 && date.day >= 1 &&
                     date.day <= days_in(date.year, date.month);
  return valid ? std::optional<Date>(date) : std::nullopt;
}

}  // namespace thresh
