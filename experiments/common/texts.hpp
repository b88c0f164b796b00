// Labelled texts as rows: message archives, divided into training, validation and test parts.
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

// The order depends on the seed alone.
Texts shuffled(const Texts& texts, std::uint64_t seed);
// The first texts are for training, the next for validation, then for testing. Terms and their
// frequencies come from the training texts. `most_terms` limits them to the terms in the most
// documents.
DataSet text_data(const Texts& texts, const PartSizes& sizes, const TextOptions& options,
                  std::size_t most_terms = 0);

// Messages by newsgroup, without the header lines, which reveal the group.
struct Message {
  std::string group, text;
};
std::vector<Message> read_newsgroups(const std::string& folder);
// Mails: spam is +1, ham is -1.
Texts read_enron(const std::string& folder);
extern const char* const kNewsgroupsFile;
extern const char* const kEnronFile;

}  // namespace thresh::experiments
