// Data for the CLI tests, and readers of what the program prints that share no code with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The file of the golden weights: seven rows, six features.
extern const std::string kTiny;

struct SvmRow {
  double label;
  std::vector<std::pair<std::uint64_t, double>> entries;
};

// Rows of a sparse truth with 5% of the labels flipped, so that training never converges.
struct RowsSpec {
  std::size_t rows = 300;
  unsigned features = 40;
  std::uint64_t seed = 1;
  unsigned first_index = 1;
  std::string negative = "-1", positive = "+1";
};
std::string random_rows(const RowsSpec& spec);
// Rows of five features out of thirty, and a thirty-first; 4, 8 and 12 decide the label. In another
// world they decide it the other way round.
std::string few_decide(std::size_t rows, std::uint64_t seed = 1, bool other_world = false);
std::vector<SvmRow> parse_rows(std::string_view text);

struct Weight {
  std::uint64_t index;
  std::string name;
  double value;
  bool operator==(const Weight&) const = default;
};
void PrintTo(const Weight& weight, std::ostream* out);
std::vector<Weight> parse_weights(std::string_view text);  // of `thresh weights`
std::vector<double> parse_numbers(std::string_view text);  // one a line
std::vector<std::string> lines_of(std::string_view text);
std::string join_lines(const std::vector<std::string>& lines);
double dot(const std::vector<Weight>& weights, const SvmRow& row);

std::string gzip(std::string_view text);
std::string zstd(std::string_view text);
std::string xz(std::string_view text);
std::string unxz(std::string_view packed);

// A model file with a valid count and checksum around whatever header and lines are given.
std::string handmade_model(const std::string& header, const std::vector<std::string>& lines,
                           const std::string& first_line = "thresh-model 1");
std::string regression_header(const std::string& dimension = "3");
