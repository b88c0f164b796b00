// The part of the exported C that turns raw text into a row: the same terms and values as
// TextVectorizer, with the character classes of this library.
#include "model/export_c_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "math/elementary.hpp"
#include "model/export_data.hpp"
#include "text/vectorizer.hpp"

namespace thresh {
namespace {

// An array of numbers; C has no empty ones.
std::string c_array(const std::string& type, const std::string& name,
                    const std::vector<std::string>& numbers) {
  std::string text = fmt::format("static const {} @_{}[] = {{", type, name);
  std::size_t column = 100;
  for (const std::string& number : numbers) {
    if (column + number.size() > 98) {
      text += "\n  ";
      column = 2;
    }
    text += number + ",";
    column += number.size() + 1;
  }
  return text + (numbers.empty() ? "0};\n" : "\n};\n");
}

std::vector<std::string> texts_of(const nlohmann::ordered_json& numbers) {
  std::vector<std::string> texts;
  for (const auto& number : numbers) texts.push_back(number.dump());
  return texts;
}

// Names one after the other, as bytes, and where each begins.
std::string names_array(const std::string& name, const std::vector<std::string_view>& names) {
  std::vector<std::string> bytes, starts = {"0"};
  for (const std::string_view one : names) {
    for (const char c : one) bytes.push_back(std::to_string(static_cast<unsigned char>(c)));
    starts.push_back(std::to_string(bytes.size()));
  }
  return c_array("unsigned char", name, bytes) + c_array("uint32_t", name + "_starts", starts);
}

std::string vocabulary(const TextVectorizer& text,
                       const std::function<std::uint64_t(std::size_t)>& feature) {
  const TermList& terms = text.terms();
  std::vector<std::string_view> names;
  std::vector<std::string> features, places;
  std::map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 0; i < terms.size(); ++i) counts.emplace(terms.counts[i], 0);
  std::vector<std::string> rarities;
  for (auto& [count, place] : counts) {
    place = rarities.size();
    const double rarity =
        (1 + static_cast<double>(text.documents())) / (1 + static_cast<double>(count));
    rarities.push_back(
        fmt::format("{:.17g}", text.options().idf ? portable::log(rarity) + 1 : 1.0));
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    names.push_back(terms.name(i));
    features.push_back(std::to_string(feature(i)));
    places.push_back(std::to_string(counts[terms.counts[i]]));
  }
  return "\n/* The terms in the order of their bytes, their features and rarities. */\n" +
         names_array("terms", names) + c_array("uint64_t", "features", features) +
         c_array("uint32_t", "rarity_of", places) + c_array("double", "rarities", rarities) +
         fmt::format("enum {{ @_term_count = {} }};\n", terms.size());
}

std::string stop_words(const TextVectorizer& text) {
  const std::vector<std::string>& words = text.options().stop_words;
  return names_array("stop_words", {words.begin(), words.end()}) +
         fmt::format("enum {{ @_stop_word_count = {} }};\n", words.size());
}

constexpr std::string_view kCharacterCode = R"(
/* Whether c is in one of n / 2 ranges. */
static int @_in(const int32_t *ranges, size_t n, int32_t c) {
  size_t low = 0, high = n / 2;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (ranges[2 * middle + 1] < c) low = middle + 1;
    else high = middle;
  }
  return low < n / 2 && ranges[2 * low] <= c;
}

static int32_t @_fold(int32_t c) {
  size_t i;
  if (c < 0x80) return LOWER && c >= 'A' && c <= 'Z' ? c + 32 : c;
  for (i = 0; i + 3 < sizeof @_lower / sizeof *@_lower; i += 4) {
    if (c >= @_lower[i] && c <= @_lower[i + 1] && (c - @_lower[i]) % @_lower[i + 2] == 0) {
      return c + @_lower[i + 3];
    }
  }
  return c;
}

