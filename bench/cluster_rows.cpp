// Rows of the size of Xie et al.'s largest data, as libsvm text: cluster_rows ROWS FEATURES
// ENTRIES.
//
// Features are drawn with a density that falls with their number. Labels are the signs of a linear
// model on one feature in eight; one label in twenty is wrong.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185;
  x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44d;
  return x ^ (x >> 33);
}

void put(std::uint64_t number, std::string& out) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::uint64_t rows = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t entries = std::strtoull(argv[3], nullptr, 10);
  const double features = std::strtod(argv[2], nullptr);
  std::uint64_t state = 1;
  const auto uniform = [&] { return static_cast<double>(mixed(++state) >> 11) * 0x1p-53; };
  std::string line, row;
  for (std::uint64_t i = 0; i < rows; ++i) {
    row.clear();
    double margin = 0;
    std::uint64_t before = 0;
    for (std::uint64_t k = 0; k < entries; ++k) {
      const double place = (static_cast<double>(k) + uniform()) / static_cast<double>(entries);
      const auto drawn = static_cast<std::uint64_t>(features * place * place * place) + 1;
      const std::uint64_t index = drawn > before ? drawn : before + 1;
      if (index > static_cast<std::uint64_t>(features)) break;
      before = index;
      const std::uint64_t hundredths = 1 + mixed(++state) % 99;
      if (index % 8 == 0) {
        margin += (mixed(index) % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(hundredths);
      }
      row += ' ';
      put(index, row);
      row += hundredths < 10 ? ":0.0" : ":0.";
      put(hundredths, row);
    }
    line = (margin > 0) != (uniform() < 0.05) ? "+1" : "-1";
    line += row;
    line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
