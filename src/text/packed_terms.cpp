// A term is coded as what it shares with the one before, the letters that follow, and its number of
// documents. Each letter is foreseen from the two before it; the first of them, which differs from
// the previous term's, from that one.

#include "text/packed_terms.hpp"

#include <algorithm>

#include "text/range_coder.hpp"

namespace thresh {
namespace {

constexpr std::uint64_t kTermsPerByte = 8;     // per byte
constexpr std::uint64_t kLettersPerByte = 64;  // per byte
constexpr std::uint64_t kShortList = 64;       // bytes of a list that is too short to learn from

template <class Coder>
class TermCoder {
 public:
  explicit TermCoder(Coder& coder) : coder_(coder), after_(kContexts), instead_(256) {}

  // Encodes the arguments, or sets them.
  void code(std::string& name, std::uint64_t& gap, std::uint64_t& documents) {
    std::uint64_t shared = static_cast<std::uint64_t>(
        std::mismatch(name.begin(), name.end(), before_.begin(), before_.end()).first -
        name.begin());
    shared_.code(coder_, shared);
    if (shared > before_.size()) throw Error("bad term");
    std::string whole = before_.substr(0, shared);
    for (;;) {
      std::uint8_t letter = whole.size() < name.size() ? byte(name, whole.size()) : 0;
      model_for(whole, shared).code(coder_, letter);
      if (letter == 0) break;  // the end
      whole += static_cast<char>(letter);
    }
    gap_.code(coder_, gap);
    documents_.code(coder_, documents);
    name = before_ = whole;
  }

 private:
  static constexpr std::size_t kContexts = 4096;

  static std::uint8_t byte(const std::string& text, std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0;
  }
  ByteModel& model_for(const std::string& whole, std::uint64_t shared) {
    const std::size_t n = whole.size();
    if (n == shared) return instead_[byte(before_, n)];
    const unsigned last = byte(whole, n - 1), second = n > 1 ? byte(whole, n - 2) : 0U;
    return after_[(last * 31 + second * 1021) % kContexts];
  }

  Coder& coder_;
  std::string before_;
  NumberModel shared_, gap_, documents_;
  std::vector<ByteModel> after_, instead_;
};

}  // namespace

std::optional<std::string> packed_terms(const TermList& terms) {
  if (terms.names.find('\0') != std::string::npos) return std::nullopt;
  RangeEncoder encoder;
  TermCoder<RangeEncoder> coder(encoder);
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::string name(terms.name(i));
    std::uint64_t gap = terms.features[i] - next;
    std::uint64_t documents = terms.counts[i];
    coder.code(name, gap, documents);
    next = terms.features[i] + std::uint64_t{1};
  }
  std::string bytes = encoder.finish();
  const std::uint64_t size = bytes.size() + kShortList;
  if (terms.size() > kTermsPerByte * size || terms.names.size() > kLettersPerByte * size) {
    return std::nullopt;
  }
  return bytes;
}

void unpack_terms(std::string_view bytes, std::uint64_t count,
                  const std::function<void(std::uint64_t feature, std::uint64_t documents,
                                           std::string_view name)>& add) {
  const std::uint64_t size = bytes.size() + kShortList;
  if (count > kTermsPerByte * size) throw Error("more terms than their bytes can hold");
  RangeDecoder decoder(bytes);
  TermCoder<RangeDecoder> coder(decoder);
  std::uint64_t next = 0, letters = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    std::uint64_t gap = 0, documents = 0;
    coder.code(name, gap, documents);
    letters += name.size();
    if (letters > kLettersPerByte * size) throw Error("more letters than their bytes can hold");
    if (gap >= std::uint64_t{1} << 33) throw Error("bad term index");
    add(next + gap, documents, name);
    next += gap + 1;
  }
}

}  // namespace thresh
