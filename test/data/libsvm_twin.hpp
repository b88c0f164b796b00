// A slow and obvious reader of libsvm text, to compare the fast one with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sparse/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh::libsvm_twin {

struct TwinRow {
  bool bad = false;
  double label = 0;
  std::vector<std::pair<std::uint64_t, double>> entries;  // id and value, zeros included
  std::uint64_t line = 0;
};

// A finite decimal that takes up the whole token.
inline bool twin_number(const std::string& token, double& value) {
  if (token.empty() || token.find_first_not_of("0123456789.eE+-") != std::string::npos)
    return false;
  char* end = nullptr;
  value = std::strtod(token.c_str(), &end);
  return *end == '\0' && std::isfinite(value);
}

inline bool twin_entry(const std::string& token, const ReadOptions& options, TwinRow& row) {
  const std::size_t colon = token.find(':');
  if (colon == std::string::npos) return false;
  const std::string index = token.substr(0, colon);
  if (index.empty() || index.size() > 18) return false;
  if (index.find_first_not_of("0123456789") != std::string::npos) return false;
  const std::uint64_t first = options.zero_based ? 0 : 1;
  const std::uint64_t number = std::stoull(index);
  if (number < first || number - first >= FeatureMap::kMaxIndex) return false;
  const std::uint64_t id = number - first;
  if (options.dim != 0 && id >= options.dim) return false;
  double value = 0;
  if (!twin_number(token.substr(colon + 1), value)) return false;
  if (!options.allow_unsorted && !row.entries.empty() && id < row.entries.back().first)
    return false;
  for (const auto& entry : row.entries) {
    if (entry.first == id) return false;
  }
  row.entries.emplace_back(id, value);
  return true;
}

// What blanks, tabs and carriage returns separate.
inline std::vector<std::string> twin_tokens(const std::string& line) {
  std::vector<std::string> tokens;
  constexpr const char* kSpace = " \t\r";
  for (std::size_t at = line.find_first_not_of(kSpace); at != std::string::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    tokens.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
  return tokens;
}

inline bool twin_row(const std::string& line, const ReadOptions& options, TwinRow& row) {
  const std::vector<std::string> tokens = twin_tokens(line);
  if (tokens.empty() || !twin_number(tokens[0], row.label)) return false;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (i == 1 && tokens[i].starts_with("qid:")) continue;
    if (!twin_entry(tokens[i], options, row)) return false;
  }
  std::sort(row.entries.begin(), row.entries.end());
  return true;
}

inline std::vector<TwinRow> twin_rows(const std::string& text, const ReadOptions& options) {
  std::vector<TwinRow> rows;
  std::istringstream lines(text);
  std::uint64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    TwinRow row;
    row.line = number;
    row.bad = !twin_row(line, options, row);
    rows.push_back(row);
  }
  return rows;
}

// Its entries that are not zero, scaled to length 1 if asked to.
inline std::vector<std::pair<std::uint64_t, double>> expected_entries(const TwinRow& row,
                                                                      bool normalize) {
  long double squares = 0;
  for (const auto& [id, value] : row.entries) {
    squares += static_cast<long double>(value) * static_cast<long double>(value);
  }
  std::vector<std::pair<std::uint64_t, double>> kept;
  for (const auto& [id, value] : row.entries) {
    const auto scaled = static_cast<double>(normalize ? value / std::sqrt(squares) : value);
    if (value != 0 && scaled != 0) kept.emplace_back(id, scaled);
  }
  return kept;
}

}  // namespace thresh::libsvm_twin
