// Labels as words. All labels of a file are its classes' numbers: where every label in it is a
// number these, else 0, 1, 2, ... in the sorted order of the words.
//
// Which of the two it is shows only when the last row has been read. Until then a word is a code, a
// NaN that carries the word's place; numbers are themselves. Labels of rows go from code() into a
// temporary file, settle() looks at what there was, and number() translates them on their way back.
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
  // What a model knows: these words, in the order of their numbers, or numbers if there are none.
  explicit LabelNames(std::vector<std::string> words) : settled_(true), words_(std::move(words)) {}

  // A label, or its code as long as labels are not settled. Throws Error with the reason for one
  // that cannot be a label, or is none of the settled ones.
  double code(std::string_view text);

  // All rows have been read: gives words their numbers, in the survey as well.
  void settle(Survey& survey);
  bool settled() const { return settled_; }
  // The label that a code from before settle() stands for.
  double number(double code) const;

  // In the order of their numbers; empty if labels are numbers.
  const std::vector<std::string>& words() const { return words_; }

 private:
  double settled_label(std::string_view text) const;

  bool settled_ = false;
  std::vector<std::string> words_;  // sorted once settled, before that by first appearance
  std::map<std::string, std::uint64_t, std::less<>> places_;  // of words by first appearance
  std::vector<double> number_of_place_;
  std::map<double, double> number_of_number_;  // labels that are numbers, among words
};

// A label as the data write it.
std::string label_text(const std::vector<std::string>& words, double label);

}  // namespace thresh
