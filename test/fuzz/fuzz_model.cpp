// Any bytes into the model loader, as they are and under a checksum that is right.
//
// It throws thresh::Error or gives a model that can be written and read again, unchanged.
#include <algorithm>
#include <cmath>
#include <string>

#include "require.hpp"
#include "thresh/error.hpp"
#include "tools/model_text.hpp"

namespace {

using namespace thresh;

void check(const Model& model) {
  for (std::size_t i = 0; i < model.coefficients.size(); ++i) {
    const Coefficient& coefficient = model.coefficients[i];
    require(std::isfinite(coefficient.weight) && coefficient.weight != 0, "weights are weights");
    require(i == 0 || model.coefficients[i - 1].index < coefficient.index, "indices ascend");
  }
  const std::string text = text_of(model);
  require(text_of(parse_model(text)) == text, "a model is read as it was written");
}

void load(std::string_view text) {
  Model model;
  try {
    model = parse_model(text);
  } catch (const Error&) {
    return;
  }
  check(model);
}

// Chance does not find checksums: the last line is made right, so that all before it is tried.
std::string made_right(std::string body) {
  if (!body.empty() && body.back() != '\n') body += '\n';
  const auto lines = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
  return sealed(body, lines - 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  load(text);
  const std::size_t end = text.rfind("end ");
  load(made_right(end == std::string::npos ? text : text.substr(0, end)));
  return 0;
}
