#include "model/export_data.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "data/read/utf8.hpp"
#include "math/elementary.hpp"
#include "text/text_format.hpp"
#include "text/tokenizer.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int32_t kCharacters = 0x110000;

// [first, last, first, last, ...] of the characters with a property.
Json ranges_of(bool (*has)(std::int32_t)) {
  Json ranges = Json::array();
  for (std::int32_t c = 0; c < kCharacters; ++c) {
    if (!has(c) || (c > 0 && has(c - 1))) continue;
    std::int32_t last = c;
    while (last + 1 < kCharacters && has(last + 1)) ++last;
    ranges.push_back(c);
    ranges.push_back(last);
  }
  return ranges;
}

// [first, last, step, change, ...]: characters from first to last, a step apart, and what to add
// for lower case. Two alphabets in turn have step 2.
Json lower_case_runs() {
  Json runs = Json::array();
  std::vector<bool> done(kCharacters);
  const auto change = [](std::int32_t c) { return c < kCharacters ? utf8proc_tolower(c) - c : 0; };
  for (std::int32_t c = 0; c < kCharacters; ++c) {
    if (done[static_cast<std::size_t>(c)] || change(c) == 0) continue;
    const std::int32_t step = change(c + 1) != change(c) && change(c + 2) == change(c) ? 2 : 1;
    std::int32_t last = c;
    while (change(last + step) == change(c)) last += step;
    for (std::int32_t i = c; i <= last; i += step) done[static_cast<std::size_t>(i)] = true;
    for (const std::int32_t number : {c, last, step, change(c)}) runs.push_back(number);
  }
  return runs;
}

// Terms by the number of documents that have them, and what that number multiplies by.
Json terms_json(const TextVectorizer& text) {
  std::map<std::uint64_t, std::string> by_count;
  for (std::size_t i = 0; i < text.terms().size(); ++i) {
    std::string& names = by_count[text.terms().counts[i]];
    if (!names.empty()) names += '\n';
    names += text.terms().name(i);
  }
  Json json = Json::array();
  for (const auto& [count, names] : by_count) {
    const double rarity =
        (1 + static_cast<double>(text.documents())) / (1 + static_cast<double>(count));
    json.push_back({text.options().idf ? portable::log(rarity) + 1 : 1.0, names});
  }
  return json;
}

Json text_json(const TextVectorizer& text) {
  Json json = to_json(text);
  json["blanks"] = ranges_of(is_blank_character);
  json["word_characters"] = ranges_of(is_word_character);
  json["lower"] = text.options().lower_case ? lower_case_runs() : Json::array();
  json["terms"] = terms_json(text);
  return json;
}

void require_utf8(const Json& json, const std::string& language) {
  try {
    json.dump();
  } catch (const Json::type_error&) {
    throw Error(fmt::format("{} cannot hold this model: a name is not UTF-8", language));
  }
}

}  // namespace

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(what, at);
    out += text.substr(at, next - at);
    if (next == std::string_view::npos) return out;
    out += by;
    at = next + what.size();
  }
}

std::vector<ClassPart> parts_of(const Model& model) {
  if (!model.classes.empty()) return model.classes;
  return {{model.positive_label, model.intercept, model.coefficients}};
}

void refuse_pairs(const Model& model, const std::string& language) {
  if (model.pairs.empty()) return;
  throw Error(
      fmt::format("{} cannot hold this model: it has products of features "
                  "(--interactions); only JSON can",
                  language));
}

Json scoring_data(const Model& model, const std::string& language) {
  const auto refuse = [&](const char* why) {
    throw Error(fmt::format("{} cannot hold this model: {}", language, why));
  };
  if (model.reading.value("hash_bits", 0).count() > 0) refuse("its features are hashes of names");
  refuse_pairs(model, language);
  if (!model.column_texts.empty()) refuse("it reads a column of text beside others");
  if (model.text && !model.text->options().stem.empty()) refuse("it reduces words to stems");
  const bool named = model.format != Format::libsvm;
  // Keys of features by ascending index, and for each class a weight for each.
  std::map<std::uint64_t, Json> keys;
  const std::vector<ClassPart> parts = parts_of(model);
  for (const ClassPart& part : parts) {
    for (const Coefficient& c : part.coefficients) {
      keys.emplace(c.index, named ? Json(c.name) : Json(c.index));
    }
  }
  Json json = Json::object();
  json["format"] = name_of(model.format);
  json["labels"] = Json::array();
  if (model.task == Task::classification) {
    std::vector<double> labels = model.class_labels();
    if (labels.empty()) labels = {model.negative_label, model.positive_label};
    for (const double label : labels) {
      json["labels"].push_back(model.label_names.empty() ? Json(label)
                                                         : Json(model.label_text(label)));
    }
  }
  json["threshold"] = model.threshold ? model.threshold->margin : 0;
  json["calibration"] = nullptr;
  if (model.calibration) {
    json["calibration"] = {model.calibration->slope, model.calibration->offset};
  }
  json["link"] = model.class_link == ClassLink::logistic  ? "logistic"
                 : model.class_link == ClassLink::softmax ? "softmax"
                                                          : "none";
  if (model.log_link) json["link"] = "log";
  json["unit_length"] = model.normalize_l2;
  json["features"] = Json::array();
  for (const auto& [index, key] : keys) json["features"].push_back(key);
  json["intercepts"] = Json::array();
  json["weights"] = Json::array();
  for (const ClassPart& part : parts) {
    json["intercepts"].push_back(part.intercept);
    std::map<std::uint64_t, double> weights;
    for (const Coefficient& c : part.coefficients) weights[c.index] = c.weight;
    Json row = Json::array();
    for (const auto& [index, key] : keys) row.push_back(weights[index]);
    json["weights"].push_back(std::move(row));
  }
  if (model.text) json["text"] = text_json(*model.text);
  if (model.reading.has("numbers")) json["table"] = Json(model.reading);
  require_utf8(json, language);
  return json;
}

}  // namespace thresh
