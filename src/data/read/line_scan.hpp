// Scans the lines of a stretch of a plain file for the survey, each row from both of its ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "thresh/rows.hpp"

namespace thresh {

struct ScannedLine {
  std::uint64_t bytes;    // with the line feed, even if the file's last line lacks it
  std::uint64_t entries;  // see LineShape
  std::uint64_t hash;     // of the line without its line feed
  bool is_row;
  bool bad_label;
};

// Of a line; and of several ones: start with 0, add one after the other.
std::uint64_t hash_of_line(const char* begin, const char* end);
inline std::uint64_t add_line_hash(std::uint64_t sum, std::uint64_t hash) {
  return sum * 0x9e3779b97f4a7c15 + hash;
}

// The lines that begin after a line feed in a stretch of the file, and what they add to the survey.
struct ScannedStretch {
  std::vector<ScannedLine> lines;
  Survey labels;  // labels and dimension only; assumes good rows, because parsing reports bad ones
  bool too_long = false;  // the last line exceeds kMaxLineBytes and is not in `lines`
};

class LineScanner {
 public:
  static constexpr std::uint64_t kStretch = std::uint64_t{1} << 18;  // fits in the cache

  // The first line begins at offset `first`.
  LineScanner(int fd, std::uint64_t file_bytes, std::string name, bool zero_based,
              std::uint64_t first = 0)
      : fd_(fd),
        file_bytes_(file_bytes),
        name_(std::move(name)),
        zero_based_(zero_based),
        first_(first) {}

  std::size_t stretches() const { return (file_bytes_ + kStretch - 1) / kStretch; }
  std::uint64_t stretch_bytes(std::size_t stretch) const {
    return std::min(kStretch, file_bytes_ - stretch * kStretch);
  }
  // Thread-safe.
  ScannedStretch scan(std::size_t stretch) const;

 private:
  struct Text;  // part of the file in memory

  int fd_;
  std::uint64_t file_bytes_;
  std::string name_;
  bool zero_based_;
  std::uint64_t first_;
};

// Reads from a file's offset into `out`. Returns how many bytes there were.
std::size_t read_at(int fd, std::uint64_t offset, std::span<char> out, const std::string& name);

}  // namespace thresh
