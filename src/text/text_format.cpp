#include "text/text_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "data/read/number.hpp"
#include "data/read/utf8.hpp"
#include "text/base64.hpp"
#include "text/learn.hpp"
#include "text/packed_terms.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kUnits = {"words", "characters"};   // by TextOptions::Unit
constexpr std::array kTfs = {"count", "log", "binary"};  // by TextOptions::Tf

Json to_json(const DocumentLimit& limit) {
  if (limit.is_share) return {{"share", limit.value}};
  return limit.value;
}

DocumentLimit limit_of(const Json& json) {
  DocumentLimit limit;
  limit.is_share = json.is_object();
  limit.value = (limit.is_share ? json.at("share") : json).get<double>();
  return limit;
}

template <class Words>
std::size_t place_of(const Json& json, const Words& words) {
  const auto& word = json.get_ref<const std::string&>();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw Error(fmt::format("unknown '{}' in the header", word));
  return static_cast<std::size_t>(found - words.begin());
}

TextOptions options_of(const Json& json) {
  TextOptions options;
  options.unit = static_cast<TextOptions::Unit>(place_of(json.at("unit"), kUnits));
  options.shortest = json.at("ngrams").at(0);
  options.longest = json.at("ngrams").at(1);
  options.min_length = json.at("min_length");
  options.lower_case = json.at("lower_case");
  options.stop_words = json.at("stop_words").get<std::vector<std::string>>();
  options.stem = json.value("stem", "");
  options.min_df = limit_of(json.at("min_df"));
  options.max_df = limit_of(json.at("max_df"));
  options.tf = static_cast<TextOptions::Tf>(place_of(json.at("tf"), kTfs));
  options.idf = json.at("idf");
  options.l2 = place_of(json.at("norm"), std::array{"none", "l2"}) == 1;
  options.hash_bits = json.at("hash_bits");
  return options;
}

}  // namespace

Json to_json(const TextOptions& options) {
  Json json = Json::object();
  json["unit"] = kUnits[static_cast<std::size_t>(options.unit)];
  json["ngrams"] = {options.shortest, options.longest};
  json["min_length"] = options.min_length;
  json["lower_case"] = options.lower_case;
  json["stop_words"] = options.stop_words;
  if (!options.stem.empty()) json["stem"] = options.stem;
  json["min_df"] = to_json(options.min_df);
  json["max_df"] = to_json(options.max_df);
  json["tf"] = kTfs[static_cast<std::size_t>(options.tf)];
  json["idf"] = options.idf;
  json["norm"] = options.l2 ? "l2" : "none";
  json["hash_bits"] = options.hash_bits;
  return json;
}

Json to_json(const TextVectorizer& vectorizer) {
  Json json = to_json(vectorizer.options());
  json["documents"] = vectorizer.documents();
  return json;
}

void append_term(const TermList& terms, std::size_t i, std::string& text) {
  const std::string_view name = terms.name(i);
  fmt::format_to(std::back_inserter(text), "{}\t{}{}{}\n", terms.features[i] + std::uint64_t{1},
                 terms.counts[i], name.empty() ? "" : "\t", escaped(name));
}

namespace {

constexpr std::string_view kTerms = "terms ", kPacked = "packed ";
constexpr std::size_t kLineBytes = 72;  // packed; 96 characters of base64

void write_packed(std::size_t terms, std::string_view bytes,
                  const std::function<void(std::string_view)>& write) {
  write(fmt::format("{}{} {}\n", kPacked, terms, bytes.size()));
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kLineBytes, bytes.size()))) {
    write(to_base64(bytes.substr(0, kLineBytes)) + "\n");
  }
}

}  // namespace

void write_terms(const TermList& terms, const std::function<void(std::string_view)>& write) {
  const auto packed = terms.size() > 0 ? packed_terms(terms) : std::nullopt;
  if (packed) return write_packed(terms.size(), *packed, write);
  write(fmt::format("{}{}\n", kTerms, terms.size()));
  std::string line;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    line.clear();
    append_term(terms, i, line);
    write(line);
  }
}

VectorizerReader::VectorizerReader(const Json& json, std::uint64_t dimension)
    : dimension_(dimension) {
  try {
    options_ = options_of(json);
    check_text_options(options_);
    documents_ = json.at("documents");
    if (dimension > std::uint64_t{1} << 32) throw Error("the dimension is above 2^32");
  } catch (const nlohmann::json::exception&) {
    throw Error("the header is damaged");
  } catch (const UsageError& error) {
    throw Error(error.what());
  }
}

void VectorizerReader::read_terms(const std::function<std::string_view()>& next_line) {
  const std::string_view head = next_line();
  const bool packed = head.starts_with(kPacked);
  const char* p = head.data() + std::min(packed ? kPacked.size() : kTerms.size(), head.size());
  const std::uint64_t terms = parse_index(p);
  if (packed) {
    const std::uint64_t bytes = p < head.data() + head.size() ? parse_index(++p) : 0;
    if (head != fmt::format("{}{} {}", kPacked, terms, bytes)) throw Error("the terms are missing");
    return add_packed(terms, bytes, next_line);
  }
  if (head != fmt::format("{}{}", kTerms, terms)) throw Error("the terms are missing");
  for (std::uint64_t i = 0; i < terms; ++i) add_line(next_line());
}

void VectorizerReader::add_packed(std::uint64_t terms, std::uint64_t size,
                                  const std::function<std::string_view()>& next_line) {
  std::string bytes;
  try {
    while (bytes.size() < size) {
      const std::size_t before = bytes.size();
      from_base64(next_line(), bytes);
      if (bytes.size() != std::min<std::uint64_t>(size, before + kLineBytes)) {
        throw Error("a line has another length");
      }
    }
    unpack_terms(bytes, terms,
                 [&](std::uint64_t feature, std::uint64_t documents, std::string_view name) {
                   add_term(feature + 1, documents, name);
                 });
  } catch (const Error& error) {
    throw Error(fmt::format("the packed terms are damaged: {}", error.what()));
  }
}

void VectorizerReader::add_line(std::string_view line) {
  const char* p = line.data();
  const char* const end = p + line.size();
  const auto column = [&] {
    const char* const begin = p;
    const std::uint64_t number = parse_index(p);
    if (p == begin || p > end || (p < end && *p != '\t')) throw Error("bad term");
    return number;
  };
  const std::uint64_t index = column();
  if (p == end) throw Error("bad term index");
  ++p;
  const std::uint64_t count = column();
  add_term(index, count, p == end ? "" : unescaped({p + 1, end}));
}

void VectorizerReader::add_term(std::uint64_t index, std::uint64_t count, std::string_view name) {
  const bool ascends = terms_.size() == 0 || terms_.features.back() + std::uint64_t{1} < index;
  if (index == 0 || index > dimension_ || !ascends) throw Error("bad term index");
  if (count == 0 || count > documents_) throw Error("bad number of documents");
  if (!TextVectorizer::needs_terms(options_)) throw Error("there are no terms");
  const bool hashed = options_.hash_bits > 0;
  const bool sorted = terms_.size() == 0 || terms_.name(terms_.size() - 1) < name;
  if (hashed ? !name.empty() : !sorted) throw Error("bad term");
  terms_.add(name, static_cast<std::uint32_t>(index - 1), count);
}

std::shared_ptr<const TextVectorizer> VectorizerReader::finish() {
  return std::make_shared<TextVectorizer>(std::move(options_), documents_, dimension_,
                                          std::move(terms_));
}

}  // namespace thresh
