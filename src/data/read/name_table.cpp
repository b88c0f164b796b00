#include "data/read/name_table.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace thresh {

std::uint64_t hash_of_name(std::string_view name) {
  return XXH3_64bits(name.data(), name.size());
}

std::uint32_t NameTable::place(std::string_view name) {
  const std::uint64_t hash = hash_of_name(name);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    const std::uint32_t place = table_[at] - 1;
    if (hashes_[place] == hash && this->name(place) == name) return place;
  }
  text_ += name;
  starts_.push_back(text_.size());
  hashes_.push_back(hash);
  table_[at] = size();
  if (2 * hashes_.size() > table_.size()) grow();
  return size() - 1;
}

void NameTable::grow() {
  table_.assign(4 * table_.size(), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::uint32_t place = 0; place < size(); ++place) {
    std::size_t at = hashes_[place] & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = place + 1;
  }
}

}  // namespace thresh
