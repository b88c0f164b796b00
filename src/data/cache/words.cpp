#include "data/cache/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "data/read/name_table.hpp"
#include "text/text_format.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

// Options may contain anything. Names of columns that are not UTF-8 are refused elsewhere.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A reader's findings in a form that can be compared: the order of columns does not matter. What
// stands for missing cells matters only if some are missing.
nlohmann::json comparable(const Record& reading, bool any_missing) {
  nlohmann::json json = reading;
  for (const char* field : {"missing_cells", "id", "ignored", "numeric", "group", "time"})
    json.erase(field);
  if (!any_missing) {
    for (const char* field : {"means", "indicators"}) json.erase(field);
  }
  for (const char* list : {"numbers", "categories", "indicators"}) {
    if (json.contains(list)) std::sort(json[list].begin(), json[list].end());
  }
  return json;
}

// Throws a JSON exception unless it is a count.
std::uint64_t count_in(const Json& json, const char* name) {
  return json.at(name).get_ref<const Json::number_unsigned_t&>();
}

std::string all_terms(const TermList& terms) {
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) append_term(terms, i, text);
  return text;
}

}  // namespace

std::string asked_of(const ReadOptions& options, Format format) {
  Json json = Json::object();
  json["hash-bits"] = options.hash_bits;
  if (format == Format::csv || format == Format::tsv) {
    const TableOptions& table = options.table;
    json["label"] = table.label;
    json["categorical"] = table.categorical;
    json["numeric"] = table.numeric;
    json["ignore"] = table.ignore;
    json["date"] = table.dates;
    if (!table.texts.empty()) json["text"] = table.texts;
    json["id"] = table.id;
    json["weight"] = table.weight;
    json["group"] = table.group;
    json["time"] = table.time;
    json["missing"] = table.missing == TableOptions::Missing::mean   ? "mean"
                      : table.missing == TableOptions::Missing::zero ? "zero"
                                                                     : "refuse";
    json["na"] = table.na;
    json["header"] = table.header;
    json["delimiter"] = std::string(table.delimiter != 0 ? 1 : 0, table.delimiter);
  } else if (format == Format::text) {
    json.update(to_json(options.text));
    json.erase("hash_bits");  // already set above
  }
  return dump(json);
}

std::uint64_t reading_key(const ReadOptions& options, Format format) {
  if (format == Format::libsvm) return reading_key(options);
  // Another version may decide differently what is a word or a number.
  return hash_of_name(fmt::format("{} {} {} {}", THRESH_VERSION, name_of(format),
                                  options.skip_bad_rows ? "skip" : "", asked_of(options, format)));
}

CacheWords words_of(const Vocabulary* vocabulary, Format format, const std::string& asked) {
  if (format == Format::libsvm) return {};
  // Hashed texts may have no list of terms, but they have names.
  const std::string terms = vocabulary->text ? all_terms(vocabulary->text->terms()) : "";
  Json json = Json::object();
  json["version"] = THRESH_VERSION;
  json["format"] = name_of(format);
  json["asked"] = asked;
  json["hash_bits"] = vocabulary->hash_bits();
  json["labels"] = vocabulary->labels.words();
  json["reading"] = vocabulary->reading.json();
  json["note"] = vocabulary->note;
  json["dimension"] = vocabulary->text ? vocabulary->text->dimension() : 0;
  json["terms"] = terms.size();
  const bool named_by_terms = vocabulary->text && vocabulary->hash_bits() == 0;
  const auto names = [=](const CacheWords::Write& write) {
    write(terms);
    if (named_by_terms) return;
    std::string text;
    vocabulary->for_each([&](std::uint64_t id, std::string_view name) {
      text.clear();
      append_name(id, name, text);
      write(text);
    });
  };
  return {dump(json), names};
}

CachedWords::CachedWords(std::shared_ptr<const CacheFile> file) : file_(std::move(file)) {
  if (file_->words().empty()) return;
  try {
    const Json json = Json::parse(file_->words());
    const auto format = format_named(json.at("format").get_ref<const std::string&>());
    if (!format) file_->refuse("it is of a format that this version does not know");
    format_ = *format;
    version_ = json.value("version", "");
    asked_ = json.at("asked");
    const std::uint64_t hash_bits = count_in(json, "hash_bits");
    if (hash_bits > Vocabulary::kMaxHashBits) file_->refuse("its hashes are too long");
    hash_bits_ = static_cast<unsigned>(hash_bits);
    labels_ = json.at("labels").get<std::vector<std::string>>();
    reading_ = Record::parse(json.at("reading").get<std::string>());
    note_ = json.at("note");
    dimension_ = count_in(json, "dimension");
    terms_bytes_ = count_in(json, "terms");
    Record::parse(asked_);       // throws if it is not an object
    comparable(reading_, true);  // throws if they are not lists
  } catch (const nlohmann::json::exception&) {
    file_->refuse("its words are damaged");
  } catch (const RecordError&) {
    file_->refuse("its words are damaged");
  }
  if (!labels_.empty()) check_labels();
}

