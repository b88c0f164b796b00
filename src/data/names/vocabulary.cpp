#include "data/names/vocabulary.hpp"

#include <algorithm>
#include <cstring>

#include "data/read/name_table.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

struct NameHead {
  std::uint32_t id;
  std::uint32_t length;
};

// Removes the first name and returns it. Throws Error if there is none.
std::pair<std::uint32_t, std::string_view> take_name(std::string_view& names) {
  NameHead head{};
  if (names.size() < sizeof head) throw Error("a name is truncated");
  std::memcpy(&head, names.data(), sizeof head);
  names.remove_prefix(sizeof head);
  if (names.size() < head.length) throw Error("a name is truncated");
  const std::string_view name = names.substr(0, head.length);
  names.remove_prefix(head.length);
  return {head.id, name};
}

}  // namespace

void append_name(std::uint64_t id, std::string_view name, std::string& out) {
  const NameHead head{static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(name.size())};
  out.append(reinterpret_cast<const char*>(&head), sizeof head).append(name);
}

Vocabulary::Vocabulary(unsigned hash_bits) : hash_bits_(hash_bits) {
  if (hash_bits > kMaxHashBits) throw UsageError("--hash-bits: at most 30");
}

std::shared_ptr<Vocabulary> make_vocabulary(unsigned hash_bits) {
  return std::make_shared<Vocabulary>(hash_bits);
}

std::uint64_t Vocabulary::id_end() const {
  return hash_bits_ > 0 ? std::uint64_t{1} << hash_bits_ : next_;
}

void Vocabulary::restore(unsigned hash_bits, std::string_view names,
                         std::shared_ptr<const void> owner) {
  if (hash_bits > kMaxHashBits) throw Error("its hashes are too long");
  hash_bits_ = hash_bits;
  for (std::string_view rest = names; !rest.empty();) {
    const std::uint64_t id = take_name(rest).first;
    if (hash_bits > 0 && id >= id_end()) throw Error("a name has a number that is too large");
    if (hash_bits == 0 && id != next_) throw Error("a name has a number that is not its own");
    next_ = std::max(next_, id + 1);
  }
  stored_ = names;
  stored_owner_ = std::move(owner);
}

void Vocabulary::index_stored() const {
  std::call_once(indexed_, [this] {
    if (hash_bits_ > 0 && !stored_.empty()) met_.resize(id_end());
    for (std::string_view rest = stored_; !rest.empty();) {
      const auto [id, name] = take_name(rest);
      if (hash_bits_ > 0) {
        met_[id] = true;
      } else {
        ids_[name] = id;
      }
    }
  });
}

std::uint64_t Vocabulary::find(std::string_view name) const {
  index_stored();
  if (hash_bits_ > 0) {
    const std::uint64_t id = hash_of_name(name, hash_bits_);
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
  if (hash_bits_ > 0) return;  // the hash determines the id
  const std::string_view kept = store_.add(name);
  names_.emplace_back(id, kept);
  ids_[kept] = id;
  next_ = std::max(next_, id + 1);
}

std::uint64_t Vocabulary::hashed(std::string_view name) {
  const std::uint64_t id = hash_of_name(name, hash_bits_);
  if (frozen_) return id;
  index_stored();
  if (met_.empty()) met_.resize(id_end());
  if (met_[id]) return id;
  met_[id] = true;
  if (!met_names_) met_names_ = std::make_unique<TempFile>();
  std::string entry;
  append_name(id, name, entry);
  met_names_->append(entry.data(), entry.size());
  return id;
}

void Vocabulary::for_each(
    const std::function<void(std::uint64_t id, std::string_view name)>& visit) const {
  for (std::string_view rest = stored_; !rest.empty();) {
    const auto [id, name] = take_name(rest);
    visit(id, name);
  }
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