/* The character at *p, and *p after it. Bytes that are not UTF-8 are Latin-1. */
static int32_t @_next(const unsigned char **p, const unsigned char *end) {
  const unsigned char *const s = *p;
  const int32_t byte = *s;
  const int more = byte >= 0xF0 && byte < 0xF5 ? 3 : byte >= 0xE0 && byte < 0xF0 ? 2
                 : byte >= 0xC2 && byte < 0xE0 ? 1 : 0;
  int32_t c = more == 3 ? byte & 7 : more == 2 ? byte & 15 : byte & 31;
  int i;
  *p = s + 1;
  if (more == 0 || end - s <= more) return byte;
  for (i = 1; i <= more; ++i) {
    if ((s[i] & 0xC0) != 0x80) return byte;
    c = c << 6 | (s[i] & 63);
  }
  if ((more == 2 && (c < 0x800 || (c >= 0xD800 && c < 0xE000))) ||
      (more == 3 && (c < 0x10000 || c > 0x10FFFF))) {
    return byte;
  }
  *p = s + 1 + more;
  return c;
}

static unsigned char *@_put(int32_t c, unsigned char *out) {
  if (c < 0x80) {
    *out++ = (unsigned char)c;
  } else if (c < 0x800) {
    *out++ = (unsigned char)(0xC0 | c >> 6);
    *out++ = (unsigned char)(0x80 | (c & 63));
  } else if (c < 0x10000) {
    *out++ = (unsigned char)(0xE0 | c >> 12);
    *out++ = (unsigned char)(0x80 | (c >> 6 & 63));
    *out++ = (unsigned char)(0x80 | (c & 63));
  } else {
    *out++ = (unsigned char)(0xF0 | c >> 18);
    *out++ = (unsigned char)(0x80 | (c >> 12 & 63));
    *out++ = (unsigned char)(0x80 | (c >> 6 & 63));
    *out++ = (unsigned char)(0x80 | (c & 63));
  }
  return out;
}

/* The place of a name among n sorted ones, or n. */
static size_t @_find(const unsigned char *names, const uint32_t *starts, size_t n,
                     const unsigned char *name, size_t length) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = (low + high) / 2, size = starts[middle + 1] - starts[middle];
    const int order = memcmp(names + starts[middle], name, size < length ? size : length);
    if (order == 0 && size == length) return middle;
    if (order < 0 || (order == 0 && size < length)) low = middle + 1;
    else high = middle;
  }
  return n;
}
)";

constexpr std::string_view kCutWords = R"(
/* Cuts a text into words of `out`, a blank between them; how many. */
static size_t @_units(const unsigned char *p, const unsigned char *end, unsigned char *out,
                      size_t *begins, size_t *ends) {
  const unsigned char *const start = out;
  unsigned char *word = out;
  size_t length = 0, units = 0;
  for (;;) {
    const int at_end = p == end;
    const int32_t c = at_end ? ' ' : @_next(&p, end);
    if (!at_end && @_in(@_word, sizeof @_word / sizeof *@_word, c)) {
      out = @_put(@_fold(c), out);
      ++length;
      continue;
    }
    if (length > 0 && length + 1 > MIN_LENGTH &&
        @_find(@_stop_words, @_stop_words_starts, @_stop_word_count, word,
               (size_t)(out - word)) == @_stop_word_count) {
      begins[units] = (size_t)(word - start);
      ends[units++] = (size_t)(out - start);
      *out++ = ' ';
      word = out;
    }
    out = word;
    length = 0;
    if (at_end) return units;
  }
}
)";

constexpr std::string_view kCutLetters = R"(
/* The characters of a text, with one blank for each run of them; how many. */
static size_t @_units(const unsigned char *p, const unsigned char *end, unsigned char *out,
                      size_t *begins, size_t *ends) {
  const unsigned char *const start = out;
  size_t units = 0;
  int after_blank = 1;
  while (p < end) {
    const int32_t c = @_next(&p, end);
    const int blank = @_in(@_blanks, sizeof @_blanks / sizeof *@_blanks, c);
    if (blank && after_blank) continue;
    after_blank = blank;
    begins[units] = (size_t)(out - start);
    out = @_put(blank ? ' ' : @_fold(c), out);
    ends[units++] = (size_t)(out - start);
  }
  return units - (units > 0 && after_blank);
}
)";

constexpr std::string_view kTextRow = R"(
static int @_ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* The features of a text, UTF-8 or Latin-1, at most @_term_count of them, to `indices` and `values`:
 * how many. -1 if there is no memory. */
