#include "capi/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::capi {
namespace {

using Kind = OptionInfo::Kind;

[[noreturn]] void refuse(const std::string& name, const std::string& text, const std::string& use) {
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

// An option with the function that sets it.
struct Setter {
  OptionInfo info;
  void (*set)(const std::string& name, const std::string& text, Parsed& parsed);
};

using S = const std::string&;

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
        "Divide each feature by its largest absolute value or root mean square",
        {"auto", "none", "max", "rms"}},
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
      {{Kind::text, "label", "", "Label column of a table, by name or number"},
       [](S, S t, Parsed& p) { p.read.table.label = t; }},
      {{Kind::list, "categorical", "", "Columns of a table whose numbers are categories"},
       [](S, S t, Parsed& p) { p.read.table.categorical = list_of(t); }},
      {{Kind::flag, "header", "true", "The first line of a table names its columns"},
       [](S n, S t, Parsed& p) { p.read.table.header = flag_of(n, t); }},
      {{Kind::text, "delimiter", "", "Cell separator of a table"},
       [](S n, S t, Parsed& p) { p.read.table.delimiter = delimiter_of(n, t); }},
      {{Kind::count, "hash-bits", "", "Hash feature names into 2^B features"},
       [](S n, S t, Parsed& p) {
         const std::uint64_t bits = count_of(n, t);
         if (bits < 1 || bits > 30) refuse(n, t, "must be 1 to 30");
         p.read.hash_bits = static_cast<unsigned>(bits);
       }},
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

std::vector<Setter> choice_setters() {
  return {
      {{Kind::text, "max-error", "",
        "Choose the smallest model with at most this validation error"},
       [](S n, S t, Parsed& p) {
         p.options.max_error =
             p.options.task == Task::regression ? number_of(n, t) : share_of(n, t);
       }},
      {{Kind::word,
        "by",
        "both",
        "Choose the size by error, loss or both",
        {"both", "error", "loss"}},
       [](S, S t, Parsed& p) {
         p.options.as_good = t == "error"  ? AsGood::error
                             : t == "loss" ? AsGood::loss
                                           : AsGood::both;
       }},
      {{Kind::flag, "certify", "false", "Store a certificate in the model"},
       [](S n, S t, Parsed& p) { p.certify = flag_of(n, t); }},
      {{Kind::number, "delta", "0.05", "The probability that the certificate's bound may fail"},
       [](S n, S t, Parsed& p) { p.delta = number_of(n, t); }},
  };
}

const std::vector<Setter>& setters() {
  static const std::vector<Setter> all = [] {
    std::vector<Setter> made = choice_setters();
    for (Setter& setter : made) setter.info.group = "Learning";
    for (Setter& setter : data_setters()) {
      setter.info.group = "Data";
      made.push_back(std::move(setter));
    }
    for (Setter& setter : text_setters()) {
      setter.info.group = "Text";
      made.push_back(std::move(setter));
    }
    return made;
  }();
  return all;
}

const Setter* setter_of(const std::string& name) {
  const auto found = std::find_if(setters().begin(), setters().end(),
                                  [&](const Setter& setter) { return setter.info.name == name; });
  return found == setters().end() ? nullptr : &*found;
}

void check_word(const OptionInfo& info, const std::string& text) {
  const auto& words = info.words;
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) return;
  refuse(info.name, text, fmt::format("use {}", fmt::join(words, ", ")));
}

// The program says bytes as 128MB, the library in digits.
std::string bytes_of(const std::string& name, const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == std::string::npos || end == 0) return text;
  std::string unit = text.substr(end);
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string_view units = "KMGT";
  const std::size_t power = units.find(unit[0]);
  if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "B")) {
    refuse(name, text, "write bytes such as 128MB");
  }
  return fmt::format("{}", count_of(name, text.substr(0, end)) << (10 * (power + 1)));
}

bool is_bytes(const std::string& name) {
  const auto& all = shared_options();
  return std::any_of(all.begin(), all.end(), [&](const OptionInfo& option) {
    return option.kind == Kind::bytes && option.is_called(name);
  });
}

void finish(Parsed& parsed, thresh_call* call) {
  const SolverInfo& info = solver_named(parsed.options.solver);
  if (!parsed.has("passes")) parsed.options.passes = info.passes;
  if (parsed.has("passes") && parsed.options.passes == 0) {
    throw UsageError("--passes must be at least 1");
  }
  if ((parsed.has("lambda") || parsed.has("l1")) && parsed.has("lambda-ratio")) {
    throw UsageError("--lambda and --lambda-ratio exclude each other");
  }
  if (parsed.has("ngrams") && parsed.has("chars")) {
    throw UsageError("--ngrams and --chars exclude each other");
  }
  if (!(parsed.delta > 0 && parsed.delta < 1)) {
    throw UsageError("--delta must be between 0 and 1");
  }
  if (parsed.has("delta") && !parsed.certify) parsed.options.delta = parsed.delta;
  check_text_options(parsed.read.text);
  if (call == nullptr) return;
  parsed.options.stop = &call->stop;
  parsed.read.stop = &call->stop;
  parsed.read.on_note = [call](const std::string& line) { call->tell(line); };
  parsed.read.on_read = [call](std::uint64_t) { call->show({"reading", -1, 0, 0, 0}); };
}

}  // namespace

bool Parsed::has(const std::string& name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}
std::string Parsed::text(const std::string& name, const std::string& otherwise) const {
  const auto found = others.find(name);
  return found == others.end() ? otherwise : found->second;
}
std::uint64_t Parsed::count(const std::string& name, std::uint64_t otherwise) const {
  return others.contains(name) ? count_of(name, others.at(name)) : otherwise;
}
bool Parsed::flag(const std::string& name) const {
  return others.contains(name) && flag_of(name, others.at(name));
}

Parsed parsed(const thresh_settings* settings, thresh_call* call,
              const std::vector<std::string>& others) {
  Parsed result;
  result.read.cache = ReadOptions::Cache::existing;
  const auto given = settings != nullptr ? settings->given : decltype(settings->given){};
  // What others mean depends on the solver and the task.
  for (const char* first : {"solver", "task"}) {
    for (const auto& [name, value] : given) {
      if (name == first) set_shared_option(result.options, name, value);
    }
  }
  solver_named(result.options.solver);
  for (const auto& [name, value] : given) {
    result.names.push_back(name);
    if (std::find(others.begin(), others.end(), name) != others.end()) {
      result.others[name] = value;
    } else if (const Setter* const setter = setter_of(name)) {
      check_word(setter->info, value);
      setter->set(name, value, result);
    } else if (name != "solver" && name != "task") {
      set_option(result.options, name, is_bytes(name) ? bytes_of(name, value) : value);
    }
  }
  finish(result, call);
  return result;
}

const std::vector<OptionInfo>& reading_options() {
  static const std::vector<OptionInfo> infos = [] {
    std::vector<OptionInfo> all;
    for (const Setter& setter : setters()) all.push_back(setter.info);
    return all;
  }();
  return infos;
}

}  // namespace thresh::capi
