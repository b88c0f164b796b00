#include "data/names/label_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "data/read/utf8.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

constexpr std::uint64_t kQuietNan = 0x7ff8000000000000;

std::optional<double> as_number(std::string_view text) {
  constexpr std::size_t kLongest = 400;  // longer than any number that people write
  const auto value = text.size() > kLongest ? std::nullopt : parse_finite(text);
  return value ? std::optional(*value + 0.0) : std::nullopt;  // turns -0 into 0
}

void check_word(std::string_view text) {
  if (text.empty()) throw Error("no label");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (!is_utf8(text) || std::any_of(text.begin(), text.end(), control)) {
    throw Error(fmt::format("label {} is not plain UTF-8 text", shown(text)));
  }
}

}  // namespace

double LabelNames::code(std::string_view text) {
  if (settled_) return settled_label(text);
  if (const auto number = as_number(text)) return *number;
  auto place = places_.find(text);
  if (place == places_.end()) {
    check_word(text);
    if (places_.size() == Survey::kMaxLabels) {
      throw Error(fmt::format("label {}: there are more than {} different labels", shown(text),
                              Survey::kMaxLabels));
    }
    place = places_.emplace(text, places_.size()).first;
    words_.emplace_back(text);
  }
  return std::bit_cast<double>(kQuietNan + place->second + 1);
}

double LabelNames::settled_label(std::string_view text) const {
  const auto number = as_number(text);
  if (words_.empty()) {
    if (number) return *number;
    check_word(text);
    throw Error(fmt::format("label {} is not a number, but all known labels are", shown(text)));
  }
  const std::string word = number ? fmt::format("{}", *number) : std::string(text);
  const auto found = std::find(words_.begin(), words_.end(), word);
  if (found != words_.end()) return static_cast<double>(found - words_.begin());
  check_word(text);
  const std::size_t listed = std::min<std::size_t>(words_.size(), 4);
  throw Error(fmt::format("label {} is not one of the known labels {}{}", shown(text),
                          fmt::join(words_.begin(), words_.begin() + listed, ", "),
                          listed < words_.size() ? ", ..." : ""));
}

void LabelNames::settle(Survey& survey) {
  settled_ = true;
  if (places_.empty()) return;
  if (survey.more_labels) {
    throw Error(fmt::format("more than {} different labels, some of them words ({})",
                            Survey::kMaxLabels, words_.front()));
  }
  const std::vector<std::string> by_place = words_;
  for (const LabelCount& count : survey.labels) {
    if (!std::isnan(count.label)) words_.push_back(fmt::format("{}", count.label));
  }
  std::sort(words_.begin(), words_.end());
  const auto rank = [&](const std::string& word) {
    return static_cast<double>(std::lower_bound(words_.begin(), words_.end(), word) -
                               words_.begin());
  };
  for (const std::string& word : by_place) number_of_place_.push_back(rank(word));
  for (LabelCount& count : survey.labels) {
    if (!std::isnan(count.label)) {
      number_of_number_[count.label] = rank(fmt::format("{}", count.label));
    }
    count.label = number(count.label);
  }
  survey.label_names = words_;
}

double LabelNames::number(double code) const {
  if (words_.empty()) return code;
  if (!std::isnan(code)) return number_of_number_.at(code);
  return number_of_place_[std::bit_cast<std::uint64_t>(code) - kQuietNan - 1];
}

std::string label_text(const std::vector<std::string>& words, double label) {
  if (words.empty()) return fmt::format("{}", label);
  return words.at(static_cast<std::size_t>(label));
}

}  // namespace thresh
