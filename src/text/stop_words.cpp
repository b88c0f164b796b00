// Function words: articles, pronouns, prepositions, conjunctions, auxiliary verbs. Words that can
// be what a text is about (computer, fire, system) are not among them.

#include "thresh/text.hpp"

namespace thresh {

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

}  // namespace thresh
