// A hash table with terms as keys.
#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace thresh {

// Keys are views of text stored elsewhere. Their hashes are stored beside them, so most wrong keys
// are rejected without reading the text.
template <class Value>
using TermMap =
    tsl::robin_map<std::string_view, Value, std::hash<std::string_view>, std::equal_to<>,
                   std::allocator<std::pair<std::string_view, Value>>, true>;

// Stores many short texts that arrive one at a time and are freed together.
class TermStore {
 public:
  std::string_view add(std::string_view term) {
    if (term.size() > room_) {
      room_ = std::max(kChunk, term.size());
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(room_));
      next_ = chunks_.back().get();
    }
    char* const begin = next_;
    next_ = std::copy(term.begin(), term.end(), begin);
    room_ -= term.size();
    return {begin, term.size()};
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  std::size_t room_ = 0;
};

}  // namespace thresh
