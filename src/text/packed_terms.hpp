// The terms of a vectorizer in a quarter of the bytes that they take as text: about 3 a term.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "text/vectorizer.hpp"

namespace thresh {

// None if the terms do not pack well enough for unpack_terms(), which refuses bytes that claim far
// more terms or letters than ordinary ones: reading a file must not take much more memory than it.
std::optional<std::string> packed_terms(const TermList& terms);

// Calls add(feature, documents, name) for `count` terms. Throws Error if the bytes are not those of
// so many terms.
void unpack_terms(std::string_view bytes, std::uint64_t count,
                  const std::function<void(std::uint64_t feature, std::uint64_t documents,
                                           std::string_view name)>& add);

}  // namespace thresh
