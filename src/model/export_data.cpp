#include "model/export_data.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "data/read/utf8.hpp"
#include "math/elementary.hpp"
#include "model/pair_weights.hpp"
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

// For each class a weight for each feature.
void add_weights(const Model& model, const std::map<std::uint64_t, std::string>& features,
                 Json& json) {
  json["intercepts"] = Json::array();
  json["weights"] = Json::array();
  for (const ClassPart& part : parts_of(model)) {
    json["intercepts"].push_back(part.intercept);
    std::map<std::uint64_t, double> weights;
    for (const Coefficient& c : part.coefficients) weights[c.index] = c.weight;
    Json row = Json::array();
    for (const auto& [index, name] : features) row.push_back(weights[index]);
    json["weights"].push_back(std::move(row));
  }
}

// For each class its products: the places of two features, and the weight.
void add_products(const Model& model, const std::map<std::uint64_t, std::string>& features,
                  Json& json) {
  std::map<std::uint64_t, std::size_t> places;
  for (const auto& [index, name] : features) places.emplace(index, places.size());
  json["products"] = Json::array();
  for (std::size_t part = 0; part < json["weights"].size(); ++part) {
    json["products"].push_back(Json::array());
  }
  for (const Product& product : products_of(model)) {
    json["products"][product.part].push_back(
        {places.at(product.pair->first), places.at(product.pair->second), product.weight});
  }
}

void require_utf8(const Json& json, const std::string& language) {
  try {
    json.dump();
  } catch (const Json::type_error&) {
    throw Error(fmt::format("{} cannot hold this model: a name is not UTF-8", language));
  }
}

std::vector<ClassPart> all_parts(const Model& model) {
  if (!model.classes.empty()) return model.classes;
  return {{model.positive_label, model.intercept, model.coefficients}};
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
  std::vector<ClassPart> parts = all_parts(model);
  for (ClassPart& part : parts) part.coefficients = single_features(model, part.coefficients);
  return parts;
}

std::vector<Product> products_of(const Model& model) {
  std::vector<Product> products;
  const std::vector<ClassPart> parts = all_parts(model);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const Coefficient& each : parts[part].coefficients) {
      const FeaturePair* const pair = model.pair(each.index);
      if (pair != nullptr) products.push_back({part, pair, each.weight});
    }
  }
  std::stable_sort(products.begin(), products.end(), [](const Product& a, const Product& b) {
    return std::tuple(a.part, a.pair->first, a.pair->second) <
           std::tuple(b.part, b.pair->first, b.pair->second);
  });
  return products;
}

std::map<std::uint64_t, std::string> features_of(const Model& model) {
  std::map<std::uint64_t, std::string> features;
  for (const ClassPart& part : parts_of(model)) {
    for (const Coefficient& each : part.coefficients) features.emplace(each.index, each.name);
  }
  for (const Product& product : products_of(model)) {
    features.emplace(product.pair->first, product.pair->first_name);
    features.emplace(product.pair->second, product.pair->second_name);
  }
  return features;
}

Json scoring_data(const Model& model, const std::string& language) {
  const auto refuse = [&](const char* why) {
    throw Error(fmt::format("{} cannot hold this model: {}", language, why));
  };
  if (model.reading.value("hash_bits", 0).count() > 0) refuse("its features are hashes of names");
  const auto stems = [](const TextVectorizer& text) { return !text.options().stem.empty(); };
  bool has_stems = model.text && stems(*model.text);
  for (const auto& [column, text] : model.column_texts) has_stems |= stems(*text);
  if (has_stems) refuse("it reduces words to stems");
  const bool named = model.format != Format::libsvm;
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
  const std::map<std::uint64_t, std::string> features = features_of(model);
  for (const auto& [index, name] : features) {
    json["features"].push_back(named ? Json(name) : Json(index));
  }
  add_weights(model, features, json);
  add_products(model, features, json);
  if (model.text) json["text"] = text_json(*model.text);
  for (const auto& [column, text] : model.column_texts) json["texts"][column] = text_json(*text);
  if (model.reading.has("numbers")) json["table"] = Json(model.reading);
  require_utf8(json, language);
  return json;
}

}  // namespace thresh
