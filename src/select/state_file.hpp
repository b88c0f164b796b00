// Saves the trials of a search on disk, one JSON line each, so that an interrupted search can be
// resumed.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "thresh/files.hpp"
#include "thresh/select.hpp"

namespace thresh {

class StateFile {
 public:
  // Creates the file, or reads its trials, ignoring an incomplete last line. Throws Error if it is
  // not a state file, or of a search on other data.
  StateFile(std::string path, const Problem& problem);

  // `run` is the candidate as run in the trial, including its fold.
  std::optional<Trial> find(const Candidate& run) const;
  void add(const Candidate& run, const Trial& trial);
  // Afterwards all added trials survive the end of the process.
  void flush() { file_->flush(); }

 private:
  void read(const std::string& text, const std::string& header);

  std::string path_;
  std::string lines_;  // as read, without an incomplete line
  std::map<std::string, Trial> trials_;
  std::optional<LogFile> file_;
};

}  // namespace thresh
