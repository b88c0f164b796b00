#include "data/vocabulary.hpp"

#include <algorithm>
#include <cstring>

#include "data/name_table.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

struct NameHead {
  std::uint32_t id;
  std::uint32_t length;
};

}  // namespace

std::size_t Vocabulary::Hash::operator()(std::string_view name) const {
  return hash_of_name(name);
}

Vocabulary::Vocabulary(unsigned hash_bits) : hash_bits_(hash_bits) {
  if (hash_bits > kMaxHashBits) throw UsageError("--hash-bits: at most 30");
}

std::uint64_t Vocabulary::id_end() const {
  return hash_bits_ > 0 ? std::uint64_t{1} << hash_bits_ : next_;
}

std::uint64_t Vocabulary::find(std::string_view name) const {
  if (hash_bits_ > 0) {
    const std::uint64_t id = hash_of_name(name) & (id_end() - 1);
    return !met_.empty() && met_[id] ? id : kUnknown;
  }
  if (text) return text->find(name).value_or(kUnknown);
  const auto found = ids_.find(name);
  return found != ids_.end() ? found->second : kUnknown;
}

std::uint64_t Vocabulary::id(std::string_view name) {
  if (hash_bits_ > 0) return hashed(name);
  const std::uint64_t known = find(name);
  if (known != kUnknown || frozen_) return known;
  set(name, next_);
  return next_ - 1;
}

void Vocabulary::set(std::string_view name, std::uint64_t id) {
  if (hash_bits_ > 0) return;  // a hash is where it is
  const std::string_view kept = keep(name);
  names_.emplace_back(id, kept);
  ids_[kept] = id;
  next_ = std::max(next_, id + 1);
}

std::string_view Vocabulary::keep(std::string_view name) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  if (piece_size_ - piece_used_ < name.size()) {
    piece_size_ = std::max(kPiece, name.size());
    piece_used_ = 0;
    pieces_.push_back(std::make_unique<char[]>(piece_size_));
  }
  char* const at = pieces_.empty() ? nullptr : pieces_.back().get() + piece_used_;
  if (!name.empty()) std::memcpy(at, name.data(), name.size());
  piece_used_ += name.size();
  return {at, name.size()};
}

std::uint64_t Vocabulary::hashed(std::string_view name) {
  const std::uint64_t id = hash_of_name(name) & (id_end() - 1);
  if (frozen_) return id;
  if (met_.empty()) {
    met_.resize(id_end());
    met_names_ = std::make_unique<TempFile>();
  }
  if (met_[id]) return id;
  met_[id] = true;
  const NameHead head{static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(name.size())};
  met_names_->append(&head, sizeof head);
  met_names_->append(name.data(), name.size());
  return id;
}

void Vocabulary::for_each(
    const std::function<void(std::uint64_t id, std::string_view name)>& visit) const {
  for (const auto& [id, name] : names_) visit(id, name);
  if (text && hash_bits_ == 0) {
    const TermList& terms = text->terms();
    for (std::size_t i = 0; i < terms.size(); ++i) visit(terms.features[i], terms.name(i));
  }
  if (!met_names_) return;
  met_names_->flush();
  std::string name;
  for (std::uint64_t at = 0; at < met_names_->size();) {
    NameHead head{};
    met_names_->pread(&head, sizeof head, at);
    name.resize(head.length);
    met_names_->pread(name.data(), head.length, at + sizeof head);
    visit(head.id, name);
    at += sizeof head + head.length;
  }
}

}  // namespace thresh
