// The first pass over texts: finds the terms, and in how many documents each occurs.
#pragma once

#include <functional>
#include <memory>

#include "text/documents.hpp"
#include "text/vectorizer.hpp"

namespace thresh {

struct LearnHooks {
  std::function<void(const Document&)> on_document;      // for all, in order
  std::function<void(std::string_view term)> on_hashed;  // for the first term of every hash
  std::function<void(std::uint64_t bytes)> on_read;
};

// Reads all documents once.
std::shared_ptr<const TextVectorizer> learn_terms(const Documents& documents,
                                                  const TextOptions& options,
                                                  const LearnHooks& hooks = {});

}  // namespace thresh
