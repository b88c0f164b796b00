// The distinct names in a block of rows, in the order of their first appearance.
//
// Parsers ask for every feature of every row, so this is their inner loop: names lie one behind the
// other in one string, and an open table of places, sized by powers of two, finds them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thresh {

class NameTable {
 public:
  NameTable() : table_(1024) {}

  // Where the name is, from now on if it is new.
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

// XXH3-64. Whoever stores ids made from it depends on it: it does not change.
std::uint64_t hash_of_name(std::string_view name);

}  // namespace thresh
