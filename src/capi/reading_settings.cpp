#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "capi/setters.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::capi {
namespace {

using Kind = OptionInfo::Kind;
using S = const std::string&;

char delimiter_of(const std::string& name, const std::string& text) {
  const std::string one = text == "\\t" || text == "tab" ? "\t" : text;
  constexpr std::string_view kPossible = ",;|\t :!#$%&*/=?@^_~";
  if (one.size() != 1 || kPossible.find(one[0]) == std::string_view::npos) {
    refuse(name, text, "give one character, such as ; or tab");
  }
  return one[0];
}

// "2" or "1:2".
void set_lengths(const std::string& name, const std::string& text, TextOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string last = colon == std::string::npos ? text : text.substr(colon + 1);
  const std::uint64_t shortest = count_of(name, text.substr(0, colon));
  const std::uint64_t longest = count_of(name, last);
  if (shortest == 0 || longest < shortest || longest > 99) {
    refuse(name, text, "write SHORTEST:LONGEST, such as 1:2");
  }
  options.shortest = static_cast<std::uint32_t>(shortest);
  options.longest = static_cast<std::uint32_t>(longest);
}

DocumentLimit limit_of(const std::string& name, const std::string& text) {
  DocumentLimit limit{text.ends_with('%'), 0};
  limit.value = limit.is_share ? share_of(name, text) : number_of(name, text);
  const bool whole = limit.is_share || limit.value == std::floor(limit.value);
  if (!(limit.value >= 0) || !whole || (limit.is_share && limit.value > 1)) {
    refuse(name, text, "write a number of documents or a share, such as 2 or 50%");
  }
  return limit;
}

std::vector<Setter> data_setters() {
  return {
      {{Kind::word,
        "format",
        "auto",
        "Data format; auto: by the file name",
        {"auto", "libsvm", "vw", "csv", "tsv", "text"}},
       [](S, S t, Parsed& p) { p.read.format = format_named(t).value_or(Format::automatic); }},
      {{Kind::count, "dim", "", "Largest allowed feature index"},
       [](S n, S t, Parsed& p) { p.options.dim = p.read.dim = count_of(n, t); }},
      {{Kind::word, "normalize", "none", "Scale every row to unit length", {"none", "l2"}},
       [](S, S t, Parsed& p) { p.read.normalize_l2 = t == "l2"; }},
      {{Kind::word,
        "scale",
        "auto",
        "Divide each feature by its largest absolute value, root mean square or standard deviation",
        {"auto", "none", "max", "rms", "standard"}},
       [](S, S t, Parsed& p) { p.read.scale = *scale_named(t); }},
      {{Kind::flag, "zero-based", "false", "Feature indices of the file start at 0"},
       [](S n, S t, Parsed& p) { p.read.zero_based = flag_of(n, t); }},
      {{Kind::flag, "allow-unsorted", "false", "Sort feature indices of the file"},
       [](S n, S t, Parsed& p) { p.read.allow_unsorted = flag_of(n, t); }},
      {{Kind::word,
        "on-bad-row",
        "stop",
        "On a bad row of a file: stop, or skip it",
        {"stop", "skip"}},
       [](S, S t, Parsed& p) { p.read.skip_bad_rows = t == "skip"; }},
      {{Kind::word,
        "cache",
        "existing",
        "Use DATA.thresh-cache if it exists, make one, or neither",
        {"existing", "always", "none"}},
       [](S, S t, Parsed& p) {
         p.read.cache = t == "none"     ? ReadOptions::Cache::none
                        : t == "always" ? ReadOptions::Cache::always
                                        : ReadOptions::Cache::existing;
       }},
      {{Kind::count, "hash-bits", "", "Hash feature names into 2^B features"},
       [](S n, S t, Parsed& p) {
         const std::uint64_t bits = count_of(n, t);
         if (bits < 1 || bits > 30) refuse(n, t, "must be 1 to 30");
         p.read.hash_bits = static_cast<unsigned>(bits);
       }},
      {{Kind::list, "interactions", "",
        "Products of features of files and tables: A:B, A:* or *:*"},
       [](S, S t, Parsed& p) { p.read.interactions = list_of(t); }},
      {{Kind::count, "threads", "", "Most threads to use; default: one per core"},
       [](S n, S t, Parsed& p) { p.options.threads = p.read.threads = count_of(n, t); }},
  };
}

std::vector<Setter> text_setters() {
  return {
      {{Kind::text, "ngrams", "1:1", "Word n-grams of these lengths, e.g. 1:2"},
       [](S n, S t, Parsed& p) { set_lengths(n, t, p.read.text); }},
      {{Kind::text, "chars", "", "Character n-grams of these lengths, instead of words"},
       [](S n, S t, Parsed& p) {
         p.read.text.unit = TextOptions::Unit::characters;
         set_lengths(n, t, p.read.text);
       }},
      {{Kind::flag, "keep-case", "false", "Do not convert letters to lower case"},
       [](S n, S t, Parsed& p) { p.read.text.lower_case = !flag_of(n, t); }},
      {{Kind::count, "min-length", "2", "Skip words with fewer characters"},
       [](S n, S t, Parsed& p) {
         p.read.text.min_length = static_cast<std::uint32_t>(count_of(n, t));
       }},
      {{Kind::file, "stop-words", "", "Skip these words: english, or the words of a file"},
       [](S, S t, Parsed& p) {
         p.read.text.stop_words =
             t == "english" ? english_stop_words() : read_stop_words(t, p.read.text);
       }},
      {{Kind::text, "stem", "", "Reduce words to their stems by this Snowball algorithm"},
       [](S, S t, Parsed& p) { p.read.text.stem = t; }},
      {{Kind::text, "min-df", "1", "Drop terms that occur in fewer documents, e.g. 2 or 0.1%"},
       [](S n, S t, Parsed& p) { p.read.text.min_df = limit_of(n, t); }},
      {{Kind::text, "max-df", "100%", "Drop terms that occur in more documents"},
       [](S n, S t, Parsed& p) { p.read.text.max_df = limit_of(n, t); }},
      {{Kind::word,
        "tf",
        "count",
        "Value of a term that occurs n times",
        {"count", "log", "binary"}},
       [](S, S t, Parsed& p) {
         p.read.text.tf = t == "log"      ? TextOptions::Tf::log
                          : t == "binary" ? TextOptions::Tf::binary
                                          : TextOptions::Tf::count;
       }},
      {{Kind::flag, "idf", "true", "Weight terms by their inverse document frequency"},
       [](S n, S t, Parsed& p) { p.read.text.idf = flag_of(n, t); }},
      {{Kind::word, "norm", "l2", "Scale every text's row to unit length", {"l2", "none"}},
       [](S, S t, Parsed& p) { p.read.text.l2 = t == "l2"; }},
  };
}

std::vector<Setter> table_setters() {
  return {
      {{Kind::text, "label", "", "Label column of a table, by name or number"},
       [](S, S t, Parsed& p) { p.read.table.label = t; }},
      {{Kind::list, "categorical", "", "Columns of a table whose numbers are categories"},
       [](S, S t, Parsed& p) { p.read.table.categorical = list_of(t); }},
      {{Kind::list, "numeric", "", "Columns of numbers that look like ids and are none"},
       [](S, S t, Parsed& p) { p.read.table.numeric = list_of(t); }},
      {{Kind::list, "ignore", "", "Columns to leave out"},
       [](S, S t, Parsed& p) { p.read.table.ignore = list_of(t); }},
      {{Kind::list, "date", "", "Columns of dates: year, month, weekday and age"},
       [](S, S t, Parsed& p) { p.read.table.dates = list_of(t); }},
      {{Kind::list, "text", "", "Columns of text: their terms become features COLUMN:TERM"},
       [](S, S t, Parsed& p) { p.read.table.texts = list_of(t); }},
      {{Kind::text, "id", "", "Column that names the rows"},
       [](S, S t, Parsed& p) { p.read.table.id = t; }},
      {{Kind::text, "weight", "", "Column with the weights of the rows"},
       [](S, S t, Parsed& p) { p.read.table.weight = t; }},
      {{Kind::text, "group", "", "Rows with the same cell in this column are held out together"},
       [](S, S t, Parsed& p) { p.read.table.group = t; }},
      {{Kind::text, "time", "", "Column of dates or numbers: the latest rows are held out"},
       [](S, S t, Parsed& p) { p.read.table.time = t; }},
      {{Kind::word,
        "missing",
        "mean",
        "What stands for a missing number: the mean of the column, zero, or an error",
        {"mean", "zero", "refuse"}},
       [](S, S t, Parsed& p) {
         p.read.table.missing = t == "mean"   ? TableOptions::Missing::mean
                                : t == "zero" ? TableOptions::Missing::zero
                                              : TableOptions::Missing::refuse;
       }},
      {{Kind::list, "na", "", "Words for a missing cell; default: NA, null and others"},
       [](S, S t, Parsed& p) { p.read.table.na = list_of(t); }},
      {{Kind::flag, "header", "true", "The first line of a table names its columns"},
       [](S n, S t, Parsed& p) { p.read.table.header = flag_of(n, t); }},
      {{Kind::text, "delimiter", "", "Cell separator of a table"},
       [](S n, S t, Parsed& p) { p.read.table.delimiter = delimiter_of(n, t); }},
  };
}

}  // namespace

