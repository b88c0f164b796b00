#include "model/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "data/names/vocabulary.hpp"
#include "data/read/bytes.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

using Names = tsl::robin_map<std::uint64_t, std::vector<std::string*>>;  // by index

// Calls visit(coefficient) for those of all classes.
template <class AnyModel, class Visit>
void each_coefficient(AnyModel& model, const Visit& visit) {
  for (auto& coefficient : model.coefficients) visit(coefficient);
  for (auto& part : model.classes) {
    for (auto& coefficient : part.coefficients) visit(coefficient);
  }
}

// Calls visit(index, name) for the features in the data that weights belong to: of a pair both.
// Some may be visited more than once.
template <class AnyModel, class Visit>
void each_feature(AnyModel& model, const Visit& visit) {
  each_coefficient(model, [&](auto& coefficient) {
    if (model.pair(coefficient.index) == nullptr) visit(coefficient.index, coefficient.name);
  });
  for (auto& pair : model.pairs) {
    visit(pair.first, pair.first_name);
    visit(pair.second, pair.second_name);
  }
}

}  // namespace

const FeaturePair* Model::pair(std::uint64_t index) const {
  const auto found = std::lower_bound(
      pairs.begin(), pairs.end(), index,
      [](const FeaturePair& each, std::uint64_t wanted) { return each.index < wanted; });
  return found != pairs.end() && found->index == index ? &*found : nullptr;
}

void name_pairs(Model& model) {
  if (model.pairs.empty()) return;
  const auto name = [](const std::string& known, std::uint64_t index) {
    return known.empty() ? std::to_string(index) : known;
  };
  each_coefficient(model, [&](Coefficient& coefficient) {
    const FeaturePair* const pair = model.pair(coefficient.index);
    if (pair == nullptr) return;
    coefficient.name =
        name(pair->first_name, pair->first) + "*" + name(pair->second_name, pair->second);
  });
}

std::uint64_t count_names(const std::string& path) {
  std::uint64_t lines = 0;
  for_each_line(path, [&](std::string_view name) {
    ++lines;
    if (name.find('\t') != std::string_view::npos) {
      throw Error(fmt::format("{}:{}: a name may not contain a tab", path, lines));
    }
  });
  return lines;
}

void attach_names(const std::string& path, Model& model) {
  Names unnamed;
  each_feature(model,
               [&](std::uint64_t index, std::string& name) { unnamed[index].push_back(&name); });
  std::uint64_t index = model.zero_based ? 0 : 1;
  for_each_line(path, [&](std::string_view name) {
    if (const auto found = unnamed.find(index); found != unnamed.end()) {
      for (std::string* const each : found->second) *each = name;
    }
    ++index;
  });
  name_pairs(model);
}

void name_features(const Vocabulary& vocabulary, std::span<Model* const> models) {
  Names unnamed;
  for (Model* model : models) {
    each_feature(*model, [&](std::uint64_t index, std::string& name) {
      unnamed[index - (model->zero_based ? 0 : 1)].push_back(&name);
    });
  }
  vocabulary.for_each([&](std::uint64_t id, std::string_view name) {
    const auto found = unnamed.find(id);
    if (found == unnamed.end()) return;
    for (std::string* const each : found->second) *each = name;
  });
  for (Model* model : models) name_pairs(*model);
}

std::vector<std::string> columns_of(const Model& model) {
  std::set<std::string> numbers, categories, dates;
  for (const std::string& name : model.reading.at("numbers").texts()) numbers.insert(name);
  for (const std::string& name : model.reading.at("categories").texts()) categories.insert(name);
  if (model.reading.has("dates")) {
    for (const auto& [name, ignored] : model.reading.at("dates").record()) dates.insert(name);
  }
  std::set<std::string> needed, texts;
  for (const auto& [name, ignored] : model.column_texts) texts.insert(name);
  // Names may contain anything, so a feature may seem to come from several columns.
  each_feature(model, [&](std::uint64_t, const std::string& name) {
    if (numbers.contains(name)) needed.insert(name);
    for (std::size_t at = 0; at < name.size(); ++at) {
      const std::string column = name.substr(0, at);
      const std::string_view rest = std::string_view(name).substr(at);
      const bool missing = rest == " is missing";
      if (rest[0] == '=' && categories.contains(column)) needed.insert(column);
      if (rest[0] == ' ' && dates.contains(column)) needed.insert(column);
      if (rest[0] == ':' && texts.contains(column)) needed.insert(column);
      if (missing && (numbers.contains(column) || categories.contains(column))) {
        needed.insert(column);
      }
    }
  });
  return {needed.begin(), needed.end()};
}

void drop_unneeded_terms(Model& model) {
  if (!model.text) return;
  std::vector<std::uint32_t> features;
  each_feature(model, [&](std::uint64_t index, const std::string&) {
    features.push_back(static_cast<std::uint32_t>(index - 1));
  });
  std::sort(features.begin(), features.end());
  model.text = reduced_to(features, model.text);
}

std::shared_ptr<Vocabulary> vocabulary_of(const Model& model) {
  auto vocabulary = std::make_shared<Vocabulary>(
      static_cast<unsigned>(model.reading.value("hash_bits", 0).count()));
  std::set<std::uint64_t> known;
  each_feature(model, [&](std::uint64_t index, const std::string& name) {
    if (model.pairs.empty() || known.insert(index).second) {
      vocabulary->set(name, index - (model.zero_based ? 0 : 1));
    }
  });
  vocabulary->reserve(model.dimension);
  vocabulary->labels = LabelNames(model.label_names);
  vocabulary->reading = model.reading;
  vocabulary->column_texts = model.column_texts;
  vocabulary->text = model.text;
  return vocabulary;
}

std::shared_ptr<Vocabulary> training_vocabulary(const Model& model) {
  auto vocabulary = std::make_shared<Vocabulary>(
      static_cast<unsigned>(model.reading.value("hash_bits", 0).count()));
  vocabulary->reading = model.reading;
  vocabulary->column_texts = model.column_texts;
  return vocabulary;
}

std::vector<std::optional<std::uint64_t>> find_names(const std::string& path,
                                                     const std::vector<std::string>& names) {
  std::vector<std::optional<std::uint64_t>> found(names.size());
  std::uint64_t line = 0;
  for_each_line(path, [&](std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name && !found[i]) found[i] = line;
    }
    ++line;
  });
  return found;
}

}  // namespace thresh
