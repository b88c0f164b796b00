// A file that grows line by line and can be followed meanwhile.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace thresh {

class LogFile {
 public:
  // What is in the file is replaced, or stays and is added to.
  enum class Start { empty, at_end };
  LogFile(std::string path, Start start);

  void write(const std::string& text);
  // What was written will survive the end of the process.
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace thresh