static long @_row(const char *text, size_t length, uint64_t *indices, double *values) {
  const unsigned char *const bytes = (const unsigned char *)text;
  unsigned char *const out = malloc(2 * length + 4);
  size_t *const begins = malloc((length + 1) * sizeof *begins);
  size_t *const ends = malloc((length + 1) * sizeof *ends);
  uint32_t *const hits = malloc((length * (LONGEST - SHORTEST + 1) + 1) * sizeof *hits);
  const int failed = !out || !begins || !ends || !hits;
  size_t n = 0;
  if (!failed) {
    const size_t units = @_units(bytes, bytes + length, out, begins, ends);
    size_t i, end, count = 0;
    double squares = 0;
    for (i = 0; i < units; ++i) {
      for (end = i + SHORTEST; end <= i + LONGEST && end <= units; ++end) {
        const size_t at = @_find(@_terms, @_terms_starts, @_term_count, out + begins[i],
                                 ends[end - 1] - begins[i]);
        if (at < @_term_count) hits[count++] = (uint32_t)at;
      }
    }
    qsort(hits, count, sizeof *hits, @_ascending);
    for (i = 0; i < count; i = end) {
      double value;
      for (end = i; end < count && hits[end] == hits[i];) ++end;
      value = TF * @_rarities[@_rarity_of[hits[i]]];
      indices[n] = @_features[hits[i]];
      values[n++] = value;
      squares += value * value;
    }
    UNIT_LENGTH
  }
  free(out), free(begins), free(ends), free(hits);
  return failed ? -1 : (long)n;
}
)";

constexpr std::string_view kTextMargins = R"(
/* One margin a class for raw text, UTF-8 or Latin-1. Returns 0, or -1 if there is no memory. */
int @_text_margins(const char *text, size_t length, double *margins) {
  uint64_t *const indices = malloc((@_term_count + 1) * sizeof *indices);
  double *const values = malloc((@_term_count + 1) * sizeof *values);
  const long n = indices && values ? @_row(text, length, indices, values) : -1;
  if (n >= 0) @_margins(indices, values, (size_t)n, margins);
  free(indices), free(values);
  return n >= 0 ? 0 : -1;
}
)";

}  // namespace

// The C of @_row().
std::string c_row_of_text(const TextVectorizer& text, const nlohmann::ordered_json& data,
                          const std::function<std::uint64_t(std::size_t)>& feature) {
  const TextOptions& how = text.options();
  const bool words = how.unit == TextOptions::Unit::words;
  std::string c = words ? c_array("int32_t", "word", texts_of(data.at("word_characters")))
                        : c_array("int32_t", "blanks", texts_of(data.at("blanks")));
  c += c_array("int32_t", "lower", texts_of(data.at("lower")));
  c = "\n/* Ranges of characters; runs that have lower case, a step apart, and what to add. */\n" +
      c;
  if (words) c += stop_words(text);
  c += vocabulary(text, feature);
  c += replaced(kCharacterCode, "LOWER", how.lower_case ? "1" : "0");
  c += replaced(words ? kCutWords : kCutLetters, "MIN_LENGTH", std::to_string(how.min_length));
  std::string row = replaced(kTextRow, "LONGEST", std::to_string(how.longest));
  row = replaced(row, "SHORTEST", std::to_string(how.shortest));
  row = replaced(row, "TF",
                 how.tf == TextOptions::Tf::count ? "(double)(end - i)"
                 : how.tf == TextOptions::Tf::log ? "(log((double)(end - i)) + 1)"
                                                  : "1.0");
  return c + replaced(
                 row, "UNIT_LENGTH",
                 how.l2 ? "for (i = 0; i < n; ++i) values[i] /= sqrt(squares);" : "(void)squares;");
}

std::string c_of_text(const Model& model) {
  const TextVectorizer& text = *model.text;
  return c_row_of_text(
             text, scoring_data(model, "C").at("text"),
             [&](std::size_t term) { return text.terms().features[term] + std::uint64_t{1}; }) +
         std::string(kTextMargins);
}

}  // namespace thresh
