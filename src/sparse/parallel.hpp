// Runs independent pieces of work on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "sparse/cores.hpp"
#include "thresh/threads.hpp"

namespace thresh {

// Runs `work` in `threads` threads, this one included.
template <class Work>
void run_threads(std::size_t threads, const Work& work) {
  const auto inherit = [&, limit = thread_limit()] {
    const ThreadLimit inherited(limit);
    work();
  };
  std::vector<std::jthread> helpers;
  try {
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(inherit);
  } catch (const std::system_error&) {  // no more threads: those that started do the work
  } catch (const std::bad_alloc&) {
  }
  work();
}

// Takes results that arrive in any order, one at a time, in the order of their numbers.
template <class Result, class Take>
class InOrder {
 public:
  InOrder(const Take& take, std::size_t ahead) : take_(take), ahead_(ahead) {}

  // Hands in result i, or the error that replaced it. Waits while i is far ahead of its turn.
  // Returns false after an error.
  bool give(std::size_t i, std::optional<Result> result, std::exception_ptr error) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return i < turn_ + ahead_ || error_; });
    if (error_) return false;
    try {
      waiting_.emplace(i, std::pair(std::move(result), error));
    } catch (...) {  // out of memory
      error_ = std::current_exception();
      changed_.notify_all();
      return false;
    }
    while (!taking_ && !error_ && !waiting_.empty() && waiting_.begin()->first == turn_) {
      take_next(lock);
    }
    return !error_;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void take_next(std::unique_lock<std::mutex>& lock) {
    auto [result, error] = std::move(waiting_.extract(waiting_.begin()).mapped());
    taking_ = true;
    lock.unlock();
    try {
      if (!error) take_(turn_, std::move(*result));
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    taking_ = false;
    error_ = error;
    ++turn_;
    changed_.notify_all();
  }

  const Take& take_;
  std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, std::pair<std::optional<Result>, std::exception_ptr>> waiting_;
  std::size_t turn_ = 0;
  bool taking_ = false;
  std::exception_ptr error_;
};

// Calls next() for a std::optional job until there is none, one call at a time; make(job) on all
// cores; and take(i, result of job i) in order, one at a time, as early as possible. Only a few
// results wait for their turn. The first error in that order ends the loop and is thrown here,
// always the same.
template <class Next, class Make, class Take>
void parallel_stream(std::size_t threads, const Next& next, const Make& make, const Take& take) {
  using Job = typename std::invoke_result_t<const Next&>::value_type;
  using Result = std::decay_t<std::invoke_result_t<const Make&, Job>>;
  InOrder<Result, Take> results(take, 4 * cores());
  std::mutex mutex;
  std::size_t begun = 0;
  bool ended = false;
  run_threads(threads, [&] {
    for (;;) {
      std::size_t number = 0;
      std::optional<Job> job;
      std::optional<Result> result;
      std::exception_ptr error;
      try {
        {
          const std::lock_guard lock(mutex);
          if (ended) return;
          number = begun++;
          ended = true;  // in case next() throws
          job = next();
          ended = !job;
        }
        if (!job) return;
        result = make(std::move(*job));
      } catch (...) {
        error = std::current_exception();
      }
      if (!results.give(number, std::move(result), error)) return;
    }
  });
  results.rethrow();
}

// The same for jobs 0 .. n-1.
template <class Make, class Take>
void parallel_in_order(std::size_t n, const Make& make, const Take& take) {
  std::size_t next = 0;
  const auto number = [&] { return next < n ? std::optional(next++) : std::nullopt; };
  parallel_stream(std::min(n, cores()), number, make, take);
}

// Calls work(0) .. work(n-1) on all cores. Throws the error of the lowest number.
template <class Work>
void parallel_for(std::size_t n, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t failed = n;
  std::exception_ptr error;
  with_helpers(n, [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          error = std::current_exception();
        }
        next = n;  // lower numbers have all started
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace thresh
