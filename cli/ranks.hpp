// The ranks that mpirun started. Every one runs the same command; rank 0 alone shows and writes
// something.
#pragma once

#include <memory>
#include <string>

#include "messages.hpp"
#include "thresh/cluster.hpp"

namespace thresh::cli {

// Null if this process is alone.
extern std::unique_ptr<Comm> ranks;

// To be called before anything is printed. Throws like join_ranks().
void join();
double seconds_since_join();
// At the end of a command that succeeded: waits for the others. Throws RankFailed if one failed.
void meet();
// This rank failed: the line for the user, or "" if another rank tells.
std::string line_of_failure(const std::string& message);

// Whether this process writes outputs.
inline bool writes_outputs() {
  return ranks == nullptr || ranks->rank() == 0;
}

}  // namespace thresh::cli
