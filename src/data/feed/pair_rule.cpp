// Which features make pairs.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "data/feed/pairs.hpp"
#include "data/names/vocabulary.hpp"
#include "data/read/utf8.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

[[noreturn]] void refuse_form(const std::string& asked) {
  // Vowpal Wabbit's -q takes the first letters of two namespaces.
  const bool letters = asked.size() == 2;
  throw UsageError(fmt::format("--interactions {}: write A:B, A:* or *:*{}", thresh::shown(asked),
                               letters ? fmt::format(", such as {}:{}", asked[0], asked[1]) : ""));
}

std::set<std::string, std::less<>> columns_in(const Record& reading, const char* field) {
  if (!reading.has(field)) return {};
  std::set<std::string, std::less<>> names;
  if (std::holds_alternative<Record>(reading.at(field).content())) {
    for (const auto& [name, ignored] : reading.at(field).record()) names.insert(name);
  } else {
    for (const std::string& name : reading.at(field).texts()) names.insert(name);
  }
  return names;
}

// Whether a feature belongs to the side: it has this name, or comes from this column or namespace.
class Belongs {
 public:
  Belongs(const std::string& side, const Vocabulary& vocabulary) : side_(side) {
    const Record& reading = vocabulary.reading;
    const auto is = [&](const char* field) { return columns_in(reading, field).contains(side); };
    if (!reading.has("header")) {
      starts_ = {side + "^"};
      return;
    }
    if (is("numbers")) exact_ = {side + " is missing"};
    if (is("categories")) {
      starts_ = {side + "="};
      exact_ = {side + " is missing"};
    }
    if (is("texts")) starts_ = {side + ":"};
    if (is("dates")) {
      exact_ = {side + " year", side + " age", side + " is missing"};
      starts_ = {side + " month=", side + " weekday="};
    }
  }
  bool operator()(std::string_view name) const {
    if (name == side_) return true;
    for (const std::string& other : exact_) {
      if (name == other) return true;
    }
    for (const std::string& start : starts_) {
      if (name.starts_with(start)) return true;
    }
    return false;
  }

 private:
  const std::string& side_;
  std::vector<std::string> exact_, starts_;
};

}  // namespace

bool PairRule::Side::has(std::uint64_t id) const {
  return all || std::binary_search(ids.begin(), ids.end(), id);
}

PairRule::Side PairRule::numbered_side(const std::string& name, std::uint64_t first,
                                       const std::string& asked) {
  if (name == "*") return {true, {}};
  const auto number = parse_finite(name);
  const bool whole = number && *number >= static_cast<double>(first) && *number < 1e12 &&
                     *number == static_cast<double>(static_cast<std::uint64_t>(*number));
  if (!whole) {
    throw UsageError(fmt::format(
        "--interactions {}: {} is not a feature number, and the data have no names (* is all)",
        asked, thresh::shown(name)));
  }
  return {false, {static_cast<std::uint64_t>(*number) - first}};
}

// None if no feature belongs to it.
std::optional<PairRule::Side> PairRule::named_side(const std::string& name,
                                                   const Vocabulary& vocabulary) {
  if (name == "*") return Side{true, {}};
  const Belongs belongs(name, vocabulary);
  Side side;
  vocabulary.for_each([&](std::uint64_t id, std::string_view feature) {
    if (belongs(feature)) side.ids.push_back(id);
  });
  if (side.ids.empty()) return std::nullopt;
  std::sort(side.ids.begin(), side.ids.end());
  return side;
}

// Names may have colons themselves.
PairRule::Product PairRule::named_product(const std::string& asked, const Vocabulary& vocabulary,
                                          const std::string& file) {
  std::string unknown;
  for (std::size_t colon = asked.find(':'); colon != std::string::npos;
       colon = asked.find(':', colon + 1)) {
    const std::string left = asked.substr(0, colon), right = asked.substr(colon + 1);
    auto one = named_side(left, vocabulary);
    auto other = named_side(right, vocabulary);
    if (one && other) {
      const bool same = left == right;
      return {std::move(*one), std::move(*other), same, same && left != "*"};
    }
    if (unknown.empty()) unknown = one ? right : left;
  }
  if (unknown.empty()) refuse_form(asked);
  throw Error(fmt::format("{}: --interactions {}: no feature comes from {}", file, asked,
                          thresh::shown(unknown)));
}

PairRule::PairRule(const std::vector<std::string>& asked, const Vocabulary* vocabulary,
                   std::uint64_t first, const std::string& file) {
  for (const std::string& text : asked) {
    const std::string pair = text == "all" || text == "*" ? "*:*" : text;
    const std::size_t colon = pair.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == pair.size()) refuse_form(pair);
    if (vocabulary != nullptr) {
      products_.push_back(named_product(pair, *vocabulary, file));
      continue;
    }
    const std::string left = pair.substr(0, colon), right = pair.substr(colon + 1);
    products_.push_back({numbered_side(left, first, pair), numbered_side(right, first, pair),
                         left == right, left == right && left != "*"});
  }
}

void PairRule::pairs_of(const std::vector<std::uint64_t>& ids,
                        std::vector<std::pair<std::uint32_t, std::uint32_t>>& places) const {
  places.clear();
  std::vector<std::uint32_t> left, right;
  const auto found = [&](const Side& side, std::vector<std::uint32_t>& out) {
    out.clear();
    for (std::uint32_t i = 0; i < ids.size(); ++i) {
      if (side.has(ids[i])) out.push_back(i);
    }
  };
  for (const Product& product : products_) {
    found(product.left, left);
    if (product.same) {
      for (std::size_t i = 0; i < left.size(); ++i) {
        for (std::size_t j = i + (product.squares ? 0 : 1); j < left.size(); ++j) {
          places.emplace_back(left[i], left[j]);
        }
      }
      continue;
    }
    found(product.right, right);
    for (const std::uint32_t a : left) {
      for (const std::uint32_t b : right) {
        if (a != b) places.emplace_back(std::min(a, b), std::max(a, b));
      }
    }
  }
  if (products_.size() == 1 && products_.front().same) return;  // in order, each once
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
}

}  // namespace thresh
