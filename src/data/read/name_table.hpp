// The distinct names in a block of rows, in the order of their first appearance.
//
// Parsers look up every feature of every row, so this is their inner loop. Names are stored one
// after another in one string. An open-addressing table with a power-of-two size finds them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thresh {

class NameTable {
 public:
  NameTable() : table_(1024) {}

  // The place of a name, which is added if it is new.
  std::uint32_t place(std::string_view name);
  std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
  std::string_view name(std::uint32_t place) const {
    return std::string_view(text_).substr(starts_[place], starts_[place + 1] - starts_[place]);
  }

 private:
  void grow();

  std::string text_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> table_;  // place + 1; 0: free
};

// XXH3-64. It must not change, because stored ids depend on it.
std::uint64_t hash_of_name(std::string_view name);
// The lowest bits of the hash: the feature's number with --hash-bits.
inline std::uint32_t hash_of_name(std::string_view name, unsigned bits) {
  return static_cast<std::uint32_t>(hash_of_name(name) & ((std::uint64_t{1} << bits) - 1));
}

}  // namespace thresh
