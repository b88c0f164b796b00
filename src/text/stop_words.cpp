#include <set>

#include "data/read/bytes.hpp"
#include "text/tokenizer.hpp"
#include "thresh/text.hpp"

namespace thresh {

// Function words: articles, pronouns, prepositions, conjunctions, auxiliary verbs. Words that can
// be a topic (computer, fire, system) are not included.
const std::vector<std::string>& english_stop_words() {
  static const std::vector<std::string> words = {
      "a",       "about",      "above",   "after",  "again",   "against", "all",      "also",
      "am",      "an",         "and",     "any",    "are",     "as",      "at",       "be",
      "because", "been",       "before",  "being",  "below",   "between", "both",     "but",
      "by",      "can",        "cannot",  "could",  "did",     "do",      "does",     "doing",
      "down",    "during",     "each",    "either", "else",    "ever",    "every",    "few",
      "for",     "from",       "had",     "has",    "have",    "having",  "he",       "her",
      "here",    "hers",       "herself", "him",    "himself", "his",     "how",      "however",
      "i",       "if",         "in",      "into",   "is",      "it",      "its",      "itself",
      "just",    "may",        "me",      "might",  "more",    "most",    "must",     "my",
      "myself",  "neither",    "no",      "nor",    "not",     "now",     "of",       "off",
      "on",      "once",       "only",    "or",     "other",   "our",     "ours",     "ourselves",
      "out",     "over",       "own",     "same",   "shall",   "she",     "should",   "since",
      "so",      "some",       "such",    "than",   "that",    "the",     "their",    "theirs",
      "them",    "themselves", "then",    "there",  "these",   "they",    "this",     "those",
      "through", "to",         "too",     "under",  "until",   "up",      "upon",     "very",
      "was",     "we",         "were",    "what",   "when",    "where",   "whether",  "which",
      "while",   "who",        "whom",    "whose",  "why",     "will",    "with",     "within",
      "without", "would",      "yet",     "you",    "your",    "yours",   "yourself", "yourselves"};
  return words;
}

std::vector<std::string> read_stop_words(const std::string& path, const TextOptions& options) {
  TextOptions every_word;
  every_word.min_length = 1;
  every_word.lower_case = options.lower_case;
  const Tokenizer tokenizer(every_word);
  CutText cut;
  std::set<std::string> words;
  for_each_line(path, [&](std::string_view line) {
    tokenizer.for_each_term(line, cut, [&](std::string_view word) { words.emplace(word); });
  });
  return {words.begin(), words.end()};
}

}  // namespace thresh
