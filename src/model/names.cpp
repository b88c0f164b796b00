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

// Calls visit(coefficient) for those of all classes.
template <class AnyModel, class Visit>
void each_coefficient(AnyModel& model, const Visit& visit) {
  for (auto& coefficient : model.coefficients) visit(coefficient);
  for (auto& part : model.classes) {
    for (auto& coefficient : part.coefficients) visit(coefficient);
  }
}

}  // namespace

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
  std::vector<std::span<Coefficient>> unnamed = {model.coefficients};
  for (ClassPart& part : model.classes) unnamed.emplace_back(part.coefficients);
  std::uint64_t index = model.zero_based ? 0 : 1;
  for_each_line(path, [&](std::string_view name) {
    for (std::span<Coefficient>& rest : unnamed) {
      if (rest.empty() || rest.front().index != index) continue;
      rest.front().name = name;
      rest = rest.subspan(1);
    }
    ++index;
  });
}

void name_features(const Vocabulary& vocabulary, std::span<Model* const> models) {
  tsl::robin_map<std::uint64_t, std::vector<Coefficient*>> unnamed;
  for (Model* model : models) {
    each_coefficient(*model, [&](Coefficient& coefficient) {
      unnamed[coefficient.index - (model->zero_based ? 0 : 1)].push_back(&coefficient);
    });
  }
  vocabulary.for_each([&](std::uint64_t id, std::string_view name) {
    const auto found = unnamed.find(id);
    if (found == unnamed.end()) return;
    for (Coefficient* coefficient : found->second) coefficient->name = name;
  });
}

std::vector<std::string> columns_of(const Model& model) {
  std::set<std::string> numbers, categories, dates;
  for (const std::string& name : model.reading.at("numbers").texts()) numbers.insert(name);
  for (const std::string& name : model.reading.at("categories").texts()) categories.insert(name);
  if (model.reading.has("dates")) {
    for (const auto& [name, ignored] : model.reading.at("dates").record()) dates.insert(name);
  }
  std::set<std::string> needed;
  // Names may contain anything, so a feature may seem to come from several columns.
  each_coefficient(model, [&](const Coefficient& coefficient) {
    const std::string& name = coefficient.name;
    if (numbers.contains(name)) needed.insert(name);
    for (std::size_t at = 0; at < name.size(); ++at) {
      const std::string column = name.substr(0, at);
      const std::string_view rest = std::string_view(name).substr(at);
      const bool missing = rest == " is missing";
      if (rest[0] == '=' && categories.contains(column)) needed.insert(column);
      if (rest[0] == ' ' && dates.contains(column)) needed.insert(column);
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
  each_coefficient(model, [&](const Coefficient& coefficient) {
    features.push_back(static_cast<std::uint32_t>(coefficient.index - 1));
  });
  std::sort(features.begin(), features.end());
  model.text = reduced_to(features, model.text);
}

std::shared_ptr<Vocabulary> vocabulary_of(const Model& model) {
  auto vocabulary = std::make_shared<Vocabulary>(
      static_cast<unsigned>(model.reading.value("hash_bits", 0).count()));
  each_coefficient(model, [&](const Coefficient& coefficient) {
    vocabulary->set(coefficient.name, coefficient.index - (model.zero_based ? 0 : 1));
  });
  vocabulary->reserve(model.dimension);
  vocabulary->labels = LabelNames(model.label_names);
  vocabulary->reading = model.reading;
  vocabulary->text = model.text;
  return vocabulary;
}

std::shared_ptr<Vocabulary> training_vocabulary(const Model& model) {
  auto vocabulary = std::make_shared<Vocabulary>(
      static_cast<unsigned>(model.reading.value("hash_bits", 0).count()));
  vocabulary->reading = model.reading;
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
