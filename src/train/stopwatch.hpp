// Seconds of learning: the watch is stopped while something is evaluated or written.
#pragma once

#include <chrono>

namespace thresh {

class Stopwatch {
 public:
  void start() { started_ = Clock::now(); }
  void stop() { total_ += Clock::now() - started_; }
  double seconds() const { return std::chrono::duration<double>(total_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_;
  Clock::duration total_{};
};

}  // namespace thresh
