// Reads small text files line by line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace thresh {

// Calls `visit` for every line of a file, compressed or not, without its line end.
void for_each_line(const std::string& path, const std::function<void(std::string_view)>& visit);

}  // namespace thresh
