// The trials of a search, kept on disk: one JSON line each, so that a search that was interrupted
// can go on.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "thresh/files.hpp"
#include "thresh/select.hpp"

namespace thresh {

class StateFile {
 public:
  // Makes the file, or reads what it knows; a line that was cut off by the end of a process is
  // forgotten. Throws Error for a file that is none, or of a search on other data.
  StateFile(std::string path, const Problem& problem);

  // `run`: what the candidate becomes in the trial, with its fold and all.
  std::optional<Trial> find(const Candidate& run) const;
  void add(const Candidate& run, const Trial& trial);
  // What was added will survive the end of the process.
  void flush() { file_->flush(); }

 private:
  void read(const std::string& text, const std::string& header);

  std::string path_;
  std::string lines_;  // as read, without what was cut off
  std::map<std::string, Trial> trials_;
  std::optional<LogFile> file_;
};

}  // namespace thresh
