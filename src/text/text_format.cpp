#include "text/text_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "data/read/number.hpp"
#include "data/read/utf8.hpp"
#include "text/learn.hpp"
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

void VectorizerReader::add_term(std::string_view line) {
  const char* p = line.data();
  const char* const end = p + line.size();
  const auto column = [&] {
    const char* const begin = p;
    const std::uint64_t number = parse_index(p);
    if (p == begin || p > end || (p < end && *p != '\t')) throw Error("bad term");
    return number;
  };
  const std::uint64_t index = column();
  const bool ascends = terms_.size() == 0 || terms_.features.back() + std::uint64_t{1} < index;
  if (p == end || index == 0 || index > dimension_ || !ascends) throw Error("bad term index");
  ++p;
  const std::uint64_t count = column();
  if (count == 0 || count > documents_) throw Error("bad number of documents");
  const std::string name = p == end ? "" : unescaped({p + 1, end});
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
