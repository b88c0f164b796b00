// The options of texts: from what the user writes to what the library takes.

#include <fmt/format.h>

#include <cmath>

#include "common.hpp"
#include "read_flags.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

// "2" or "1:2".
void parse_range(const std::string& option, const std::string& text, TextOptions& options) {
  unsigned shortest = 0;
  unsigned longest = 0;
  char more = 0;
  const int read = std::sscanf(text.c_str(), "%2u:%2u%c", &shortest, &longest, &more);
  if (read == 1 && text.find_first_not_of("0123456789") == std::string::npos) longest = shortest;
  if (read < 1 || read > 2 || shortest == 0 || longest < shortest) {
    throw UsageError(fmt::format("{} {}: write SHORTEST:LONGEST, such as 1:2", option, text));
  }
  options.shortest = shortest;
  options.longest = longest;
}

DocumentLimit parse_limit(const std::string& option, const std::string& text) {
  DocumentLimit limit;
  limit.is_share = text.ends_with('%');
  limit.value = limit.is_share ? parse_percent(option, text) : parse_real(option, text);
  const bool whole = limit.is_share || limit.value == std::floor(limit.value);
  if (!(limit.value >= 0) || !whole || (limit.is_share && limit.value > 1)) {
    throw UsageError(fmt::format("{} {}: write a number of documents or a share, such as 2 or 50%",
                                 option, text));
  }
  return limit;
}

}  // namespace

void add_text_options(CLI::App& command, TextFlags& flags) {
  const auto keep = [&](CLI::Option* option) {
    flags.all.push_back(option->group("Text"));
    return option;
  };
  const auto add = [&](const char* name, auto& value, const char* help) {
    return keep(command.add_option(name, value, help));
  };
  CLI::Option* ngrams =
      add("--ngrams", flags.ngrams, "Word n-grams of these lengths, e.g. 1:2 [1:1]");
  add("--chars", flags.chars, "Character n-grams of these lengths, instead of words, e.g. 3:6")
      ->excludes(ngrams);
  keep(command.add_flag("--keep-case", flags.keep_case, "Do not convert letters to lower case"));
  add("--min-length", flags.options.min_length, "Skip words with fewer characters")
      ->check(whole_number())
      ->capture_default_str();
  add("--stop-words", flags.stop_words, "Skip these words: english, or the words of a file")
      ->type_name(kFile);
  add("--stem", flags.options.stem,
      "Reduce words to their stems: english, porter, german or another Snowball algorithm");
  add("--min-df", flags.min_df, "Drop terms that occur in fewer documents, e.g. 2 or 0.1%")
      ->capture_default_str();
  add("--max-df", flags.max_df, "Drop terms that occur in more documents, e.g. 1000 or 50%")
      ->capture_default_str();
  keep(add_choice(command, "--tf", flags.tf, {"count", "log", "binary"},
                  "Value of a term that occurs n times: count (n), log (1 + ln n) or binary (1)"));
  keep(
      command.add_flag("--idf,!--no-idf", flags.idf,
                       "Multiply by ln((1 + documents) / (1 + documents with the term)) + 1 [on]"));
  keep(add_choice(command, "--norm", flags.norm, {"l2", "none"},
                  "Scale every text's row to unit length: l2 or none"));
}

void check_text_flags(const TextFlags& flags, Format format, bool text_columns) {
  if (format == Format::text || text_columns) return;
  for (const CLI::Option* option : flags.all) {
    if (option->count() > 0)
      throw UsageError(option->get_name() +
                       " applies only to --format text and to tables with --text");
  }
}

TextOptions finish(const TextFlags& flags) {
  TextOptions options = flags.options;
  if (!flags.ngrams.empty()) parse_range("--ngrams", flags.ngrams, options);
  if (!flags.chars.empty()) {
    options.unit = TextOptions::Unit::characters;
    parse_range("--chars", flags.chars, options);
  }
  options.lower_case = !flags.keep_case;
  if (flags.stop_words == "english") {
    options.stop_words = english_stop_words();
  } else if (!flags.stop_words.empty()) {
    options.stop_words = read_stop_words(flags.stop_words, options);
  }
  options.min_df = parse_limit("--min-df", flags.min_df);
  options.max_df = parse_limit("--max-df", flags.max_df);
  if (flags.tf == "log") options.tf = TextOptions::Tf::log;
  if (flags.tf == "binary") options.tf = TextOptions::Tf::binary;
  options.idf = flags.idf;
  options.l2 = flags.norm == "l2";
  check_text_options(options);
  return options;
}

}  // namespace thresh::cli
