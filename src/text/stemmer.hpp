// Reduces words to stems with the algorithms of Snowball (libstemmer).
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct sb_stemmer;

namespace thresh {

// Not thread-safe.
class Stemmer {
 public:
  explicit Stemmer(const std::string& algorithm);
  // Valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

}  // namespace thresh
