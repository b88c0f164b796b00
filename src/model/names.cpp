#include "model/names.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <vector>

#include "data/lines.hpp"
#include "thresh/error.hpp"

namespace thresh {

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

}  // namespace thresh
