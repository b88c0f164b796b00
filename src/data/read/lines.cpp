#include "data/read/lines.hpp"

#include <memory>
#include <vector>

#include "data/read/bytes.hpp"

namespace thresh {

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

}  // namespace thresh
