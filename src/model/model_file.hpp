// The model file as text, apart from where it is stored.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "thresh/model.hpp"

namespace thresh {

// Reads the text of a model file. Throws Error with the reason, but no file name, if any byte was
// altered.
Model parse_model(std::string_view text);

// Writes the text of a model file piece by piece. Throws Error before the first piece if the model
// is one that parse_model would reject.
void write_model(const Model& model, const std::function<void(std::string_view)>& write);

inline constexpr std::string_view kMagic = "thresh-model ";
inline constexpr std::string_view kTwoClasses = "1";  // version; also for regression
inline constexpr std::string_view kManyClasses = "2";
inline constexpr std::string_view kNamed = "3";  // also has the data of formats with names
inline constexpr std::string_view kFilled =
    "4";  // the same, from a table with missing cells or dates
inline constexpr std::string_view kLater = "5";    // the same, with packed terms or a threshold
inline constexpr std::string_view kColumns = "6";  // the same, with text columns or pairs
inline constexpr const char* kLinkNames[] = {"none", "logistic", "softmax"};  // for ClassLink

inline std::uint32_t crc(std::uint32_t so_far, std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  return static_cast<std::uint32_t>(crc32_z(so_far, bytes, text.size()));
}

// The header: everything but the weights. Throws Error for a model that load() would reject.
Record model_header(const Model& model);

// Whether it has a list of the terms of texts.
bool has_terms(const Model& model);

// Models of libsvm data remain readable to programs that know only the first versions.
inline std::string_view version_of(const Model& model) {
  if (!model.column_texts.empty() || !model.interactions.empty()) return kColumns;
  if (model.threshold || has_terms(model)) return kLater;
  for (const char* field : {"missing_cells", "missing", "na", "dates"}) {
    if (model.reading.has(field)) return kFilled;
  }
  if (model.format != Format::libsvm || !model.label_names.empty()) return kNamed;
  return model.classes.empty() ? kTwoClasses : kManyClasses;
}

inline bool has_names(std::string_view version) {
  return version == kNamed || version == kFilled || version == kLater || version == kColumns;
}

inline bool two_classes(const Model& model) {
  return model.task == Task::classification && model.classes.empty();
}

// Whether pairs come behind all features of the data, in order.
inline bool pairs_are_sound(const Model& model) {
  if (model.pairs.empty()) return true;
  const std::uint64_t first = model.zero_based ? 0 : 1;
  const std::uint64_t least = model.pairs.front().index;
  std::uint64_t before = 0;
  for (const FeaturePair& pair : model.pairs) {
    if (pair.index <= before || pair.index - first >= model.dimension) return false;
    if (pair.first < first || pair.second < pair.first || pair.second >= least) return false;
    if (pair.first_name.empty() != pair.second_name.empty()) return false;
    before = pair.index;
  }
  return !model.interactions.empty();
}

// Whether all labels have names, or none has.
inline bool labels_have_names(const Model& model) {
  const auto& names = model.label_names;
  if (names.empty()) return true;
  const auto named = [&](double label) {
    return label >= 0 && label < static_cast<double>(names.size()) && label == std::floor(label);
  };
  bool all = model.task == Task::classification;
  for (const ClassPart& part : model.classes) all &= named(part.label);
  if (model.classes.empty()) all &= named(model.negative_label) && named(model.positive_label);
  return all;
}

inline std::string class_line(const ClassPart& part) {
  return fmt::format("class {}", part.label);
}

}  // namespace thresh
