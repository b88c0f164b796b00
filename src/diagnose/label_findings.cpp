#include <fmt/format.h>

#include <algorithm>

#include "diagnose/findings.hpp"

namespace thresh {
namespace {

constexpr double kMuch = 0.02;
constexpr std::size_t kRowsShown = 5;  // rows in the text; JSON lists all known ones

}  // namespace

Section label_findings(const LabelNoise& noise, std::uint64_t rows) {
  DiagnosisLine f{"confident_noise", nullptr};
  f.normal =
      "below 1% where classes are clear; where they overlap, or a linear model is weak, up to the "
      "models' error";
  if (!noise.obstacle.empty()) {
    f.text = "wrong labels: not estimated, " + noise.obstacle;
    return {"labels", "Labels", {f}};
  }
  std::string first;
  for (std::size_t i = 0; i < std::min(kRowsShown, noise.first.size()); ++i) {
    first += fmt::format("{}{}", first.empty() ? "" : ", ", noise.first[i] + 1);
  }
  f.value = {{"share", noise.share},        {"suspects", noise.suspects},
             {"rows", noise.rows},          {"error", noise.error},
             {"folds", LabelNoise::kFolds}, {"first", nlohmann::json::array()}};
  for (const std::uint64_t row : noise.first) f.value["first"].push_back(row + 1);
  f.text = fmt::format(
      "wrong labels, by confident learning: about {:.3g}%; {} of {} rows probably belong to "
      "another class{} (quick models in {} folds, {} passes over {}; their error is {:.3g}%)",
      100 * noise.share, noise.suspects, noise.rows,
      first.empty() ? "" : ", most clearly rows " + first, LabelNoise::kFolds, LabelNoise::kPasses,
      noise.rows < rows ? fmt::format("{} rows of {}", noise.rows, rows) : "all rows",
      100 * noise.error);
  if (noise.share > kMuch) {
    f.advice =
        "check these rows: their labels are wrong, or no linear model separates them; do not train "
        "to zero error";
  }
  return {"labels", "Labels", {f}};
}

}  // namespace thresh
