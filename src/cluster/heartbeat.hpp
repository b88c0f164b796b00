// Calls a function again and again in a thread of its own, and tells it whether the process has
// worked since the last time: whether its other threads took processor time. A process that waits
// for a file that never comes, or that was stopped, does not work.
#pragma once

#include <time.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace thresh {

class Heartbeat {
 public:
  Heartbeat(std::chrono::duration<double> interval, std::function<void(bool works)> beat)
      : interval_(interval), beat_(std::move(beat)), thread_([this] { run(); }) {}
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  // Of the interval. Libraries have threads that wake up now and then.
  static constexpr double kLeastWork = 1e-3;

  static double seconds_of(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  static double worked() {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
  }

  void run() {
    double before = worked();
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, interval_, [&] { return ends_; })) {
      const double now = worked();
      beat_(now - before >= kLeastWork * interval_.count());
      before = now;
    }
  }

  std::chrono::duration<double> interval_;
  std::function<void(bool)> beat_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace thresh