// Blocks have no labels that are not in the survey.
void CachedWords::check_labels() const {
  bool named = !file_->survey().more_labels;
  for (const LabelCount& count : file_->survey().labels) {
    const bool is_place = count.label >= 0 && count.label < static_cast<double>(labels_.size());
    named = named && is_place && count.label == std::floor(count.label);
  }
  if (!named) file_->refuse("a label has no name");
}

void CachedWords::check_dimension(std::uint64_t end) const {
  if (file_->survey().dimension > end) file_->refuse("a feature has no name");
}

void CachedWords::restore(Vocabulary& vocabulary) const {
  const std::string_view names = file_->names();
  if (terms_bytes_ > names.size()) file_->refuse("its terms are truncated");
  try {
    vocabulary.restore(hash_bits_, names.substr(terms_bytes_), file_);
  } catch (const Error& error) {
    file_->refuse(error.what());
  }
  if (format_ == Format::text) {
    vocabulary.text = vectorizer();
  } else {
    check_dimension(vocabulary.id_end());
  }
  vocabulary.labels = LabelNames(labels_);
  vocabulary.reading = reading_;
  vocabulary.note = note_;
}

std::shared_ptr<const TextVectorizer> CachedWords::vectorizer() const {
  std::string_view terms = file_->names().substr(0, terms_bytes_);
  check_dimension(dimension_);
  try {
    VectorizerReader reader(reading_, dimension_);
    while (!terms.empty()) {
      const std::size_t end = terms.find('\n');
      if (end == std::string_view::npos) throw Error("a term is truncated");
      reader.add_line(terms.substr(0, end));
      terms.remove_prefix(end + 1);
    }
    return reader.finish();
  } catch (const Error& error) {
    file_->refuse(error.what());
  }
}

void CachedWords::check_asked(const ReadOptions& options) const {
  const Json asked = Json::parse(asked_of(options, format_));
  const Json usual = Json::parse(asked_of({}, format_));
  const Json made = Json::parse(asked_);
  for (const auto& [name, value] : asked.items()) {
    const Json was = made.value(name, Json());
    if (value == usual.at(name) || value == was) continue;
    throw Error(
        fmt::format("{}: the cache was made with {} {}, not {} (leave that option out, or make "
                    "another cache)",
                    file_->path(), name, dump(was), dump(value)));
  }
}

std::string CachedWords::misfit(const Vocabulary& vocabulary) const {
  if (format_ == Format::text) {
    if (!vocabulary.text) return "it holds texts";
    return misfit_of_texts(*vocabulary.text);
  }
  if (hash_bits_ != vocabulary.hash_bits()) {
    return fmt::format("it was made with --hash-bits {}, but {} is needed (0: none)", hash_bits_,
                       vocabulary.hash_bits());
  }
  // A column may be a number in one and a category in the other, or be missing.
  const bool any_missing = reading_.has("missing_cells");
  if (comparable(reading_, any_missing) == comparable(vocabulary.reading, any_missing)) return "";
  return any_missing ? "its columns differ, or what stands for missing cells"
                     : "its columns differ";
}

// A model has only the terms that it needs.
std::string CachedWords::misfit_of_texts(const TextVectorizer& wanted) const {
  const auto own = vectorizer();
  const char* others = "its terms differ from the model's (give the text itself, not its cache)";
  if (to_json(own->options()) != to_json(wanted.options())) return others;
  if (!TextVectorizer::needs_terms(own->options())) return "";
  if (own->documents() != wanted.documents()) return others;
  const TermList& all = own->terms();
  const TermList& some = wanted.terms();
  std::size_t place = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    while (place < all.size() && all.features[place] < some.features[i]) ++place;
    const bool same = place < all.size() && all.features[place] == some.features[i] &&
                      all.counts[place] == some.counts[i] && all.name(place) == some.name(i);
    if (!same) return others;
  }
  return "";
}

}  // namespace thresh
