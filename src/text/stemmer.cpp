#include "text/stemmer.hpp"

#include <libstemmer.h>

#include <algorithm>
#include <new>

#include "thresh/error.hpp"
#include "thresh/text.hpp"

namespace thresh {

void Stemmer::Delete::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

Stemmer::Stemmer(const std::string& algorithm)
    : stemmer_(sb_stemmer_new(algorithm.c_str(), "UTF_8")) {
  if (!stemmer_) throw Error("no stemmer for " + algorithm);
}

std::string_view Stemmer::stem(std::string_view word) {
  constexpr std::size_t kLongest = 1000;  // bytes; what is longer is no word of a language
  if (word.size() > kLongest) return word;
  const sb_symbol* const stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

std::vector<std::string> stemmers() {
  std::vector<std::string> names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) names.emplace_back(*name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace thresh
