// Runs a generator into strings and reads its rows back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thresh/generate.hpp"

namespace thresh {

using FeatureList = std::vector<std::pair<uint64_t, double>>;

struct GeneratedRow {
  std::string label;
  FeatureList features;

  bool positive() const { return std::stod(label) > 0; }
};

struct GeneratedText {
  Generated summary;
  std::string rows;
  std::string names;
};

inline Sink append_to(std::string& text) {
  return [&text](std::string_view chunk) { text.append(chunk); };
}

inline GeneratedText make_corpus(const CorpusOptions& options) {
  GeneratedText made;
  made.summary = generate_corpus(options, append_to(made.rows), append_to(made.names));
  return made;
}

inline CorpusOptions small_corpus() {
  return {.rows = 2000, .features = 5000, .seed = 1, .noise = 0.02, .informative = 200};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::vector<GeneratedRow> rows_of(const GeneratedText& made) {
  std::vector<GeneratedRow> rows;
  for (const std::string& line : lines_of(made.rows)) {
    GeneratedRow row{line.substr(0, line.find(' ')), {}};
    for (size_t at = line.find(' '); at != std::string::npos; at = line.find(' ', at + 1)) {
      char* end = nullptr;
      const uint64_t index = std::strtoull(line.c_str() + at, &end, 10);
      EXPECT_EQ(*end, ':') << line;
      row.features.emplace_back(index, std::strtod(end + 1, nullptr));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// FNV-1a, to pin bytes.
inline uint64_t hash_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

inline void expect_ascending(const FeatureList& features, uint64_t last) {
  ASSERT_FALSE(features.empty());
  EXPECT_GE(features.front().first, 1U);
  EXPECT_LE(features.back().first, last);
  for (size_t k = 1; k < features.size(); ++k) {
    EXPECT_LT(features[k - 1].first, features[k].first);
  }
}

}  // namespace thresh
