// A folder for one test, removed at its end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

struct ScratchDir {
  std::filesystem::path path;

  ScratchDir() {
    std::string name = (std::filesystem::temp_directory_path() / "thresh-test.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path = name;
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string file(std::string_view name) const { return (path / name).string(); }

  // Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view content) const {
    const std::string to = file(name);
    std::ofstream out(to, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + to);
    return to;
  }

  static std::string slurp(const std::filesystem::path& from) {
    std::ifstream in(from, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + from.string());
    return {std::istreambuf_iterator<char>(in), {}};
  }
};
