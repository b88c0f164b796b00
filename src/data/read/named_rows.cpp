#include "data/read/named_rows.hpp"

#include <cstring>

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

void NamedRows::drop_row() {
  places.resize(starts.back());
  values.resize(starts.back());
  if (weights.size() > rows()) weights.resize(rows());
  if (group_places.size() > rows()) group_places.resize(rows());
  if (times.size() > rows()) times.resize(rows());
  if (row_names.size() > rows()) row_names.resize(rows());
}

void NamedRows::end_row(std::string_view label, std::uint64_t id, std::uint64_t line) {
  label_places.push_back(labels.place(label));
  if (!weights.empty()) weights.resize(rows(), 1.0);
  starts.push_back(places.size());
  ids.push_back(id);
  lines.push_back(line);
}

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
      out.add_row({file_, line, id, options_.skip_bad_rows},
                  [&] { return parse_row(p, trimmed, out, scratch); });
      ++id;
    }
    p = end + 1;
  }
  return out;
}

}  // namespace thresh
