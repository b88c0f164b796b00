// Model files as text, valid and forged.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <string>
#include <string_view>

#include "model/model_file.hpp"
#include "sparse/feature_map.hpp"

inline std::string text_of(const thresh::Model& model) {
  std::string text;
  thresh::write_model(model, [&](std::string_view piece) { text += piece; });
  return text;
}

// A file with this content and the matching last line.
inline std::string sealed(const std::string& body, std::size_t count) {
  const auto sum = crc32_z(0, reinterpret_cast<const unsigned char*>(body.data()), body.size());
  return fmt::format("{}end {} crc32 {:08x}\n", body, count, sum);
}

// Contains one of everything that is hard to write.
inline thresh::Model small_model() {
  thresh::Model model;
  model.solver = "margin-perceptron";
  model.negative_label = -0.1;
  model.positive_label = 1.0 / 3;
  model.dimension = thresh::FeatureMap::kMaxIndex;
  model.intercept = -2.0 / 3;
  model.calibration = thresh::Calibration{1e-300, -1.0 / 7};
  model.options = thresh::Record::parse(R"({"eta":0.1,"note":"tab\tquote\"line\n"})");
  model.summary = thresh::Record::parse(R"({"pass":3,"deep":[[{"a":[1,2,null]}]]})");
  model.coefficients = {{1, 1.0 / 3, ""},
                        {2, -5e-324, "word"},
                        {77, 1.7976931348623157e308, "tab\tinside"},
                        {1000, 0.1, "Grüße, 世界 \xff\x01"},
                        {thresh::FeatureMap::kMaxIndex, -1e-17, "end 5 crc32 00000000"}};
  return model;
}
