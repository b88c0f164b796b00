// Names beside a file for what replaces it, or for what it replaced: TARGET.tmp.PID.N.
#pragma once

#include <string>
#include <string_view>

#include "files/fd.hpp"

namespace thresh {

// The descriptor that a /dev name stands for, or -1. Duplicate it: opening the name again would
// restart at offset 0 of a redirected file, and fails on a socket.
int inherited_descriptor(std::string_view path);

// The target of a chain of links, even if it does not exist yet (which fs::canonical refuses).
std::string follow_links(const std::string& path);

// The folder of a file, "." if its path has none.
std::string folder_of(const std::string& path);

// A file without a name in `folder`; none where the file system cannot make one that link_beside()
// can name later.
Fd open_unnamed(const std::string& folder, int access, unsigned mode);

// Creates a file with a temporary name beside `target`, locked so that remove_leftovers() of
// another process leaves it alone. Without a descriptor and with `errno` if that fails.
struct Beside {
  Fd fd;
  std::string name;
};
Beside create_beside(const std::string& target);
// Gives an open, unnamed file such a name; "" and `errno` if that fails.
std::string link_beside(int unnamed, const std::string& target);
// A second name for the file `target` itself; "" and `errno` if that fails.
std::string second_name(const std::string& target);

// Deletes what killed processes left beside `target`. Files of running processes are locked.
void remove_leftovers(const std::string& target);

}  // namespace thresh
