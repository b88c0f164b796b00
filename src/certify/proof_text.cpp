#include "certify/proof_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "data/read/number.hpp"
#include "thresh/record.hpp"

namespace thresh {
namespace {

class NodeReader {
 public:
  explicit NodeReader(const std::string& text)
      : text_(text), at_(text.data()), end_(text.data() + text.size()) {}

  bool has_more() const { return at_ != end_; }
  // Whether this character comes next; then it is read.
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) damaged();
  }
  std::uint64_t index() {
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(at_, end_, value);
    if (error != std::errc()) damaged();
    at_ = rest;
    return value;
  }
  double number() {
    double value = 0;
    const auto [rest, error] = fast_float::from_chars(at_, end_, value);
    if (error != std::errc() || !std::isfinite(value)) damaged();
    at_ = rest;
    return value;
  }

 private:
  [[noreturn]] void damaged() const {
    throw RecordError("tree: not a node: " + text_.substr(0, 40));
  }

  const std::string& text_;
  const char* at_;
  const char* end_;
};

}  // namespace

std::string proof_text(const ProofNode& node) {
  std::string text = node.branch ? fmt::format("{}", *node.branch) : "-";
  if (!node.has_point) return text;
  text += fmt::format(" {:.7g}", node.intercept);
  for (const auto& [index, weight] : node.weights) text += fmt::format(" {}:{:.7g}", index, weight);
  return text;
}

ProofNode parse_proof_node(const std::string& text) {
  ProofNode node;
  NodeReader reader(text);
  if (!reader.take('-')) node.branch = reader.index();
  if (!reader.has_more()) return node;
  node.has_point = true;
  reader.expect(' ');
  node.intercept = reader.number();
  while (reader.has_more()) {
    reader.expect(' ');
    const std::uint64_t index = reader.index();
    reader.expect(':');
    node.weights.emplace_back(index, reader.number());
  }
  return node;
}

}  // namespace thresh
