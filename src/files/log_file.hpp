// A file that grows line by line and can be read meanwhile.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace thresh {

class LogFile {
 public:
  // Whether to replace the file's content or to append to it.
  enum class Start { empty, at_end };
  LogFile(std::string path, Start start);

  void write(const std::string& text);
  // After this, the text survives the end of the process.
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
