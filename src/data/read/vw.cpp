// Vowpal Wabbit's text: `[LABEL [IMPORTANCE [BASE]]] ['TAG]|NAMESPACE[:SCALE] NAME[:VALUE] ...
// |...`
//
// A feature is identified by namespace and name: NAMESPACE^NAME, or NAME in the unnamed namespace.
// As in Vowpal Wabbit, the last word before the first bar is a tag if it touches the bar, and a
// feature named twice in a row counts twice.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

#include "data/read/bad_row.hpp"
#include "data/read/named_rows.hpp"
#include "data/read/number.hpp"
#include "data/read/utf8.hpp"

namespace thresh {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Whether a name or a number ends at p.
bool ends_word(const char* p, const char* end) {
  return p == end || is_blank(*p) || *p == '|';
}

const char* word_end(const char* p, const char* end) {
  while (!ends_word(p, end)) ++p;
  return p;
}

double number_at(const char*& p, const char* end, const char* what) {
  const char* const begin = p;
  double value = 0;
  if (!parse_number_padded(p, end, value) || !ends_word(p, end)) {
    const char* const stop = word_end(begin, end);
    throw BadRow{fmt::format("{} {} is not a finite number", what,
                             shown({begin, static_cast<std::size_t>(stop - begin)}))};
  }
  return value;
}

class VwParser : public NamedParser {
 public:
  using NamedParser::NamedParser;
  LineRule line_rule() const override { return {LineRule::Kind::plain}; }

 protected:
  std::string_view parse_row(const char* begin, const char* end, NamedRows& out,
                             std::string& scratch) const override {
    const auto length = static_cast<std::size_t>(end - begin);
    const auto* bar = static_cast<const char*>(std::memchr(begin, '|', length));
    if (bar == nullptr) throw BadRow{"no | before the features (is this VW text? see --format)"};
    const std::string_view label = parse_head(begin, bar, out);
    for (const char* p = bar; p < end;) p = parse_namespace(p + 1, end, out, scratch);
    return label;
  }

 private:
  // Parses what comes before the first bar.
  std::string_view parse_head(const char* p, const char* bar, NamedRows& out) const {
    std::array<std::string_view, 3> words;  // label, importance, base
    std::size_t count = 0;
    std::string_view tag;
    for (p = skip_space(p, bar); p < bar; p = skip_space(p, bar)) {
      const char* const stop = word_end(p, bar);
      if (*p == '\'' || stop == bar) {
        tag = {p, static_cast<std::size_t>(stop - p)};
        break;
      }
      if (count == words.size())
        throw BadRow{"too many words before the |: only label, importance and base are allowed"};
      words[count++] = {p, static_cast<std::size_t>(stop - p)};
      p = stop;
    }
    if (count == 0 && !options().labels_optional) {
      throw BadRow{"no label (a blank must separate it from the |)"};
    }
    const auto number = [](std::string_view word, const char* what) {
      const char* at = word.data();
      return word.empty() ? 0.0 : number_at(at, at + word.size(), what);
    };
    number(words[0], "label");
    const double importance = count > 1 ? number(words[1], "importance") : 1;
    if (importance < 0) throw BadRow{"importance is below 0"};
    if (number(words[2], "base") != 0) throw BadRow{"a base other than 0 is not supported"};
    out.set_weight(importance);
    if (tag.starts_with('\'')) tag.remove_prefix(1);
    if (options().labels_optional) out.row_names.emplace_back(tag);
    return words[0];
  }

  // Parses from after a bar to the next one.
  static const char* parse_namespace(const char* p, const char* end, NamedRows& out,
                                     std::string& name) {
    const char* const begin = p;
    while (!ends_word(p, end) && *p != ':') ++p;
    name.assign(begin, p);
    if (!name.empty()) name += '^';
    const std::size_t prefix = name.size();
    double scale = 1;
    if (p < end && *p == ':') scale = number_at(++p, end, "scale of a namespace");
    for (p = skip_space(p, end); p < end && *p != '|'; p = skip_space(p, end)) {
      const char* const word = p;
      while (!ends_word(p, end) && *p != ':') ++p;
      if (p == word) throw BadRow{"a feature has no name"};
      const std::string_view own(word, static_cast<std::size_t>(p - word));
      double value = 1;
      if (p < end && *p == ':') value = number_at(++p, end, "value");
      value *= scale;
      if (!std::isfinite(value)) throw BadRow{"a value times its namespace's scale overflows"};
      if (prefix == 0) {
        out.add(out.names.place(own), value);
      } else {
        name.resize(prefix);
        name += own;
        out.add(out.names.place(name), value);
      }
    }
    return p;
  }
};

}  // namespace

std::unique_ptr<NamedParser> make_vw_parser(const std::string& file, const ReadOptions& options) {
  return std::make_unique<VwParser>(file, options);
}

}  // namespace thresh
