#include "ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <vector>

#include "checkpoint.hpp"

namespace thresh::cli {

std::unique_ptr<Comm> ranks;

namespace {

int messages_fd = STDERR_FILENO;  // of a rank that is silent otherwise

void fall_silent() {
  messages_fd = ::dup(STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::close(nothing);
}

}  // namespace

double seconds_since_join() {
  static const auto joined = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - joined).count();
}

void join() {
  seconds_since_join();
  ranks = join_ranks();
  if (ranks == nullptr) return;
  // A rank that stopped at a row of its own would leave the others waiting: the launcher ends all.
  for (const int stop : {SIGINT, SIGTERM, SIGHUP}) std::signal(stop, SIG_DFL);
  if (!writes_outputs()) fall_silent();
  const std::vector<std::string> able = {"train", "resume", "tune", "cv", "frontier"};
  const std::string command = arguments.empty() ? "" : arguments.front();
  if (std::find(able.begin(), able.end(), command) == able.end()) {
    throw UsageError(fmt::format("only {} run on several ranks", fmt::join(able, ", ")));
  }
}

void meet() {
  if (ranks == nullptr) return;
  std::vector<Message> all;
  ranks->exchange({}, all);
}

std::string line_of_failure(const std::string& message) {
  if (ranks == nullptr) return message;
  if (!ranks->fail()) return "";
  ::dup2(messages_fd, STDERR_FILENO);
  return ranks->rank() == 0 ? message : ranks->name_of(ranks->rank()) + ": " + message;
}

}  // namespace thresh::cli
