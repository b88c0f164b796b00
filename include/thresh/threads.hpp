// Limits the number of threads.
#pragma once

#include <cstddef>

namespace thresh {

// During its lifetime, calls made by the current thread compute in at most `threads` threads; 0
// sets no limit. It cannot exceed the cores of the process or an enclosing ThreadLimit. A thread
// that reads ahead is not counted. Results do not depend on the number of threads.
//
// Options::threads and ReadOptions::threads set the limit of a single call.
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
