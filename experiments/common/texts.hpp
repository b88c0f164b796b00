// Labelled texts as rows: archives of messages, cut into parts to learn from, validate and test on.
#pragma once

#include <string>
#include <vector>

#include "common/data.hpp"

namespace thresh::experiments {

struct Texts {
  std::vector<std::string> texts;
  std::vector<double> labels;

  std::size_t size() const { return texts.size(); }
  void add(std::string text, double label) {
    texts.push_back(std::move(text));
    labels.push_back(label);
  }
};

struct PartSizes {
  std::size_t train, valid, test;
};

// In an order that depends on the seed alone.
Texts shuffled(const Texts& texts, std::uint64_t seed);
// The first texts to train on, the next ones to validate, then those to test on. Terms and their
// frequencies are those of the training texts; with `most_terms` only the terms in the most
// documents.
DataSet text_data(const Texts& texts, const PartSizes& sizes, const TextOptions& options,
                  std::size_t most_terms = 0);

// Messages by newsgroup, without the lines that head them and give the group away.
struct Message {
  std::string group, text;
};
std::vector<Message> read_newsgroups(const std::string& folder);
// Mails, spam +1 and ham -1.
Texts read_enron(const std::string& folder);
extern const char* const kNewsgroupsFile;
extern const char* const kEnronFile;

}  // namespace thresh::experiments
