#include "data/read/named_rows.hpp"

#include <fmt/format.h>

#include <cstring>

#include "data/read/bad_row.hpp"
#include "thresh/error.hpp"

namespace thresh {

void NamedRows::set_weight(double weight) {
  if (weights.empty() && weight == 1) return;
  weights.resize(rows(), 1.0);
  weights.push_back(weight);
}

const char* find_record_end(const char* p, const char* text_end, LineRule rule,
                            std::uint64_t& lines) {
  Quotes quotes(rule.delimiter);
  const char* from = p;
  for (lines = 1;; ++lines) {
    const auto* end = static_cast<const char*>(
        std::memchr(from, '\n', static_cast<std::size_t>(text_end - from)));
    if (rule.kind != LineRule::Kind::quoted) return end;
    quotes.scan(from, end);
    if (!quotes.open() || end + 1 == text_end) return end;
    from = end + 1;
  }
}

namespace {

// Removes what a bad row has added.
void drop_row(NamedRows& out) {
  out.places.resize(out.starts.back());
  out.values.resize(out.starts.back());
  if (out.weights.size() > out.rows()) out.weights.resize(out.rows());
  if (out.group_places.size() > out.rows()) out.group_places.resize(out.rows());
  if (out.times.size() > out.rows()) out.times.resize(out.rows());
  if (out.row_names.size() > out.rows()) out.row_names.resize(out.rows());
}

}  // namespace

NamedRows NamedParser::parse(const TextBlock& block) const {
  NamedRows out;
  out.source_bytes = block.text.size();
  const LineRule rule = line_rule();
  std::string scratch;
  std::uint64_t line = block.first_line;
  std::uint64_t id = block.first_row;
  const char* p = block.text.data();
  const char* const text_end = p + block.text.size();
  for (std::uint64_t lines = 1; p < text_end; line += lines) {
    const char* const end = find_record_end(p, text_end, rule, lines);
    const char* const trimmed = end > p && end[-1] == '\r' ? end - 1 : end;
    if (!is_blank(p, trimmed, rule)) {
      try {
        const std::string_view label = parse_row(p, trimmed, out, scratch);
        out.label_places.push_back(out.labels.place(label));
        if (!out.weights.empty()) out.weights.resize(out.rows(), 1.0);
        out.starts.push_back(out.places.size());
        out.ids.push_back(id);
        out.lines.push_back(line);
      } catch (const BadRow& bad) {
        if (!options_.skip_bad_rows) throw Error(fmt::format("{}:{}: {}", file_, line, bad.reason));
        drop_row(out);
        ++out.bad_rows;
      }
      ++id;
    }
    p = end + 1;
  }
  return out;
}

}  // namespace thresh
