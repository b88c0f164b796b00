#include "model/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "data/bytes.hpp"

namespace thresh {
namespace {

void for_each_line(const std::string& path, const std::function<void(std::string_view)>& visit) {
  const std::unique_ptr<ByteStream> bytes = open_bytes(path);
  std::vector<char> chunk(std::size_t{1} << 16);
  std::string line;
  while (const std::size_t got = bytes->read(chunk.data(), chunk.size())) {
    std::string_view text(chunk.data(), got);
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
      line.append(text.substr(0, end));
      if (line.ends_with('\r')) line.pop_back();
      visit(line);
      line.clear();
      text.remove_prefix(end + 1);
    }
    line.append(text);
  }
  if (!line.empty()) visit(line);
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

}  // namespace thresh