void refuse(const std::string& name, const std::string& text, const std::string& use) {
  throw UsageError(fmt::format("--{} {}: {}", name, text, use));
}

double number_of(const std::string& name, const std::string& text) {
  const auto value = parse_finite(text);
  if (!value) refuse(name, text, "not a finite number");
  return *value;
}

std::uint64_t count_of(const std::string& name, const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) refuse(name, text, "not a whole number");
  return value;
}

double share_of(const std::string& name, const std::string& text) {
  if (!text.ends_with('%')) refuse(name, text, "write a percentage, such as 5%");
  return number_of(name, text.substr(0, text.size() - 1)) / 100;
}

double seconds_of(const std::string& name, const std::string& text) {
  const std::size_t unit = text.empty() ? std::string::npos : std::string("smh").find(text.back());
  const double each = unit == 1 ? 60 : unit == 2 ? 3600 : 1;
  const std::size_t digits = text.size() - (unit == std::string::npos ? 0 : 1);
  const auto value = parse_finite(text.substr(0, digits));
  if (!value || *value < 0) refuse(name, text, "write a time such as 90s, 5m or 2h");
  return *value * each;
}

bool flag_of(const std::string& name, const std::string& text) {
  if (text != "true" && text != "false") refuse(name, text, "use true, false");
  return text == "true";
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream all(text);
  for (std::string part; std::getline(all, part, ',');) parts.push_back(part);
  return parts;
}

std::vector<Setter> reading_setters() {
  std::vector<Setter> all;
  const auto add = [&](const char* group, std::vector<Setter> setters) {
    for (Setter& setter : setters) {
      setter.info.group = group;
      all.push_back(std::move(setter));
    }
  };
  add("Data", data_setters());
  add("Table", table_setters());
  add("Text", text_setters());
  return all;
}

}  // namespace thresh::capi
