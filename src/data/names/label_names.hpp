// Labels as words. If every label in a file is a number, labels are these numbers. Otherwise they
// are 0, 1, 2, ... in the sorted order of the words.
//
// This is known only after the last row. Until then a word is a code, a NaN that carries the word's
// place; numbers are themselves. Labels from code() go into a temporary file, settle() decides
// their meaning, and number() translates them when they are read back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/rows.hpp"

namespace thresh {

class LabelNames {
 public:
  LabelNames() = default;
  // A model's labels: these words, in the order of their numbers; numbers if there are none.
  explicit LabelNames(std::vector<std::string> words) : settled_(true), words_(std::move(words)) {}

  // A label, or its code while labels are not settled. Throws Error with the reason if the text
  // cannot be a label or is not a settled one.
  double code(std::string_view text);

  // Call after reading all rows: assigns numbers to words, also in the survey.
  void settle(Survey& survey);
  bool settled() const { return settled_; }
  // The label of a code from before settle().
  double number(double code) const;

  // In the order of their numbers; empty if labels are numbers.
  const std::vector<std::string>& words() const { return words_; }

 private:
  double settled_label(std::string_view text) const;

  bool settled_ = false;
  std::vector<std::string> words_;  // sorted once settled; before, by first appearance
  std::map<std::string, std::uint64_t, std::less<>> places_;  // of words by first appearance
  std::vector<double> number_of_place_;
  std::map<double, double> number_of_number_;  // numeric labels in a file with words
};

// A label as written in the data.
std::string label_text(const std::vector<std::string>& words, double label);

}  // namespace thresh
