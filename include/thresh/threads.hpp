// How many threads a call may use.
#pragma once

#include <cstddef>

namespace thresh {

// While it lives, calls of this thread compute in at most so many threads; 0 changes nothing. It
// never allows more than the cores of the process, nor more than a limit around it. A thread that
// only reads ahead of the learner comes on top. Results do not depend on the number of threads.
//
// Options::threads and ReadOptions::threads do the same for single calls.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  std::size_t before_;
};

}  // namespace thresh
