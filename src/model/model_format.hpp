// What writing and reading the model file share.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "model/model_file.hpp"
#include "thresh/error.hpp"

namespace thresh {

using Json = nlohmann::ordered_json;

inline constexpr std::string_view kMagic = "thresh-model ";
inline constexpr std::string_view kTwoClasses = "1";  // versions: also for regression
inline constexpr std::string_view kManyClasses = "2";
inline constexpr const char* kLinkNames[] = {"none", "logistic", "softmax"};  // by ClassLink

inline std::uint32_t crc(std::uint32_t so_far, std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  return static_cast<std::uint32_t>(crc32_z(so_far, bytes, text.size()));
}

// Json::parse is a loop but dump() recurses: a file of brackets would exhaust the stack.
inline Json parse_json(std::string_view text) {
  constexpr int kDeepest = 64;
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDeepest) throw Error("the header is nested too deeply");
    return true;
  });
}

inline std::string class_line(const ClassPart& part) {
  return fmt::format("class {}", part.label);
}

}  // namespace thresh
